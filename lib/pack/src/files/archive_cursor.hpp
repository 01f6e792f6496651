// One pass over a tar or zip archive, with libarchive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "support/file.hpp"

struct archive;

namespace octavo::files {

/// The archive's description of the current entry.
struct ArchiveEntry {
  std::string name;
  std::int64_t bytes = 0;  ///< -1 if unknown
  bool is_file = false;    ///< a regular file, not a folder, a link or a device
};

/// A forward-only cursor over entries. Throws FormatError, naming the archive, if it is damaged; problem() then returns
/// the reason.
class ArchiveCursor {
 public:
  explicit ArchiveCursor(const std::filesystem::path& path);

  /// Advances to the next entry; false if there is none.
  bool advance(ArchiveEntry& entry);
  /// The number of entries that advance() has reached.
  std::int64_t passed() const { return passed_; }
  /// Fills some of `out` with the next bytes of the entry; 0 at its end, after checking its checksum.
  std::size_t read_some(std::span<std::byte> out);
  /// "Truncated tar archive"
  std::string problem() const;

 private:
  struct Close {
    void operator()(struct ::archive* reader) const;
  };
  [[noreturn]] void fail() const;

  File file_;
  std::unique_ptr<struct ::archive, Close> reader_;
  std::int64_t passed_ = 0;
};

/// Whether libarchive recognizes the file as an archive.
bool begins_as_archive(const std::filesystem::path& path);

}  // namespace octavo::files
