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

/// Writes an archive of files, given by name and contents.
inline void write_archive(const std::filesystem::path& path, ArchiveKind kind,
                          const std::vector<std::pair<std::string, std::string>>& files) {
  ::archive* writer = archive_write_new();
  if (kind == ArchiveKind::zip) {
    archive_write_set_format_zip(writer);
  } else {
    archive_write_set_format_pax_restricted(writer);
    if (kind == ArchiveKind::tar_gz) archive_write_add_filter_gzip(writer);
  }
  std::filesystem::create_directories(path.parent_path());
  archive_write_open_filename(writer, path.c_str());
  for (const auto& [name, bytes] : files) {
    archive_entry* entry = archive_entry_new();
    archive_entry_set_pathname(entry, name.c_str());
    archive_entry_set_size(entry, static_cast<la_int64_t>(bytes.size()));
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_perm(entry, 0644);
    archive_write_header(writer, entry);
    archive_write_data(writer, bytes.data(), bytes.size());
    archive_entry_free(entry);
  }
  archive_write_close(writer);
  archive_write_free(writer);
}

}  // namespace octavo::test
