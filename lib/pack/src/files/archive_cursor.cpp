#include "files/archive_cursor.hpp"

#include <archive.h>
#include <archive_entry.h>

#include <new>

#include <octavo/errors.hpp>

namespace octavo::files {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{256} << 10;

/// Names are bytes. If the locale cannot represent the archive's encoding, the UTF-8 form is available.
std::string name_of(archive_entry* entry) {
  const char* name = archive_entry_pathname(entry);
  if (name == nullptr) name = archive_entry_pathname_utf8(entry);
  return name == nullptr ? "" : name;
}

/// The supported formats. Excludes filters that start a program. Zip is read only by its directory, which is at the
/// end: a truncated zip file is refused, not read partially.
void choose_formats(::archive* reader) {
  archive_read_support_format_tar(reader);
  archive_read_support_format_zip_seekable(reader);
  archive_read_support_filter_gzip(reader);
  archive_read_support_filter_bzip2(reader);
  archive_read_support_filter_xz(reader);
  archive_read_support_filter_zstd(reader);
}

}  // namespace

void ArchiveCursor::Close::operator()(struct ::archive* reader) const { archive_read_free(reader); }

ArchiveCursor::ArchiveCursor(const std::filesystem::path& path)
    : file_(File::open_for_reading(path)), reader_(archive_read_new()) {
  if (!reader_) throw std::bad_alloc();
  choose_formats(reader_.get());
  if (archive_read_open_fd(reader_.get(), file_.descriptor(), kBlockBytes) != ARCHIVE_OK) fail();
}

std::string ArchiveCursor::problem() const {
  const char* const text = archive_error_string(reader_.get());
  std::string problem = text == nullptr ? "it is damaged" : text;
  // Some libarchive messages end with a newline.
  std::erase_if(problem, [](unsigned char c) { return c < 0x20; });
  return problem;
}

void ArchiveCursor::fail() const {
  throw FormatError("read the archive " + quoted(file_.path()) + ": " + problem() + "; get the file again");
}

bool ArchiveCursor::advance(ArchiveEntry& entry) {
  archive_entry* header = nullptr;
  const int status = archive_read_next_header(reader_.get(), &header);
  if (status == ARCHIVE_EOF) return false;
  // A warning is about a name that the locale cannot represent; the name is used unchanged.
  if (status != ARCHIVE_OK && status != ARCHIVE_WARN) fail();
  ++passed_;
  entry.name = name_of(header);
  entry.is_file = archive_entry_filetype(header) == AE_IFREG && archive_entry_hardlink(header) == nullptr;
  entry.bytes = archive_entry_size_is_set(header) != 0 ? archive_entry_size(header) : -1;
  return true;
}

std::size_t ArchiveCursor::read_some(std::span<std::byte> out) {
  const la_ssize_t count = archive_read_data(reader_.get(), out.data(), out.size());
  if (count < 0) fail();  // also for a warning: it reports a checksum mismatch
  return static_cast<std::size_t>(count);
}

bool begins_as_archive(const std::filesystem::path& path) {
  const File file = File::open_for_reading(path);
  const std::unique_ptr<struct ::archive, decltype(&archive_read_free)> reader(archive_read_new(), &archive_read_free);
  if (!reader) throw std::bad_alloc();
  choose_formats(reader.get());
  if (archive_read_open_fd(reader.get(), file.descriptor(), kBlockBytes) != ARCHIVE_OK) return false;
  archive_entry* header = nullptr;
  const int status = archive_read_next_header(reader.get(), &header);
  return status == ARCHIVE_OK || status == ARCHIVE_WARN;
}

}  // namespace octavo::files
