// Reads the orientation of a photograph from EXIF data.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>

namespace octavo::images {

/// The marker before an EXIF block in JPEG.
inline constexpr std::array<char, 6> kExifMark = {'E', 'x', 'i', 'f', 0, 0};

/// Whether `bytes` begin with the marker.
bool has_exif_mark(std::span<const std::byte> bytes);

/// The orientation, 1 to 8, in the first directory of an EXIF block, with or without the marker; other numbers count as
/// 1. nullopt if it has no orientation or is damaged.
std::optional<int> exif_orientation(std::span<const std::byte> block);

}  // namespace octavo::images
