#include "files/archives/archive_cursor.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <new>

#include <octavo/errors.hpp>

#include "files/archives/zip_name.hpp"
#include "files/unicode.hpp"

namespace octavo::files {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{256} << 10;
constexpr std::size_t kTarBlockBytes = 512;

bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](unsigned char c) { return c < 0x80; });
}

/// The kind of an entry. A hard link may come with the bytes of the file, which is then as good as a file of its own.
EntryKind kind_of(archive_entry* entry) {
  const bool is_hard_link = archive_entry_hardlink(entry) != nullptr;
  const bool has_bytes = archive_entry_size_is_set(entry) != 0 && archive_entry_size(entry) > 0;
  if (is_hard_link && !has_bytes) return EntryKind::hard_link;
  switch (archive_entry_filetype(entry)) {
    case AE_IFREG:
      return EntryKind::file;
    case AE_IFDIR:
      return EntryKind::folder;
    case AE_IFLNK:
      return EntryKind::symlink;
    default:
      return EntryKind::other;
  }
}

std::string target_of(archive_entry* entry, EntryKind kind) {
  const char* target = nullptr;
  if (kind == EntryKind::symlink) target = archive_entry_symlink(entry);
  if (kind == EntryKind::hard_link) target = archive_entry_hardlink(entry);
  return target == nullptr ? "" : target;  // a link without a target leads nowhere, which is noted
}

void expect_tar(::archive* reader) {
  archive_read_support_format_tar(reader);
  archive_read_set_format_option(reader, "tar", "read_concatenated_archives", "1");
}

/// Zip is read only by its directory, which is at the end: a truncated zip file is refused, not read partially.
void expect_zip(::archive* reader) { archive_read_support_format_zip_seekable(reader); }

/// For libarchive: the next block of decompressed bytes.
la_ssize_t pass_on(::archive* reader, void* bytes, const void** block) {
  try {
    const auto next = static_cast<DecompressedBytes*>(bytes)->next();
    *block = next.data();
    return static_cast<la_ssize_t>(next.size());
  } catch (const FormatError& error) {
    archive_set_error(reader, EILSEQ, "%s", error.what());
    return -1;
  }
}

}  // namespace

ArchiveCursor::ArchiveCursor(const std::filesystem::path& path) : file_(File::open_for_reading(path)) {
  // The format is known only after the first name has been converted, which depends on it.
  if (!open_as(&expect_tar)) {
    names_ = NameLocale::utf8;
    if (!open_as(&expect_zip)) fail();
  }
  if (archive_filter_code(reader_.get(), 0) != ARCHIVE_FILTER_NONE) open_decompressed();
  is_open_ = true;
}

bool ArchiveCursor::open_as(void (*expect_format)(::archive*)) {
  reader_ = new_archive_reader();
  expect_format(reader_.get());
  if (::lseek(file_.descriptor(), 0, SEEK_SET) != 0) throw_io_error("read", file_.path(), errno);
  return archive_read_open_fd(reader_.get(), file_.descriptor(), kBlockBytes) == ARCHIVE_OK;
}

void ArchiveCursor::open_decompressed() {
  try {
    decompressed_ = std::make_unique<DecompressedBytes>(file_);
  } catch (const FormatError& error) {
    throw FormatError("read the archive " + quoted(file_.path()) + ": " + error.what() + "; get the file again");
  }
  reader_ = ArchiveHandle(archive_read_new());
  if (!reader_) throw std::bad_alloc();
  expect_tar(reader_.get());
  if (archive_read_open(reader_.get(), decompressed_.get(), nullptr, &pass_on, nullptr) != ARCHIVE_OK) fail();
}

void ArchiveCursor::fail() const {
  const std::string reading = "read the archive " + quoted(file_.path()) + ": ";
  if (is_encrypted()) {
    throw FormatError(reading + "it is encrypted; unpack it with its password and pack the folder");
  }
  throw FormatError(reading + problem() + "; get the file again");
}

bool ArchiveCursor::is_encrypted() const {
  // Before it has found a format, libarchive must not be asked: it would follow a wild pointer.
  return is_open_ && archive_read_has_encrypted_entries(reader_.get()) > 0;
}

