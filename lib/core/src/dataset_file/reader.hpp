// An open dataset file: its index, and reading what the index lists. What Dataset, Split, stores and loaders stand on.
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

#include <octavo/statistics.hpp>

#include "dataset_file/chunk_reader.hpp"
#include "dataset_file/header.hpp"
#include "dataset_file/index.hpp"
#include "support/file.hpp"

namespace octavo::dataset_file {

/// Safe to use from several threads: all reads are positioned, on one descriptor that stays open.
class Reader {
 public:
  /// Opens `path` by header, index and metadata hash. Throws IoError, or FormatError naming the file.
  static std::shared_ptr<const Reader> open(const std::filesystem::path& path);
  /// Stands on a header and an index that were read and checked already.
  Reader(File file, Header header, Index index);

  const File& file() const { return file_; }
  const Header& header() const { return header_; }
  const Index& index() const { return index_; }
  /// The split of that name, or null.
  const SplitEntry* find_split(std::string_view name) const;

  /// The bytes of a small dataset, compared with its hash. Throws FormatError naming the file and `path` in it.
  std::vector<std::byte> read_small(const Extent& extent, const std::string& path) const;
  Statistics statistics(const SplitEntry& split) const;
  std::string provenance() const;
  /// The name of a sample of a split that has names. The hash of all names is checked the first time.
  std::string sample_name(const SplitEntry& split, std::int64_t row) const;

  /// Codes of rows [first_row, first_row + count), unchecked; `codes` has count * C*H*W bytes. Of deflated images whole
  /// chunks are read best. Throws FormatError if a chunk does not inflate.
  void read_codes(const SplitEntry& split, std::int64_t first_row, std::int64_t count,
                  std::span<std::byte> codes) const;
  /// Chunks of splits whose images are deflated.
  const ChunkReader& chunks() const { return chunks_; }
  /// Likewise their labels; `labels` has count * bytes_per_sample bytes.
  void read_labels(const SplitEntry& split, std::int64_t first_row, std::int64_t count,
                   std::span<std::byte> labels) const;
  /// Likewise their checksums; `checksums` has count entries.
  void read_checksums(const SplitEntry& split, std::int64_t first_row, std::int64_t count,
                      std::span<std::uint64_t> checksums) const;
  /// The checksums of rows [first_row, first_row + count).
  std::vector<std::uint64_t> row_checksums(const SplitEntry& split, std::int64_t first_row, std::int64_t count) const;
  /// Compares rows that were read with their checksums. Throws FormatError naming the first sample that is damaged.
  void check_samples(const SplitEntry& split, std::int64_t first_row, std::int64_t count,
                     std::span<const std::byte> codes, std::span<const std::byte> labels) const;

  /// Throws the FormatError that says that sample `row` does not match its checksum.
  [[noreturn]] void fail_sample(const SplitEntry& split, std::int64_t row) const;

  /// Throws IoError if the file's length, time of change or header is no longer what it was when it was opened. To be
  /// called after reading. (Of a file that was replaced by another of its name, the old one is still read, unchanged.)
  void ensure_unchanged() const;

 private:
  /// Throws FormatError if the names of `split` do not match their hashes; reads them once.
  void ensure_names(const SplitEntry& split) const;
  [[noreturn]] void fail(const std::string& where, const std::string& problem) const;

  File file_;
  std::int64_t modified_ns_ = 0;
  Header header_;
  Index index_;
  ChunkReader chunks_;
  mutable std::mutex names_mutex_;
  mutable std::set<std::string> splits_with_checked_names_;
};

/// Throws InvalidArgument unless rows [first_row, first_row + count) are in the split, and `given_bytes` is what
/// they take.
void check_rows(const SplitEntry& split, std::int64_t first_row, std::int64_t count, std::size_t given_bytes,
                std::int64_t bytes_per_row);

}  // namespace octavo::dataset_file
