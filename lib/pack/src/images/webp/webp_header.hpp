// Reads size, first frame and orientation from the chunks of a WebP file.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "images/file_bytes.hpp"
#include "images/image_header.hpp"

namespace octavo::images {

/// Whether a file that begins with `bytes` is a WebP file.
bool is_webp(std::span<const std::byte> bytes);

/// Size and orientation of a WebP file; it always counts as color. The orientation is that of the EXIF chunk or, if
/// that has none, of the XMP chunk. Throws FormatError with the reason only; IoError.
ImageHeader parse_webp_header(const FileBytes& file);

/// The first frame of an animation, and its position on the canvas.
struct WebpFrame {
  std::int64_t x = 0;
  std::int64_t y = 0;
  std::int64_t width = 0;
  std::int64_t height = 0;
  std::span<const std::byte> data;  ///< its chunks, as libwebp reads them
};

bool is_animated_webp(std::span<const std::byte> file);

/// Throws FormatError, with the reason only, if there is no frame or it exceeds the canvas.
WebpFrame first_webp_frame(std::span<const std::byte> file);

}  // namespace octavo::images
