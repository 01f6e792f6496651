// An open dataset file: holds the index and reads the data that it lists. Dataset, Split, stores and loaders use it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <octavo/byte_source.hpp>
#include <octavo/statistics.hpp>

#include "format/chunks/chunk_reader.hpp"
#include "format/index/header.hpp"
#include "format/index/index.hpp"
#include "support/strict_json.hpp"

namespace octavo::dataset_file {

/// Thread-safe: all reads are positioned and share one open descriptor.
class Reader {
 public:
  /// Opens a file and checks the header, the index and the metadata hash. Throws IoError, or FormatError with the file.
  static std::shared_ptr<const Reader> open(const std::string& location);
  static std::shared_ptr<const Reader> open(std::shared_ptr<const ByteSource> source);
  /// Uses a header and an index that have already been read and checked.
  Reader(std::shared_ptr<const ByteSource> source, Header header, Index index);

  const ByteSource& source() const { return *source_; }
  /// The path or URL of the source.
  const std::filesystem::path& path() const { return path_; }
  const Header& header() const { return header_; }
  const Index& index() const { return index_; }
  /// Returns the split with this name, or null.
  const SplitEntry* find_split(std::string_view name) const;

  /// Reads a small dataset and checks its hash. Throws FormatError with the file and `path` in it.
  std::vector<std::byte> read_small(const Extent& extent, const std::string& path) const;
  Statistics statistics(const SplitEntry& split) const;
  std::string provenance() const;
  /// Returns the name of a sample of a split that has names. Checks the hash of all names on the first call.
  std::string sample_name(const SplitEntry& split, std::int64_t row) const;
  /// Returns the metadata of a split that has columns, and checks it.
  Json columns(const SplitEntry& split) const;

  /// Reads rows [first_row, first_row + count), which are split.rows, without checking them. Reading whole chunks of
  /// chunked images is fastest. Throws FormatError if a chunk cannot be decoded.
  void read_rows(const SplitEntry& split, std::int64_t first_row, std::int64_t count, std::span<std::byte> rows) const;
  /// Reads the chunks of splits whose images are in chunks.
  const ChunkReader& chunks() const { return chunks_; }
  /// Reads the labels of the same rows; `labels` has count * bytes_per_sample bytes.
  void read_labels(const SplitEntry& split, std::int64_t first_row, std::int64_t count,
                   std::span<std::byte> labels) const;
  /// Reads the masks of the same rows, which are split.mask_rows, without checking them.
  void read_masks(const SplitEntry& split, std::int64_t first_row, std::int64_t count,
                  std::span<std::byte> masks) const;
  /// Reads the checksums of the same rows; `checksums` has count entries.
  void read_checksums(const SplitEntry& split, std::int64_t first_row, std::int64_t count,
                      std::span<std::uint64_t> checksums) const;
  /// Returns the checksums of rows [first_row, first_row + count).
  std::vector<std::uint64_t> row_checksums(const SplitEntry& split, std::int64_t first_row, std::int64_t count) const;
  /// Compares rows that were read with their checksums. Throws FormatError with the first damaged sample.
  void check_samples(const SplitEntry& split, std::int64_t first_row, std::int64_t count,
                     std::span<const std::byte> rows, std::span<const std::byte> labels,
                     std::span<const std::byte> masks) const;

  /// Throws FormatError: sample `row` does not match its checksum.
  [[noreturn]] void fail_sample(const SplitEntry& split, std::int64_t row) const;

  /// Throws IoError if the identity of the source or the header has changed since it was opened. Call this after
  /// reading. (If the file was replaced by another one of the same name, the old one is still read, unchanged.)
  void ensure_unchanged() const;

 private:
  /// Throws FormatError if the names of `split` do not match their hashes. Reads them only once.
  void ensure_names(const SplitEntry& split) const;
  [[noreturn]] void fail(const std::string& where, const std::string& problem) const;

  std::shared_ptr<const ByteSource> source_;
  std::filesystem::path path_;
  std::string identity_;  ///< of the source when it was opened
  Header header_;
  Index index_;
  ChunkReader chunks_;
  mutable std::mutex names_mutex_;
  mutable std::set<std::string> splits_with_checked_names_;
};

/// Throws InvalidArgument unless rows [first_row, first_row + count) are among the `sample_count` of a split.
void check_rows(const std::string& split, std::int64_t sample_count, std::int64_t first_row, std::int64_t count);
/// Throws InvalidArgument unless memory of `given_bytes` has room for exactly `count` rows, which need `wanted_bytes`.
void check_row_memory(const std::string& split, std::int64_t count, std::size_t given_bytes, std::int64_t wanted_bytes);

}  // namespace octavo::dataset_file
