// An image that is resized once, as the filters of its output rows and columns: flips and crops before and after the
// resizing only change which stored rows and columns they weigh.
#pragma once

#include <cstdint>

#include "kernels/augment/augmented_image.hpp"
#include "kernels/augment/axis_filter.hpp"
#include "kernels/augment/draw_step.hpp"
#include "kernels/augment/program.hpp"
#include "kernels/augment/steps.hpp"
#include "kernels/host_device.hpp"

namespace octavo::kernels {

/// What a launcher knows of a program that resizes stored images, which may be in the memory of a device.
struct StoredResizing {
  std::int32_t op = -1;               ///< the operation that resizes; -1: the program is another one
  AxisFilter down = {}, across = {};  ///< for the largest part that it may resize
  bool erases = false;                ///< whether an operation erases codes or values
};

/// Whether an operation shows nothing that is beyond the edge of an image of `size`, and fills nothing.
inline bool only_cuts_and_flips(const AugmentOp& op, ImageSize size) {
  switch (op.kind) {
    case AugmentKind::flip_x:
    case AugmentKind::flip_y:
    case AugmentKind::alternating_flip_x:
    case AugmentKind::view_flip_x:
      return true;
    case AugmentKind::random_crop:
      return op.margin == 0;
    case AugmentKind::center_crop:
      return op.height <= size.height && op.width <= size.width;
    default:
      return false;
  }
}

/// Describes a program of AugmentDemand::resizing, if it only flips and cuts images before it resizes them, and erases
/// only at the end.
inline StoredResizing stored_resizing(const AugmentProgram& program) {
  StoredResizing found;
  for (int i = 0; i < program.op_count; ++i) {
    const AugmentOp& op = program.ops[i];
    const ImageSize size = program.sizes[i];
    if (resizes(op.kind)) {
      found.op = i;
      found.down = {size.height, op.height, op.antialias, op.is_cubic};
      found.across = {size.width, op.width, op.antialias, op.is_cubic};
    } else if (found.op < 0) {
      if (!only_cuts_and_flips(op, size)) return {};
    } else if (erases(op.kind)) {
      found.erases = true;
    } else if (op.kind != AugmentKind::jitter && found.erases) {
      return {};
    }
  }
  return found;
}

/// The step of operation `i` of a program that resizes stored images. An image that is not resized keeps its pixels, as
/// if it were resized to its own size.
OCTAVO_HOST_DEVICE inline MovingStep draw_resized_step(const AugmentProgram& program, int i, const DrawKey& key) {
  const AugmentOp& op = program.ops[i];
  if (!resizes(op.kind)) return draw_moving_step(op, program.sizes[i], key);
  const MovingStep step = draw_resizing_step(op, program.sizes[i], key);
  return step.kind == StepKind::none ? whole_image_step(program.sizes[i]) : step;
}

/// How an axis of an image is resized.
struct ResizedAxis {
  AxisFilter filter;
  std::int32_t origin, sign;  ///< pixel k of the part that is resized is stored at origin + sign * k

  /// The first stored pixel of those of output `at`, and the end of them. `at` counts after the resizing.
  OCTAVO_HOST_DEVICE std::int32_t first(std::int32_t at) const {
    return sign > 0 ? origin + filter.first(at) : origin + 1 - filter.end(at);
  }
  OCTAVO_HOST_DEVICE std::int32_t end(std::int32_t at) const {
    return sign > 0 ? origin + filter.end(at) : origin + 1 - filter.first(at);
  }
  /// Calls visit(stored pixel, weight) for the pixels of output `at`.
  template <typename Visit>
  OCTAVO_HOST_DEVICE void for_weights(std::int32_t at, const Visit& visit) const {
    filter.for_weights(at, [&](std::int32_t k, std::int32_t weight) { visit(origin + sign * k, weight); });
  }
};

/// The axis of an image whose operation `resizing` resizes.
template <typename Steps>
OCTAVO_HOST_DEVICE inline ResizedAxis resized_axis(const AugmentProgram& program, const Steps& steps, int resizing,
                                                   ImageAxis axis) {
  const bool is_down = axis == ImageAxis::down;
  const MovingStep& resampled = steps[resizing];
  ResizedAxis resized{filter_of(program.ops[resizing], resampled, axis), is_down ? resampled.y : resampled.x, 1};
  for (int i = resizing - 1; i >= 0; --i) {
    const MovingStep& step = steps[i];
    if (step.kind == (is_down ? StepKind::flip_y : StepKind::flip_x)) {
      resized.origin = (is_down ? program.sizes[i].height : program.sizes[i].width) - 1 - resized.origin;
      resized.sign = -resized.sign;
    } else if (step.kind == StepKind::crop) {
      resized.origin += is_down ? step.y : step.x;
    }
  }
  return resized;
}

/// What a row or column of the output shows.
struct alignas(16) ResizedOutput {
  std::int32_t pixel;       ///< after the resizing; the nearest one, if it shows a fill value
  std::int32_t filled_by;   ///< the crop whose fill value it shows; -1: none
  std::int32_t first, end;  ///< the stored pixels that make it
};

template <typename Steps>
OCTAVO_HOST_DEVICE inline ResizedOutput resized_output(const AugmentProgram& program, const Steps& steps, int resizing,
                                                       ImageAxis axis, const ResizedAxis& resized, std::int32_t at) {
  ResizedOutput output{at, -1, 0, 0};
  for (int i = program.op_count - 1; i > resizing; --i) {
    const std::int32_t count = axis == ImageAxis::down ? program.sizes[i].height : program.sizes[i].width;
    std::int32_t before = pixel_before(program.ops[i], steps[i], axis, count, output.pixel);
    if (before < 0) {
      // Later steps hide earlier ones.
      if (output.filled_by < 0) output.filled_by = i;
      before = inside(Border::edge, output.pixel + (axis == ImageAxis::down ? steps[i].y : steps[i].x), count);
    }
    output.pixel = before;
  }
  output.first = resized.first(output.pixel);
  output.end = resized.end(output.pixel);
  return output;
}

}  // namespace octavo::kernels
