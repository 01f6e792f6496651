// Host data on its way to a device, through a little pinned memory.
#pragma once

#include <cstddef>
#include <memory>

#include "backend/backend.hpp"

namespace octavo::store {

/// Bytes of a pinned block: large enough for the full rate of the link, and small enough that pinned memory stays
/// bounded whatever is uploaded.
inline constexpr std::int64_t kUploadBlockBytes = std::int64_t{4} << 20;

/// Two pinned blocks: one is filled while the other one is copied. With memory for only one of them, nothing overlaps.
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
  /// The block to fill now, when its last copies are done.
  std::byte* begin_block();
  /// Enqueues copies from that block, until finish_block() of the same stream.
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
