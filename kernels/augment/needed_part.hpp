// The part of a stored image that an augmented one shows.
#pragma once

#include <cstdint>

#include "kernels/augment/augmented_image.hpp"
#include "kernels/augment/border.hpp"
#include "kernels/augment/program.hpp"
#include "kernels/host_device.hpp"
#include "kernels/image_part.hpp"

namespace octavo::kernels {

/// The lines of an axis of `count` lines that a crop shows in `part` of its output, which begins at line `offset`.
OCTAVO_HOST_DEVICE inline AxisPart part_before_crop(Border border, AxisPart part, std::int32_t offset,
                                                    std::int32_t count) {
  const std::int32_t first = part.first + offset, end = part.end + offset;
  if (first >= end) return {0, 0};
  std::int32_t low = first < 0 ? 0 : first, high = end > count ? count : end;
  if (border == Border::edge) {
    if (low > count - 1) low = count - 1;
    if (high < 1) high = 1;
  } else if (border == Border::reflect) {
    // inside() mirrors what is beyond an end at the line there.
    const std::int32_t before = 1 - first, after = 2 * (count - 1) - (end - 1);
    if (first < 0) low = 0;
    if (first < 0 && before > high) high = before;
    if (end > count) high = count;
    if (end > count && after < low) low = after;
  }
  return low < high ? AxisPart{low, high} : AxisPart{0, 0};
}

/// The lines of an axis of the stored image that an image with these steps depends on. A step that makes a whole image
/// needs all of the image before it.
OCTAVO_HOST_DEVICE inline AxisPart needed_lines(const AugmentProgram& program, const DrawnImage& image,
                                                ImageAxis axis) {
  const bool is_down = axis == ImageAxis::down;
  const auto count_of = [&](int i) { return is_down ? program.sizes[i].height : program.sizes[i].width; };
  AxisPart part = {0, count_of(program.op_count)};
  for (int i = program.op_count - 1; i >= 0; --i) {
    const MovingStep& step = image.steps[i];
    if (makes_image(step.kind)) {
      part = {0, count_of(i)};
    } else if (step.kind == (is_down ? StepKind::flip_y : StepKind::flip_x)) {
      part = {count_of(i) - part.end, count_of(i) - part.first};
    } else if (step.kind == StepKind::crop) {
      part = part_before_crop(program.ops[i].border, part, is_down ? step.y : step.x, count_of(i));
    } else if (step.kind == StepKind::resample) {
      const std::int32_t first = is_down ? step.y : step.x;
      part = {first, first + (is_down ? step.height : step.width)};
    }
  }
  return part;
}

OCTAVO_HOST_DEVICE inline ImagePart needed_part(const AugmentProgram& program, const DrawnImage& image) {
  return {needed_lines(program, image, ImageAxis::down), needed_lines(program, image, ImageAxis::across)};
}

}  // namespace octavo::kernels
