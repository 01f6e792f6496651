// Writes 8-bit images as PNG files with libpng.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace octavo::png {

/// A borrowed 8-bit image in memory.
struct ImageView {
  std::int64_t width = 0;
  std::int64_t height = 0;
  std::int64_t channels = 1;             ///< 1: gray, 3: RGB
  std::span<const std::uint8_t> values;  ///< [height,width,channels]
};

/// The bytes of a PNG file with exactly these values. Throws InvalidArgument if libpng refuses the image.
std::vector<std::byte> encode(const ImageView& image);

}  // namespace octavo::png
