#include "files/archives/decompressed_bytes.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <new>

#include <octavo/errors.hpp>

namespace octavo::files {
namespace {

constexpr std::size_t kFileBlockBytes = std::size_t{256} << 10;
constexpr std::size_t kPassedBlockBytes = std::size_t{64} << 10;
constexpr std::size_t kHeaderBytes = 512;

bool are_zeros(std::span<const std::byte> bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](std::byte byte) { return byte == std::byte{0}; });
}

}  // namespace

void CloseArchive::operator()(struct ::archive* reader) const { archive_read_free(reader); }

ArchiveHandle new_archive_reader() {
  ArchiveHandle reader(archive_read_new());
  if (!reader) throw std::bad_alloc();
  archive_read_support_filter_gzip(reader.get());
  archive_read_support_filter_bzip2(reader.get());
  archive_read_support_filter_xz(reader.get());
  archive_read_support_filter_zstd(reader.get());
  return reader;
}

std::string problem_of(struct ::archive* reader) {
  const char* const text = archive_error_string(reader);
  std::string problem = text == nullptr ? "it is damaged" : text;
  // Some libarchive messages end with a newline.
  std::erase_if(problem, [](unsigned char c) { return c < 0x20; });
  return problem;
}

bool has_only_zeros_from(const File& file, std::int64_t offset) {
  std::vector<std::byte> bytes(kFileBlockBytes);
  for (std::size_t count = bytes.size(); count == bytes.size(); offset += static_cast<std::int64_t>(count)) {
    count = file.read_some_at(offset, bytes);
    if (!are_zeros(std::span(bytes).first(count))) return false;
  }
  return true;
}

DecompressedBytes::DecompressedBytes(const File& file)
    : file_(file), reader_(new_archive_reader()), block_(kPassedBlockBytes) {
  if (::lseek(file.descriptor(), 0, SEEK_SET) != 0) throw_io_error("read", file.path(), errno);
  archive_read_support_format_raw(reader_.get());
  archive_entry* entry = nullptr;
  if (archive_read_open_fd(reader_.get(), file.descriptor(), kFileBlockBytes) != ARCHIVE_OK ||
      archive_read_next_header(reader_.get(), &entry) < ARCHIVE_WARN) {
    throw FormatError(problem_of(reader_.get()));
  }
}

std::span<const std::byte> DecompressedBytes::next() {
  if (!problem_.empty()) throw FormatError(problem_);
  block_start_ += static_cast<std::int64_t>(filled_);
  filled_ = 0;
  while (filled_ < block_.size()) {
    const la_ssize_t count = archive_read_data(reader_.get(), block_.data() + filled_, block_.size() - filled_);
    if (count < 0) problem_ = problem_of(reader_.get());
    if (count <= 0) break;
    filled_ += static_cast<std::size_t>(count);
  }
  if (filled_ == 0 && !problem_.empty()) throw FormatError(problem_);
  const auto block = std::span<const std::byte>(block_).first(filled_);
  const std::size_t rest = filled_ % kHeaderBytes;
  if (rest > 0) ends_in_zeros_ = problem_.empty() && are_zeros(block.last(rest));
  answer();
  return block;
}

void DecompressedBytes::watch(std::int64_t offset) {
  watched_ = offset;
  was_zero_ = false;
  answer();
}

void DecompressedBytes::answer() {
  const std::int64_t at = watched_ - block_start_;
  if (watched_ < 0 || at < 0 || at + static_cast<std::int64_t>(kHeaderBytes) > static_cast<std::int64_t>(filled_)) {
    return;
  }
  was_zero_ = are_zeros(std::span(block_).subspan(static_cast<std::size_t>(at), kHeaderBytes));
  watched_ = -1;
}

std::string DecompressedBytes::problem_at_end() const {
  const std::int64_t used = archive_filter_bytes(reader_.get(), -1);
  return used < 0 || has_only_zeros_from(file_, used) ? "" : "other bytes follow the compressed data";
}

}  // namespace octavo::files
