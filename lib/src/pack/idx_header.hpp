// The header of an IDX file: what its numbers are and how many there are along each axis.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pack/byte_stream.hpp"

namespace octavo::sources {

/// An IDX header: bytes 0, 0, type, number of axes; then each axis as a big-endian 32-bit number.
struct IdxHeader {
  std::uint8_t type = 0;
  std::vector<std::int64_t> axes;

  /// Bytes of the header itself.
  std::int64_t length() const { return 4 + 4 * static_cast<std::int64_t>(axes.size()); }
};

/// The IDX type of unsigned bytes, the only one that is read.
inline constexpr std::uint8_t kIdxUnsignedByte = 0x08;

/// Whether these first four bytes of a file, or of what is inflated from it, are those of an IDX file.
bool is_idx_magic(std::span<const std::byte> first_four);

/// Reads the header at the start of `stream`. Throws FormatError if it is no IDX header of unsigned bytes, if a size
/// is zero, or if the file is too short to hold what it counts; nothing is allocated on its word.
IdxHeader read_idx_header(ByteStream& stream);

/// Bytes that follow the header: the product of the axes.
std::int64_t idx_data_bytes(const IdxHeader& header);

}  // namespace octavo::sources
