// Reads the orientation of a photograph from XMP metadata.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace octavo::images {

/// The orientation, 1 to 8, in an XMP packet: the first attribute or element called tiff:Orientation that has a digit;
/// nullopt if there is none. Other digits count as 1. Like Pillow, which searches for tiff:Orientation(="|>)([0-9]).
std::optional<int> xmp_orientation(std::span<const std::byte> packet);

}  // namespace octavo::images
