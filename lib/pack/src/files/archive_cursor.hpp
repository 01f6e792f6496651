// One pass over a tar or zip archive, by libarchive.
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

/// What the archive says of the entry that the cursor stands on.
struct ArchiveEntry {
  std::string name;
  std::int64_t bytes = 0;  ///< -1 if it does not tell
  bool is_file = false;    ///< a regular file, not a folder, a link or a device
};

/// Goes from entry to entry; not back. Throws FormatError, naming the archive, if it is damaged; problem() is then
/// what is wrong.
class ArchiveCursor {
 public:
  explicit ArchiveCursor(const std::filesystem::path& path);

  /// Goes to the next entry; false if there is none.
  bool advance(ArchiveEntry& entry);
  /// How many entries advance() has come to.
  std::int64_t passed() const { return passed_; }
  /// Fills some of `out` with the next bytes of the entry; 0 at its end, where its checksum has been compared.
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

/// Whether libarchive takes the file for an archive.
bool begins_as_archive(const std::filesystem::path& path);

}  // namespace octavo::files
