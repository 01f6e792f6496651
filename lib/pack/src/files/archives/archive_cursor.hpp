// One pass over a tar or zip archive, with libarchive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "files/archives/decompressed_bytes.hpp"
#include "files/name_locale.hpp"
#include "support/file.hpp"

struct archive_entry;

namespace octavo::files {

/// What an entry of an archive is.
enum class EntryKind { file, folder, symlink, hard_link, other };

/// The archive's description of the current entry.
struct ArchiveEntry {
  std::string name;  ///< its bytes in the archive
  EntryKind kind = EntryKind::other;
  std::int64_t bytes = 0;  ///< of a file; -1 if unknown
  std::string target;      ///< of a link
  bool is_encrypted = false;
};

/// A forward-only cursor over entries. Several tar archives in one file are one archive, as with `tar --ignore-zeros`.
/// Throws FormatError, naming the archive, if it is damaged; problem() then returns the reason.
class ArchiveCursor {
 public:
  explicit ArchiveCursor(const std::filesystem::path& path);
  ArchiveCursor(const ArchiveCursor&) = delete;
  ArchiveCursor& operator=(const ArchiveCursor&) = delete;

  /// Advances to the next entry; false if there is none.
  bool advance(ArchiveEntry& entry);
  /// The number of entries that advance() has reached.
  std::int64_t passed() const { return passed_; }
  /// How many of them follow the end of an archive in the same file.
  std::int64_t passed_after_end() const { return passed_after_end_; }
  /// What follows the archive, when advance() has returned false: "" for zeros or nothing, else the reason for which it
  /// cannot be read.
  const std::string& problem_after_end() const { return problem_after_end_; }
  /// Fills some of `out` with the next bytes of the entry; 0 at its end, after checking its checksum.
  std::size_t read_some(std::span<std::byte> out);
  /// Whether an entry so far, or the list of entries, is encrypted.
  bool is_encrypted() const;
  /// "Truncated tar archive"
  std::string problem() const { return problem_of(reader_.get()); }

 private:
  [[noreturn]] void fail() const;
  bool open_as(void (*expect_format)(struct ::archive*));
  void open_decompressed();
  std::string name_of(struct ::archive_entry* entry) const;
  bool is_tar() const;
  void watch_for_end();
  bool was_end() const;
  void look_after_end();

  File file_;
  std::unique_ptr<DecompressedBytes> decompressed_;  ///< null: the file is not compressed
  ArchiveHandle reader_;
  NameLocale names_ = NameLocale::bytes;
  bool is_open_ = false;
  std::int64_t header_at_ = 0;  ///< where the next header was looked for
  std::int64_t passed_ = 0;
  std::int64_t passed_after_end_ = 0;
  bool is_after_end_ = false;
  std::string problem_after_end_;
};

/// Whether libarchive recognizes the file as an archive. Throws IoError.
bool begins_as_archive(const std::filesystem::path& path);

}  // namespace octavo::files
