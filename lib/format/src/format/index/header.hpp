// The header of a dataset file: the first 4096 bytes, HDF5's user block (docs/format.md, "Header").
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include <octavo/byte_source.hpp>

namespace octavo::dataset_file {

inline constexpr std::int64_t kHeaderBytes = 4096;

struct Header {
  std::int64_t version = 0;
  std::int64_t file_length = 0;
  std::int64_t index_offset = 0;
  std::int64_t index_length = 0;
  std::uint64_t index_hash = 0;
  std::uint64_t metadata_hash = 0;

  bool operator==(const Header&) const = default;
};

/// Whether a file with these first bytes is, or was, a dataset file.
bool begins_as_packed_file(std::span<const std::byte> bytes);

/// Encodes `header` as 4096 bytes, with their own hash at the end.
std::array<std::byte, kHeaderBytes> encode_header(const Header& header);

/// Decodes the header in `bytes`, of the file `path`. Throws FormatError (the message does not begin with the file) if
/// the magic or the hash is wrong or the version is not supported. If the file was never packed, the message has the
/// command that packs it.
Header decode_header(std::span<const std::byte, kHeaderBytes> bytes, const std::filesystem::path& path = {});

/// Opens a file for reading. Throws IoError if that fails, for a folder with the command that packs it, for a URL with
/// what to do instead.
std::shared_ptr<const ByteSource> open_dataset_file(const std::string& location);

/// Reads and decodes the header of `file` and checks the file's length. Throws like decode_header().
Header read_header(const ByteSource& file);

}  // namespace octavo::dataset_file
