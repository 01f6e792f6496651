// The header of a dataset file: the first 4096 bytes, HDF5's user block (docs/format.md, "Header").
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "support/file.hpp"

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

/// Whether a file that begins so is, or was, a dataset file.
bool begins_as_packed_file(std::span<const std::byte> bytes);

/// The 4096 bytes of `header`, with their own hash at the end.
std::array<std::byte, kHeaderBytes> encode_header(const Header& header);

/// The header in `bytes`. Throws FormatError with the reason (which names no file) if magic, hash or version are not
/// what this build reads.
Header decode_header(std::span<const std::byte, kHeaderBytes> bytes);

/// Reads and decodes the header of `file`, and compares it with the file's real length. Throws like decode_header().
Header read_header(const File& file);

}  // namespace octavo::dataset_file
