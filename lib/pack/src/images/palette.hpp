// Color tables for indexed pixels.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "images/color.hpp"

namespace octavo::images {

/// R, G, B of each palette index.
using Palette = std::vector<std::array<std::uint8_t, 3>>;

/// Whether an image with this palette is gray. For formats that can store gray images only this way: BMP and GIF.
inline bool is_gray(const Palette& palette) {
  return std::all_of(palette.begin(), palette.end(), [](const auto& color) { return is_gray(color); });
}

}  // namespace octavo::images
