// Archives for tests, made with libarchive.
#pragma once

#include <archive.h>
#include <archive_entry.h>
#include <zlib.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace octavo::test {

enum class ArchiveKind { tar, tar_gz, zip };

enum class MadeLink { none, hard, symbolic };

/// A file, a folder if the name ends in a slash or, with the target as its text, a link.
struct MadeEntry {
  std::string name;
  std::string text;
  MadeLink link = MadeLink::none;
};

/// Writes an archive. With `encryption`, "traditional" or "aes256", the files of a zip archive are encrypted.
inline void write_entries(const std::filesystem::path& path, ArchiveKind kind, const std::vector<MadeEntry>& entries,
                          const std::string& encryption = "") {
  ::archive* writer = archive_write_new();
  const auto check = [&](int status) {
    if (status != ARCHIVE_OK) throw std::runtime_error(archive_error_string(writer));
  };
  if (kind == ArchiveKind::zip) {
    archive_write_set_format_zip(writer);
  } else {
    archive_write_set_format_pax_restricted(writer);
    if (kind == ArchiveKind::tar_gz) archive_write_add_filter_gzip(writer);
  }
  if (!encryption.empty()) {
    check(archive_write_set_format_option(writer, "zip", "encryption", encryption.c_str()));
    check(archive_write_set_passphrase(writer, "secret"));
  }
  std::filesystem::create_directories(path.parent_path());
  check(archive_write_open_filename(writer, path.c_str()));
  for (const auto& [name, text, link] : entries) {
    const bool is_file = link == MadeLink::none;
    archive_entry* entry = archive_entry_new();
    archive_entry_set_pathname(entry, name.c_str());
    archive_entry_set_size(entry, is_file ? static_cast<la_int64_t>(text.size()) : 0);
    const bool is_folder = name.ends_with('/');
    archive_entry_set_filetype(entry, link == MadeLink::symbolic ? AE_IFLNK : is_folder ? AE_IFDIR : AE_IFREG);
    archive_entry_set_perm(entry, is_folder ? 0755 : 0644);
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

/// Writes a zip archive of stored files and symbolic links whose names, any bytes, are marked as UTF-8. libarchive
/// could not write them in the C locale.
inline void write_flagged_zip(const std::filesystem::path& path, const std::vector<MadeEntry>& entries) {
  const auto number = [](std::uint64_t value, int byte_count) {
    std::string bytes;
    for (int i = 0; i < byte_count; ++i) bytes += static_cast<char>(value >> 8 * i & 0xFF);
    return bytes;
  };
  std::string files, list;
  for (const auto& [name, text, link] : entries) {
    const auto checksum = ::crc32(0, reinterpret_cast<const Bytef*>(text.data()), static_cast<uInt>(text.size()));
    // Version 2.0, the flag, stored, no time.
    const std::string common = number(20, 2) + number(0x0800, 2) + number(0, 6) + number(checksum, 4) +
                               number(text.size(), 4) + number(text.size(), 4) + number(name.size(), 2) + number(0, 2);
    const std::uint64_t mode = link == MadeLink::symbolic ? 0120777 : 0100644;
    list += "PK\1\2" + number(3 << 8 | 20, 2) + common + number(0, 6) + number(mode << 16, 4) +
            number(files.size(), 4) + name;
    files += "PK\3\4" + common + name + text;
  }
  const std::string end = "PK\5\6" + number(0, 4) + number(entries.size(), 2) + number(entries.size(), 2) +
                          number(list.size(), 4) + number(files.size(), 4) + number(0, 2);
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << files << list << end;
}

/// Unpacks an archive into a folder with libarchive, which follows links as `tar` does.
inline void unpack_archive(const std::filesystem::path& path, const std::filesystem::path& folder) {
  ::archive* reader = archive_read_new();
  archive_read_support_format_all(reader);
  archive_read_open_filename(reader, path.c_str(), 10240);
  std::filesystem::create_directories(folder);
  archive_entry* entry = nullptr;
  while (archive_read_next_header(reader, &entry) == ARCHIVE_OK) {
    archive_entry_set_pathname(entry, (folder / archive_entry_pathname(entry)).c_str());
    if (const char* const target = archive_entry_hardlink(entry)) {
      archive_entry_set_hardlink(entry, (folder / target).c_str());
    }
    archive_read_extract(reader, entry, ARCHIVE_EXTRACT_UNLINK);
  }
  archive_read_free(reader);
}

}  // namespace octavo::test
