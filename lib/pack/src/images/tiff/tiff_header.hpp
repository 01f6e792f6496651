// The first directory of a TIFF or BigTIFF file.
#pragma once

#include <cstddef>
#include <span>

#include "images/file_bytes.hpp"
#include "images/image_header.hpp"

namespace octavo::images {

/// Whether a file that begins with `bytes` is a TIFF or BigTIFF file.
bool is_tiff(std::span<const std::byte> bytes);

/// Size, color and orientation of a TIFF file's first page. A palette counts as color; gray and RGB with samples that
/// are neither color nor alpha are bands. Without the orientation tag, the orientation is that of the XMP packet.
/// Throws FormatError with the reason only; IoError.
ImageHeader parse_tiff_header(const FileBytes& file);

}  // namespace octavo::images
