#include "format/index/superblock.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

#include "format/index/header.hpp"

namespace octavo::dataset_file {
namespace {

constexpr char kSignature[] = "\x89HDF\r\n\x1a\n";
constexpr std::size_t kVersionOffset = 8;
constexpr std::size_t kMostBytes = 56;

/// Where the address of the end of the file is, by the version of the superblock, and where the width of addresses is
/// (HDF5 File Format Specification 3.0, section II.A). Octavo writes version 3, h5repack also 0.
struct Layout {
  std::size_t end_offset;
  std::size_t width_offset;
};
constexpr std::array<Layout, 4> kLayouts = {{{40, 13}, {44, 13}, {28, 9}, {28, 9}}};

/// The address of the end of the file; nothing if these bytes are no superblock with addresses of 8 bytes.
std::optional<std::uint64_t> end_address(std::span<const std::byte, kMostBytes> bytes) {
  if (std::memcmp(bytes.data(), kSignature, kVersionOffset) != 0) return std::nullopt;
  const auto version = std::to_integer<std::size_t>(bytes[kVersionOffset]);
  if (version >= kLayouts.size()) return std::nullopt;
  const Layout layout = kLayouts[version];
  std::uint64_t end = 0;
  if (bytes[layout.width_offset] != std::byte{sizeof end}) return std::nullopt;
  std::memcpy(&end, bytes.data() + layout.end_offset, sizeof end);
  return end;
}

}  // namespace

bool has_whole_hdf5_file(const ByteSource& file) {
  std::array<std::byte, kMostBytes> bytes{};
  const std::int64_t present = std::max<std::int64_t>(0, file.length() - kHeaderBytes);
  file.read_at(kHeaderBytes, std::span(bytes).first(std::min(bytes.size(), static_cast<std::size_t>(present))));
  const auto end = end_address(bytes);
  return end && *end <= static_cast<std::uint64_t>(file.length());
}

}  // namespace octavo::dataset_file
