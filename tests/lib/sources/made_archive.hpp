// Archives for tests, made with libarchive.
#pragma once

#include <archive.h>
#include <archive_entry.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace octavo::test {

enum class ArchiveKind { tar, tar_gz, zip };

enum class MadeLink { none, hard, symbolic };

/// A file or, with the target as its text, a link.
struct MadeEntry {
  std::string name;
  std::string text;
  MadeLink link = MadeLink::none;
};

/// Writes an archive.
inline void write_entries(const std::filesystem::path& path, ArchiveKind kind, const std::vector<MadeEntry>& entries) {
  ::archive* writer = archive_write_new();
  if (kind == ArchiveKind::zip) {
    archive_write_set_format_zip(writer);
  } else {
    archive_write_set_format_pax_restricted(writer);
    if (kind == ArchiveKind::tar_gz) archive_write_add_filter_gzip(writer);
  }
  std::filesystem::create_directories(path.parent_path());
  archive_write_open_filename(writer, path.c_str());
  for (const auto& [name, text, link] : entries) {
    const bool is_file = link == MadeLink::none;
    archive_entry* entry = archive_entry_new();
    archive_entry_set_pathname(entry, name.c_str());
    archive_entry_set_size(entry, is_file ? static_cast<la_int64_t>(text.size()) : 0);
    archive_entry_set_filetype(entry, link == MadeLink::symbolic ? AE_IFLNK : AE_IFREG);
    archive_entry_set_perm(entry, 0644);
    if (link == MadeLink::symbolic) archive_entry_set_symlink(entry, text.c_str());
    if (link == MadeLink::hard) archive_entry_set_hardlink(entry, text.c_str());
    archive_write_header(writer, entry);
    if (is_file) archive_write_data(writer, text.data(), text.size());
    archive_entry_free(entry);
  }
  archive_write_close(writer);
  archive_write_free(writer);
}

/// Writes an archive of files, given by name and contents.
inline void write_archive(const std::filesystem::path& path, ArchiveKind kind,
                          const std::vector<std::pair<std::string, std::string>>& files) {
  std::vector<MadeEntry> entries;
  for (const auto& [name, text] : files) entries.push_back({name, text});
  write_entries(path, kind, entries);
}

}  // namespace octavo::test
