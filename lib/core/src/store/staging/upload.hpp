// Uploads host data to a device through a small amount of pinned memory.
#pragma once

#include <cstddef>
#include <memory>

#include "backend/backend.hpp"

namespace octavo::store {

/// Bytes of a pinned block: large enough for the full speed of the link, small enough to keep pinned memory bounded
/// whatever is uploaded.
inline constexpr std::int64_t kUploadBlockBytes = std::int64_t{4} << 20;

/// Two pinned blocks: one is filled while the other is copied. If memory suffices for only one, nothing overlaps.
/// Not thread-safe.
class Upload {
 public:
  /// Throws OutOfMemory.
  Upload(std::shared_ptr<backend::Backend> backend, std::int64_t block_bytes);
  /// Waits for the copies.
  ~Upload();
  Upload(const Upload&) = delete;
  Upload& operator=(const Upload&) = delete;

  std::int64_t block_bytes() const { return block_bytes_; }
  /// Returns the block to fill next, after its last copies are done.
  std::byte* begin_block();
  /// Enqueues a copy from that block. Call finish_block() on the same stream after the last one.
  void copy(void* to, const std::byte* from, std::int64_t bytes, StreamRef stream);
  void finish_block(StreamRef stream);

 private:
  struct Block {
    backend::PinnedBuffer memory;
    backend::OwnedEvent copied;
  };
  void add_second_block();

  std::shared_ptr<backend::Backend> backend_;
  std::int64_t block_bytes_;
  std::vector<Block> blocks_;
  std::size_t turn_ = 0;
  bool may_grow_ = true;
};

}  // namespace octavo::store
