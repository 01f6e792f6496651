// The blocks of one source on a local disk.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <octavo/byte_source.hpp>

#include "block_cache/block_layout.hpp"
#include "block_cache/cache_folder.hpp"
#include "block_cache/parts.hpp"
#include "support/file.hpp"

namespace octavo::block_cache {

/// Whether a block can be used.
enum class BlockState {
  good,
  missing,
  damaged,  ///< its bytes do not match its seal
};

/// An open cache file. A block is `known` once this process has verified or written it; only then may parts of it be
/// read. Thread-safe.
class CacheFile {
 public:
  /// Opens or creates the file. Returns null if there is no room for it. Throws IoError.
  static std::unique_ptr<CacheFile> open(const std::filesystem::path& folder, std::int64_t most_bytes,
                                         const BlockLayout& layout);
  CacheFile(CacheFolder folder, const BlockLayout& layout, File file);

  const BlockLayout& layout() const { return layout_; }

  bool is_known(std::int64_t block) const {
    return (known_[static_cast<std::size_t>(block / 64)].load(std::memory_order_acquire) >> (block % 64) & 1) != 0;
  }
  bool are_known(std::int64_t first, std::int64_t last) const {
    while (first <= last && is_known(first)) ++first;
    return first > last;
  }
  /// Whether the table says that a block is there; it may be damaged. Throws IoError.
  bool may_have(std::int64_t block) const { return read_seal(block) != 0; }

  /// Reads from known blocks. Throws IoError.
  void read_parts(std::int64_t offset, std::span<const std::span<std::byte>> parts) const;
  AtHand read_parts_at_hand(std::int64_t offset, std::span<const std::span<std::byte>> parts) const noexcept;
  void start_read(std::int64_t offset, std::int64_t length) const noexcept;

  /// Reads and verifies a block, copies to `to` what that needs of it, and makes the block known. Throws IoError.
  BlockState verify(std::int64_t block, const Parts& to) const;
  /// Writes blocks [first, last], then their seals, and makes them known. Returns false if there is no room. Throws
  /// IoError.
  bool keep(std::int64_t first, std::int64_t last, std::span<const std::byte> bytes) const;
  /// Removes the file, because its source has changed.
  void remove() const noexcept { folder_.remove(layout_); }

 private:
  std::uint64_t read_seal(std::int64_t block) const;
  void set_known(std::int64_t block) const;

  CacheFolder folder_;
  BlockLayout layout_;
  File file_;
  mutable std::vector<std::atomic<std::uint64_t>> known_;  ///< a bit for each block
};

}  // namespace octavo::block_cache
