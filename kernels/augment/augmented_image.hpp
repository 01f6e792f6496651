// One view of a sample, augmented: the steps of its image, and what they do to a pixel.
#pragma once

#include <cstdint>

#include "kernels/affine.hpp"
#include "kernels/augment/program.hpp"
#include "kernels/host_device.hpp"

namespace octavo::kernels {

/// The steps of one image.
struct DrawnImage {
  AugmentStep steps[kMostAugmentOps];
  ImageSize sizes[kMostAugmentOps];  ///< before each step
};

/// Draws the steps of the view `key` of a sample of `size`. Sets only as many as the program has operations.
OCTAVO_HOST_DEVICE inline void draw_image(const AugmentProgram& program, ImageSize size, const DrawKey& key,
                                          DrawnImage& image) {
  for (int i = 0; i < program.op_count; ++i) {
    image.sizes[i] = size;
    image.steps[i] = draw_step(program.ops[i], size, key);
    size = size_after(image.steps[i], size);
  }
}

/// Whether a rectangle covers a pixel.
OCTAVO_HOST_DEVICE inline bool covers(const AugmentStep& erase, std::int32_t y, std::int32_t x) {
  return y >= erase.y && y - erase.y < erase.height && x >= erase.x && x - erase.x < erase.width;
}

/// Where a pixel of an augmented image comes from: a pixel of the sample, or the fill value of an operation.
struct PixelPlace {
  std::int32_t y, x;
  const AugmentOp* filled_by;  ///< null: a pixel of the sample
};

/// Where pixel (y, x) of the augmented image comes from: follows the steps from the last to the first.
OCTAVO_HOST_DEVICE inline PixelPlace place_of(const AugmentProgram& program, const DrawnImage& image, std::int32_t y,
                                              std::int32_t x) {
  for (int i = program.op_count - 1; i >= 0; --i) {
    const AugmentOp& op = program.ops[i];
    const AugmentStep& step = image.steps[i];
    const ImageSize size = image.sizes[i];
    switch (step.kind) {
      case StepKind::none:
      case StepKind::jitter:
        break;
      case StepKind::flip_x:
        x = size.width - 1 - x;
        break;
      case StepKind::flip_y:
        y = size.height - 1 - y;
        break;
      case StepKind::crop:
        y = inside(op.border, y + step.y, size.height);
        x = inside(op.border, x + step.x, size.width);
        if (y < 0 || x < 0) return {y, x, &op};
        break;
      case StepKind::erase:
        if (!op.is_normalized && covers(step, y, x)) return {y, x, &op};
        break;
    }
  }
  return {y, x, nullptr};
}

/// The map of channel `c` at (y, x) of the augmented image, if the normalization has `map` there: jitter changes the
/// map, and an erasure of normalized values replaces it by one that ignores the code.
OCTAVO_HOST_DEVICE inline Affine augmented_map(const AugmentProgram& program, const DrawnImage& image, Affine map,
                                               std::int64_t c, std::int32_t y, std::int32_t x) {
  for (int i = 0; i < program.op_count; ++i) {
    const AugmentOp& op = program.ops[i];
    const AugmentStep& step = image.steps[i];
    if (step.kind == StepKind::jitter) {
      map = {map.scale * step.factor, (map.shift + step.shift) * step.factor};
    } else if (step.kind == StepKind::erase && op.is_normalized && covers(step, y, x)) {
      map = {0.0f, op.values.at(c)};
    }
  }
  return map;
}

}  // namespace octavo::kernels
