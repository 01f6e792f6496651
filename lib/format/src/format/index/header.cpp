#include "format/index/header.hpp"

#include <bit>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include <octavo/errors.hpp>
#include <octavo/text.hpp>
#include <octavo/version.hpp>

#include "format/index/superblock.hpp"
#include "format/limits.hpp"
#include "support/file.hpp"
#include "support/hash.hpp"

namespace octavo::dataset_file {
namespace {

static_assert(std::endian::native == std::endian::little, "the file format is little-endian, big-endian unsupported");

constexpr char kMagic[] = "OCTAVO\r\n";
constexpr char kHdf5Signature[] = "\x89HDF\r\n\x1a\n";
constexpr std::size_t kMagicBytes = 8;
constexpr std::size_t kHashOffset = kHeaderBytes - 8;
constexpr const char* kUseReindex = "if another program changed it, rebuild it with `octavo reindex`";

bool begins_with(std::span<const std::byte> bytes, const char* magic) {
  return bytes.size() >= kMagicBytes && std::memcmp(bytes.data(), magic, kMagicBytes) == 0;
}

std::uint64_t word_at(std::span<const std::byte> bytes, std::size_t offset) {
  std::uint64_t word;
  std::memcpy(&word, bytes.data() + offset, sizeof word);
  return word;
}

/// Reads a header field that holds a count. Rejects values that no file can have.
std::int64_t count_at(std::span<const std::byte> bytes, std::size_t offset, const char* field) {
  const std::uint64_t word = word_at(bytes, offset);
  if (word > static_cast<std::uint64_t>(INT64_MAX)) {
    throw FormatError(std::string("its header has an invalid ") + field + ": " + std::to_string(word));
  }
  return static_cast<std::int64_t>(word);
}

/// "photos" for "photos", "photos.zip" and "photos.tar.gz". The names of folders have no extension.
std::filesystem::path without_extension(std::filesystem::path name, bool is_folder) {
  if (is_folder) return name;
  name = name.stem();
  return name.has_stem() && name.extension() == ".tar" ? name.stem() : name;
}

/// The dataset file for what is at `path`: "photos.h5" in the current folder or, if that is in the packed folder, as
/// for "." and "..", next to the packed folder. The root has no name.
std::string packed_name(const std::filesystem::path& path) {
  namespace fs = std::filesystem;
  std::error_code unknown;
  const fs::path whole = fs::absolute(path / "", unknown).lexically_normal().parent_path();
  if (whole.filename().empty()) return "FILE.h5";
  const bool is_folder = fs::is_directory(path, unknown);
  const std::string name = without_extension(whole.filename(), is_folder).string() + ".h5";
  const fs::path below = fs::current_path(unknown).lexically_relative(whole);
  const bool is_inside = is_folder && !below.empty() && *below.begin() != "..";
  return is_inside ? (path / ".." / name).lexically_normal().string() : name;
}

/// "`octavo pack photos -o photos.h5`".
std::string pack_command(const std::filesystem::path& path) {
  const auto word = [](const std::string& text) {
    return text.find_first_of(" '()&;$*?") == std::string::npos ? text : '"' + text + '"';
  };
  // "photos" for "photos/", but "/" for the root.
  const std::filesystem::path source = path.has_filename() ? path : path.parent_path();
  return "`octavo pack " + word(source.string()) + " -o " + word(packed_name(path)) + "`";
}

void check_magic(std::span<const std::byte> bytes, const std::filesystem::path& path) {
  if (begins_with(bytes, kMagic)) return;
  if (begins_with(bytes, kHdf5Signature)) {
    throw FormatError(std::string("an HDF5 file without Octavo's header; pack it with `octavo pack`, or ") +
                      kUseReindex);
  }
  constexpr const char* kOther = "not an Octavo file (unexpected first bytes); ";
  // The name of a dataset file: packing another kind of file would not help.
  const bool is_named_like_ours = path.extension() == ".h5" || bytes.empty();
  throw FormatError(is_named_like_ours ? std::string(kOther) + "get the file again, or pack the data with `octavo pack`"
                                       : kOther + ("pack it first: " + pack_command(path)));
}

}  // namespace

bool begins_as_packed_file(std::span<const std::byte> bytes) { return begins_with(bytes, kMagic); }

std::array<std::byte, kHeaderBytes> encode_header(const Header& header) {
  std::array<std::byte, kHeaderBytes> bytes{};
  const std::uint64_t words[] = {static_cast<std::uint64_t>(header.version),
                                 static_cast<std::uint64_t>(header.file_length),
                                 static_cast<std::uint64_t>(header.index_offset),
                                 static_cast<std::uint64_t>(header.index_length),
                                 header.index_hash,
                                 header.metadata_hash};
  std::memcpy(bytes.data(), kMagic, kMagicBytes);
  std::memcpy(bytes.data() + kMagicBytes, words, sizeof words);
  const std::uint64_t hash = hash_bytes(std::span(bytes).first(kHashOffset));
  std::memcpy(bytes.data() + kHashOffset, &hash, sizeof hash);
  return bytes;
}

Header decode_header(std::span<const std::byte, kHeaderBytes> bytes, const std::filesystem::path& path) {
  check_magic(bytes, path);
  if (hash_bytes(bytes.first(kHashOffset)) != word_at(bytes, kHashOffset)) {
    throw FormatError(std::string("its header is damaged (its hash does not match); get the file again, or ") +
                      kUseReindex);
  }
  Header header;
  header.version = count_at(bytes, 8, "format version");
  if (header.version < 1 || header.version > kFormatVersion) {
    throw FormatError("format version " + std::to_string(header.version) + ", but this build reads up to " +
                      std::to_string(kFormatVersion) + "; update Octavo, or pack the data again");
  }
  header.file_length = count_at(bytes, 16, "file length");
  header.index_offset = count_at(bytes, 24, "index offset");
  header.index_length = count_at(bytes, 32, "index length");
  header.index_hash = word_at(bytes, 40);
  header.metadata_hash = word_at(bytes, 48);
  return header;
}

std::shared_ptr<const ByteSource> open_dataset_file(const std::string& location) {
  if (location.find("://") != std::string::npos) {
    throw IoError("open " + quoted(location) +
                  ": a URL, but this opens files; use octavo::remote::open_dataset(), or download it first");
  }
  const std::filesystem::path path = location;
  if (std::error_code ignored; std::filesystem::is_directory(path, ignored)) {
    throw IoError("open " + quoted(path) +
                  ": a folder, not a dataset file; pack it first: " + printable(pack_command(path)));
  }
  return std::make_shared<const File>(File::open_for_reading(path));
}

Header read_header(const ByteSource& file) {
  std::array<std::byte, kHeaderBytes> bytes{};
  const std::int64_t length = file.length();
  const auto header_bytes = std::span(bytes).first(static_cast<std::size_t>(std::min(length, kHeaderBytes)));
  file.read_at(0, header_bytes);
  if (length < kHeaderBytes) {
    check_magic(header_bytes, file.name());
    throw FormatError("only " + std::to_string(length) +
                      " bytes, shorter than its header: it was truncated; get it again");
  }
  const Header header = decode_header(bytes, file.name());
  if (length != header.file_length) {
    const std::string lengths =
        std::to_string(length) + " bytes long, but it was packed with " + std::to_string(header.file_length);
    if (length < header.file_length && has_whole_hdf5_file(file)) {
      throw FormatError(lengths + ": another program has rewritten it; rebuild it with `octavo reindex`");
    }
    if (length < header.file_length) {
      throw FormatError(lengths +
                        ": it was truncated, so samples are missing; copy or download it again, or pack the "
                        "data again");
    }
    throw FormatError(lengths + ": something was appended; get it again, or " + kUseReindex);
  }
  return header;
}

}  // namespace octavo::dataset_file
