// Affine warps: where the pixels of a rotated, shifted, scaled or sheared image come from, in fixed point
// (docs/numerics.md, "Warps").
#pragma once

#include <cstdint>

#include "kernels/augment/border.hpp"
#include "kernels/augment/exact_math.hpp"
#include "kernels/host_device.hpp"

namespace octavo::kernels {

/// An affine map from places in the output to places in the input, in pixels from the center of the image:
/// x' = xx * x + xy * y + right, y' = yx * x + yy * y + down.
struct AffineMatrix {
  double xx, xy, yx, yy, right, down;
};

/// The input of an image that is sheared, scaled, rotated clockwise and moved, in this order.
OCTAVO_HOST_DEVICE inline AffineMatrix affine_matrix(double degrees, double right, double down, double scale,
                                                     double shear_x, double shear_y) {
  const SinCos turn = exact_sin_cos(degrees), turn_less_shear = exact_sin_cos(degrees - shear_y);
  const SinCos along_x = exact_sin_cos(shear_x), along_y = exact_sin_cos(shear_y);
  const double tangent = along_x.sin / along_x.cos;
  const double a = turn_less_shear.cos / along_y.cos, c = turn_less_shear.sin / along_y.cos;
  const double b = -(a * tangent + turn.sin), d = turn.cos - c * tangent;
  AffineMatrix matrix = {d / scale, -b / scale, -c / scale, a / scale, 0.0, 0.0};
  matrix.right = -(matrix.xx * right + matrix.xy * down);
  matrix.down = -(matrix.yx * right + matrix.yy * down);
  return matrix;
}

/// A place in an image in multiples of 2^-kPlaceBits pixels from its upper left corner.
inline constexpr int kPlaceBits = 16;
struct WarpPlace {
  std::int64_t x, y;
};

/// An affine map from the centers of output pixels to places in the input. Coefficients are multiples of 2^-32. Each
/// coordinate is the sum of a part of its column and a part of its row, so that both can be computed in advance.
struct Warp {
  std::int64_t xx, xy, yx, yy, x, y;

  OCTAVO_HOST_DEVICE WarpPlace of_column(std::int32_t column) const {
    return {(xx * column) >> kPlaceBits, (yx * column) >> kPlaceBits};
  }
  OCTAVO_HOST_DEVICE WarpPlace of_row(std::int32_t row) const {
    return {(xy * row + x) >> kPlaceBits, (yy * row + y) >> kPlaceBits};
  }
  OCTAVO_HOST_DEVICE WarpPlace place(std::int32_t row, std::int32_t column) const {
    const WarpPlace a = of_column(column), b = of_row(row);
    return {a.x + b.x, a.y + b.y};
  }
};

/// The warp of an image of `size`.
OCTAVO_HOST_DEVICE inline Warp warp_of(const AffineMatrix& matrix, ImageSize size) {
  const auto fixed = [](double number) { return static_cast<std::int64_t>(::floor(number * 0x1p32 + 0.5)); };
  const double half_height = 0.5 * size.height, half_width = 0.5 * size.width;
  const double right = 0.5 - half_width, down = 0.5 - half_height;  // of the first pixel
  return {fixed(matrix.xx),
          fixed(matrix.xy),
          fixed(matrix.yx),
          fixed(matrix.yy),
          fixed(matrix.xx * right + matrix.xy * down + matrix.right + half_width),
          fixed(matrix.yx * right + matrix.yy * down + matrix.down + half_height)};
}

/// Bits of the fractions that blend four pixels.
inline constexpr int kFractionBits = 11;

/// The level between four pixels. `right` and `down` are fractions of kFractionBits bits.
OCTAVO_HOST_DEVICE inline std::int32_t blend_of_four(std::int32_t upper_left, std::int32_t upper_right,
                                                     std::int32_t lower_left, std::int32_t lower_right,
                                                     std::int32_t right, std::int32_t down) {
  constexpr std::int32_t kOne = 1 << kFractionBits;
  const std::int32_t upper = upper_left * (kOne - right) + upper_right * right;
  const std::int32_t lower = lower_left * (kOne - right) + lower_right * right;
  return (upper * (kOne - down) + lower * down + (1 << (2 * kFractionBits - 1))) >> (2 * kFractionBits);
}

/// The code at a place of a channel, whose codes are `plane`: of the nearest pixel, or between the four nearest ones.
/// Beyond the image, pixels have the code `fill`.
OCTAVO_HOST_DEVICE inline std::int8_t code_at_place(const std::int8_t* plane, ImageSize size, WarpPlace place,
                                                    bool is_bilinear, std::int8_t fill) {
  const auto code = [&](std::int64_t y, std::int64_t x) {
    const bool is_inside = y >= 0 && y < size.height && x >= 0 && x < size.width;
    return is_inside ? plane[y * size.width + x] : fill;
  };
  if (!is_bilinear) return code(place.y >> kPlaceBits, place.x >> kPlaceBits);
  const std::int64_t left = place.x - (1 << (kPlaceBits - 1)), top = place.y - (1 << (kPlaceBits - 1));
  const std::int64_t x = left >> kPlaceBits, y = top >> kPlaceBits;
  const auto fraction = [](std::int64_t at) {
    return static_cast<std::int32_t>(at & ((1 << kPlaceBits) - 1)) >> (kPlaceBits - kFractionBits);
  };
  const std::int32_t level = blend_of_four(code(y, x) + 128, code(y, x + 1) + 128, code(y + 1, x) + 128,
                                           code(y + 1, x + 1) + 128, fraction(left), fraction(top));
  return static_cast<std::int8_t>(level - 128);
}

}  // namespace octavo::kernels
