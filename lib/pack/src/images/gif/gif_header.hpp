// The header of a GIF file up to the pixels of its first frame.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "images/image_header.hpp"
#include "images/palette.hpp"

namespace octavo::images {

inline constexpr std::array<std::uint8_t, 4> kGifMagic = {'G', 'I', 'F', '8'};

/// The first frame and its canvas.
struct GifLayout {
  std::int64_t width = 0;   ///< of the canvas: the screen, enlarged if the frame exceeds it
  std::int64_t height = 0;  ///< of the canvas
  std::int64_t frame_x = 0, frame_y = 0, frame_width = 0, frame_height = 0;
  bool is_interlaced = false;
  int transparent = -1;  ///< the color number that is transparent; -1: none
  Palette palette;       ///< the frame's own or the file's; grays if the file has none

  bool covers_canvas() const { return frame_width == width && frame_height == height; }
};

/// Reads `bytes`, the start of a file, up to the first frame's pixels; nullopt if they end before. Throws FormatError
/// with the reason only.
std::optional<GifLayout> read_gif_layout(std::span<const std::byte> bytes);

/// Size and color of the GIF file that begins with `bytes`: a palette of grays makes a gray image. Returns nullopt if
/// they end before the first frame's pixels. Throws FormatError with the reason only.
std::optional<ImageHeader> parse_gif_header(std::span<const std::byte> bytes);

}  // namespace octavo::images
