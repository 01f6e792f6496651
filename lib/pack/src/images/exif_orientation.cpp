#include "images/exif_orientation.hpp"

#include <cstdint>
#include <cstring>

#include "images/byte_view.hpp"

namespace octavo::images {
namespace {

// EXIF 2.32, section 4.5.2: the structure of TIFF 6.0, section 2, with offsets from the byte order mark.
//   "II" or "MM" | 42 u16 | offset of the first directory u32
//   directory:     count u16 | entries
//   entry:         tag u16 | type u16 | count u32 | value, or its offset if it has more than four bytes
constexpr int kExifVersion = 42, kExifOrientation = 274;
constexpr std::size_t kExifEntryBytes = 12;

/// The types of integers; values are part of the format.
enum ExifType : int {
  kExifByte = 1,
  kExifShort = 3,
  kExifLong = 4,
  kExifSignedByte = 6,
  kExifSignedShort = 8,
  kExifSignedLong = 9
};

/// Bytes of a value of an integer type; 0 for other types. The standard demands kExifShort, but some programs write
/// others.
std::size_t exif_integer_bytes(int type) {
  if (type == kExifByte || type == kExifSignedByte) return 1;
  if (type == kExifShort || type == kExifSignedShort) return 2;
  return type == kExifLong || type == kExifSignedLong ? 4 : 0;
}

std::optional<ByteOrder> exif_byte_order(std::span<const std::byte> block) {
  if (block.size() < 2 || block[0] != block[1]) return std::nullopt;
  if (block[0] == std::byte{'I'}) return ByteOrder::little;
  return block[0] == std::byte{'M'} ? std::optional(ByteOrder::big) : std::nullopt;
}

/// The first value of an entry; nullopt if it has none, or not an integer, or if its values are not in the block.
/// Throws CutShort if the entry is not.
std::optional<std::uint32_t> exif_value(const ByteView& block, std::size_t entry) {
  const std::size_t bytes = exif_integer_bytes(block.u16(entry + 2));
  const std::uint64_t total_bytes = bytes * std::uint64_t{block.u32(entry + 4)};
  if (total_bytes == 0) return std::nullopt;
  const std::size_t at = total_bytes <= 4 ? entry + 8 : block.u32(entry + 8);
  if (!block.has(at, total_bytes)) return std::nullopt;
  return bytes == 1 ? block.u8(at) : bytes == 2 ? block.u16(at) : block.u32(at);
}

/// Throws CutShort.
std::optional<int> orientation_in(const ByteView& block) {
  if (block.u16(2) != kExifVersion) return std::nullopt;
  const std::size_t directory = block.u32(4);
  const std::size_t count = block.u16(directory);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t entry = directory + 2 + i * kExifEntryBytes;
    if (block.u16(entry) != kExifOrientation) continue;
    // An entry without a usable value does not hide a later one.
    const auto value = exif_value(block, entry);
    if (value) return *value >= 1 && *value <= 8 ? static_cast<int>(*value) : 1;
  }
  return std::nullopt;
}

}  // namespace

bool has_exif_mark(std::span<const std::byte> bytes) {
  return bytes.size() >= kExifMark.size() && std::memcmp(bytes.data(), kExifMark.data(), kExifMark.size()) == 0;
}

std::optional<int> exif_orientation(std::span<const std::byte> block) {
  if (has_exif_mark(block)) block = block.subspan(kExifMark.size());
  const auto order = exif_byte_order(block);
  if (!order) return std::nullopt;
  try {
    return orientation_in(ByteView(block, *order));
  } catch (const CutShort&) {
    return std::nullopt;
  }
}

}  // namespace octavo::images
