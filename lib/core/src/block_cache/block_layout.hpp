// The bytes of a cache file.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace octavo::block_cache {

/// Measured with a model of an object store (64 connections, 20 ms, 90 MB/s each, 1.2 GB/s in all), shuffled rows of
/// 3 KB: the first epoch over 96 MiB takes 2.6, 1.6, 0.95, 0.72 and 0.68 s with blocks of 16, 32, 64, 128 and 256 KiB,
/// and the first batch of 512 rows 0.15 s up to 128 KiB, then 0.28 s. Rows of 150 KB take the same time with all.
inline constexpr std::int64_t kBlockBytes = std::int64_t{128} << 10;
inline constexpr std::int64_t kCacheHeaderBytes = 4096;
/// Linux keeps a large aligned write in large pieces of the page cache: rows of 3 KB are then read as fast as from any
/// other file, and 20% slower if the data begins at byte 131,072.
inline constexpr std::int64_t kDataAlignment = std::int64_t{4} << 20;
/// The largest file of ext4; a source of unbelievable length must not make the cache allocate memory for its blocks.
inline constexpr std::int64_t kMostLength = std::int64_t{16} << 40;

/// The layout of the cache file of one source:
///
///     0            header, which is a function of the source: a file with another one is not used
///     4096         table: 8 bytes for each block, its seal; 0: the block is not there
///     data_offset  the blocks, each at its offset in the source; a multiple of kDataAlignment, for the file is sparse
///
/// A seal is the XXH3-64 of the block, combined with the source and the number of the block, so that a block in the
/// wrong place does not match. It is written after the block. Numbers are little-endian. Two processes that write the
/// same block write the same bytes.
class BlockLayout {
 public:
  /// `length` is at most kMostLength.
  BlockLayout(const std::string& source_name, const std::string& identity, std::int64_t length);

  /// 32 hex digits and an extension.
  const std::string& file_name() const { return file_name_; }
  std::array<std::byte, kCacheHeaderBytes> header() const;
  std::int64_t file_bytes() const { return data_offset() + length_; }

  std::int64_t length() const { return length_; }
  std::int64_t block_count() const { return (length_ + kBlockBytes - 1) / kBlockBytes; }
  /// The bytes of the source in blocks [first, last]: where they begin and end.
  std::int64_t begin_of(std::int64_t first) const { return first * kBlockBytes; }
  std::int64_t end_of(std::int64_t last) const { return std::min((last + 1) * kBlockBytes, length_); }
  std::int64_t bytes_of(std::int64_t block) const { return end_of(block) - begin_of(block); }

  std::int64_t seal_offset(std::int64_t block) const { return kCacheHeaderBytes + 8 * block; }
  std::int64_t data_offset() const {
    return (seal_offset(block_count()) + kDataAlignment - 1) / kDataAlignment * kDataAlignment;
  }
  /// Never 0.
  std::uint64_t seal_of(std::int64_t block, std::span<const std::byte> bytes) const;

 private:
  std::uint64_t key_[2];
  std::int64_t length_;
  std::string file_name_;
};

/// Whether a file of this name is a cache file.
bool is_cache_file_name(const std::string& name);

}  // namespace octavo::block_cache
