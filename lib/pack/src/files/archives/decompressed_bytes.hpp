// The bytes of a compressed archive file, decompressed by libarchive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "support/file.hpp"

struct archive;

namespace octavo::files {

struct CloseArchive {
  void operator()(struct ::archive* reader) const;
};
using ArchiveHandle = std::unique_ptr<struct ::archive, CloseArchive>;

/// A new libarchive reader that accepts the supported compressions. Excludes filters that start a program. Throws
/// std::bad_alloc.
ArchiveHandle new_archive_reader();
/// The reason for which `reader` failed: "Truncated tar archive".
std::string problem_of(struct ::archive* reader);
/// Whether all bytes of `file` from `offset` on are zeros. Throws IoError.
bool has_only_zeros_from(const File& file, std::int64_t offset);

/// Passes on the bytes from front to back, and shows those at which the archive format looks for a header: libarchive's
/// own decompression does not, so that the end of an archive in the middle could not be noticed.
class DecompressedBytes {
 public:
  /// Starts at the beginning of `file`, which must stay open. Throws FormatError with the reason only.
  explicit DecompressedBytes(const File& file);

  /// The next block, valid until the next call; empty at the end. All blocks but the last are multiples of 512 bytes.
  /// Throws FormatError with the reason only.
  std::span<const std::byte> next();
  /// Asks whether the 512 bytes at `offset`, in the current block or right after it, are zeros.
  void watch(std::int64_t offset);
  /// The answer to watch(), once next() has passed these bytes; false before.
  bool was_zero() const { return was_zero_; }
  /// What follows the compressed data, at the end: "", or a description of bytes that are not zeros.
  std::string problem_at_end() const;
  /// Whether the last block is not a multiple of 512 bytes, and the bytes after the last multiple are zeros.
  bool ends_in_zeros() const { return ends_in_zeros_; }

 private:
  void answer();

  const File& file_;
  ArchiveHandle reader_;
  std::vector<std::byte> block_;
  std::size_t filled_ = 0;
  std::int64_t block_start_ = 0;
  std::int64_t watched_ = -1;
  bool was_zero_ = false;
  bool ends_in_zeros_ = false;
  std::string problem_;  ///< of the read that ended the current block early
};

}  // namespace octavo::files