bool ArchiveCursor::is_tar() const {
  return (archive_format(reader_.get()) & ARCHIVE_FORMAT_BASE_MASK) == ARCHIVE_FORMAT_TAR;
}

/// Notes where the next header is looked for: at the end of a tar archive, there are zeros instead.
void ArchiveCursor::watch_for_end() {
  if (passed_ > 0 && archive_read_data_skip(reader_.get()) < ARCHIVE_WARN) fail();
  header_at_ = archive_filter_bytes(reader_.get(), 0);
  if (decompressed_) decompressed_->watch(header_at_);
}

/// Whether there were zeros.
bool ArchiveCursor::was_end() const {
  if (!is_tar()) return false;
  if (decompressed_) return decompressed_->was_zero();
  std::array<std::byte, kTarBlockBytes> block;
  if (file_.read_some_at(header_at_, block) < block.size()) return false;
  return std::ranges::all_of(block, [](std::byte byte) { return byte == std::byte{0}; });
}

/// Finds what follows the end of a tar archive, after which no header can be read. Zeros may be of any number.
void ArchiveCursor::look_after_end() {
  const bool are_zeros = decompressed_ ? decompressed_->ends_in_zeros() : has_only_zeros_from(file_, header_at_);
  if (!are_zeros) problem_after_end_ = problem();
}

/// The name, as stored. Of a name in a zip archive that is marked as UTF-8, libarchive has only the composed form, or
/// none if it is not valid, or if the system has no UTF-8 locale.
std::string ArchiveCursor::name_of(archive_entry* entry) const {
  const char* const found = archive_entry_pathname(entry);
  if (found != nullptr && (is_tar() || is_ascii(found))) return found;
  const auto stored = stored_zip_name(file_, archive_filter_bytes(reader_.get(), 0));
  if (stored && stored->find('\0') == std::string::npos && (found == nullptr || normalized(*stored) == found)) {
    return *stored;
  }
  if (found != nullptr) return found;
  throw FormatError("read the archive " + quoted(file_.path()) + ": the name of its entry " + std::to_string(passed_) +
                    " cannot be read (" + problem() + "); unpack it and pack the folder");
}

bool ArchiveCursor::advance(ArchiveEntry& entry) {
  watch_for_end();
  const ScopedLocale locale(names_);
  archive_entry* header = nullptr;
  const int status = archive_read_next_header(reader_.get(), &header);
  // A warning is about a name that the locale cannot represent; name_of() finds it.
  const bool is_entry = status == ARCHIVE_OK || status == ARCHIVE_WARN;
  if (!is_entry) {
    if (status != ARCHIVE_EOF && !was_end()) fail();
    if (status != ARCHIVE_EOF) look_after_end();
    if (decompressed_ && problem_after_end_.empty()) problem_after_end_ = decompressed_->problem_at_end();
    return false;
  }
  is_after_end_ = is_after_end_ || was_end();
  if (is_after_end_) ++passed_after_end_;
  ++passed_;
  entry.name = name_of(header);
  entry.kind = kind_of(header);
  entry.target = target_of(header, entry.kind);
  entry.bytes = archive_entry_size_is_set(header) != 0 ? archive_entry_size(header) : -1;
  entry.is_encrypted = archive_entry_is_encrypted(header) != 0;
  return true;
}

std::size_t ArchiveCursor::read_some(std::span<std::byte> out) {
  const la_ssize_t count = archive_read_data(reader_.get(), out.data(), out.size());
  if (count < 0) fail();  // also for a warning: it reports a checksum mismatch
  return static_cast<std::size_t>(count);
}

bool begins_as_archive(const std::filesystem::path& path) {
  std::unique_ptr<ArchiveCursor> cursor;
  try {
    cursor = std::make_unique<ArchiveCursor>(path);
    ArchiveEntry entry;
    return cursor->advance(entry);
  } catch (const FormatError&) {
    // To be refused for that, or for the name of its first entry.
    return cursor && (cursor->is_encrypted() || cursor->passed() > 0);
  }
}

}  // namespace octavo::files
