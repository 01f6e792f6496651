// An image whose steps only move pixels and fill rectangles, as tables along its axes: a value then takes a few
// instructions, however many steps there are.
#pragma once

#include <cstdint>

#include "kernels/affine.hpp"
#include "kernels/augment/augmented_image.hpp"
#include "kernels/host_device.hpp"
#include "kernels/intrinsics.hpp"

namespace octavo::kernels {

/// The largest images that fit in the tables.
inline constexpr std::int32_t kMostMovedSide = 512, kMostMovedChannels = 4;

struct MovedImage {
  alignas(16) std::int16_t rows[kMostMovedSide];  ///< moved_from() of each in the output
  alignas(16) std::int16_t columns[kMostMovedSide];
  std::uint32_t erased_rows[kMostMovedSide], erased_columns[kMostMovedSide];  ///< erasures_at() each
  std::uint32_t code_erasures;                                                ///< the bits of steps that fill codes
  Affine maps[kMostMovedChannels];                                            ///< of the values of each channel
  Affine erased_maps[kMostAugmentOps][kMostMovedChannels];                    ///< of those that a step fills
};

/// The row or column of the stored image that shows at `at` of the output; -1 - i: the fill value of step i.
OCTAVO_HOST_DEVICE inline std::int32_t moved_from(const AugmentProgram& program, const DrawnImage& image,
                                                  ImageAxis axis, std::int32_t at) {
  for (int i = program.op_count - 1; i >= 0; --i) {
    const ImageSize size = program.sizes[i];
    at = pixel_before(program.ops[i], image.steps[i], axis, axis == ImageAxis::down ? size.height : size.width, at);
    if (at < 0) return -1 - i;
  }
  return at;
}

/// A bit for each step that fills a rectangle in row or column `at` of the output.
OCTAVO_HOST_DEVICE inline std::uint32_t erasures_at(const AugmentProgram& program, const DrawnImage& image,
                                                    ImageAxis axis, std::int32_t at) {
  std::uint32_t found = 0;
  for (int i = 0; i < program.op_count; ++i) {
    const AugmentStep& step = image.steps[i];
    if (step.kind != StepKind::erase) continue;
    const std::int32_t first = axis == ImageAxis::down ? step.y : step.x;
    const std::int32_t count = axis == ImageAxis::down ? step.height : step.width;
    if (at >= first && at - first < count) found |= std::uint32_t{1} << i;
  }
  return found;
}

/// Fills the tables of an image: thread `index` of `thread_count`.
OCTAVO_HOST_DEVICE inline void fill_moved(const AugmentProgram& program, const DrawnImage& drawn, const Affine* maps,
                                          bool is_uniform, std::int32_t channels, std::int32_t index,
                                          std::int32_t thread_count, MovedImage& image) {
  const ImageSize size = program.sizes[program.op_count];
  for (std::int32_t y = index; y < size.height; y += thread_count) {
    image.rows[y] = static_cast<std::int16_t>(moved_from(program, drawn, ImageAxis::down, y));
    image.erased_rows[y] = erasures_at(program, drawn, ImageAxis::down, y);
  }
  for (std::int32_t x = index; x < size.width; x += thread_count) {
    image.columns[x] = static_cast<std::int16_t>(moved_from(program, drawn, ImageAxis::across, x));
    image.erased_columns[x] = erasures_at(program, drawn, ImageAxis::across, x);
  }
  // Jitters change the map; those after an erasure also change what it has filled.
  for (std::int32_t i = index; i < (program.op_count + 1) * channels; i += thread_count) {
    const std::int32_t op = i / channels - 1, c = i % channels;
    const bool is_erased = op >= 0;
    if (is_erased && (drawn.steps[op].kind != StepKind::erase || !program.ops[op].is_normalized)) continue;
    Affine map = is_erased ? Affine{0.0f, program.ops[op].values.at(c)} : maps[is_uniform ? 0 : c];
    for (int later = op + 1; later < program.op_count; ++later) {
      if (drawn.steps[later].kind == StepKind::jitter) map = jittered(map, drawn.steps[later]);
    }
    (is_erased ? image.erased_maps[op][c] : image.maps[c]) = map;
  }
  if (index != 0) return;
  image.code_erasures = 0;
  for (int i = 0; i < program.op_count; ++i) {
    if (!program.ops[i].is_normalized) image.code_erasures |= std::uint32_t{1} << i;
  }
}

/// The code at (y, x) of channel `c`, whose stored plane is `plane`, of rows of `width` codes.
template <typename Plane>
OCTAVO_HOST_DEVICE inline std::int8_t moved_code(const AugmentProgram& program, const MovedImage& image,
                                                 const Plane& plane, std::int32_t width, std::int32_t c, std::int32_t y,
                                                 std::int32_t x) {
  const std::uint32_t erasures = image.erased_rows[y] & image.erased_columns[x] & image.code_erasures;
  if (erasures != 0) return program.ops[highest_bit(erasures)].fill.at(c);
  const std::int32_t row = image.rows[y], column = image.columns[x];
  // Of two crops, the later one shows its fill value.
  if (row < 0 || column < 0) return program.ops[-1 - (row < column ? row : column)].fill.at(c);
  return plane[row * width + column];
}

/// The map of the value there.
OCTAVO_HOST_DEVICE inline Affine moved_map(const MovedImage& image, std::int32_t c, std::int32_t y, std::int32_t x) {
  const std::uint32_t erasures = image.erased_rows[y] & image.erased_columns[x] & ~image.code_erasures;
  return erasures == 0 ? image.maps[c] : image.erased_maps[highest_bit(erasures)][c];
}

}  // namespace octavo::kernels
