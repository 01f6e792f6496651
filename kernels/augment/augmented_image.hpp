// One view of a sample, augmented: the steps of its image, and what they do to a pixel.
#pragma once

#include <cstdint>

#include "kernels/affine.hpp"
#include "kernels/augment/axis_filter.hpp"
#include "kernels/augment/draw_step.hpp"
#include "kernels/augment/program.hpp"
#include "kernels/augment/steps.hpp"
#include "kernels/host_device.hpp"

namespace octavo::kernels {

/// The steps of one image.
struct DrawnImage {
  AugmentStep steps[kMostAugmentOps];
};

/// Draws step `i` of an image of `channels` channels.
OCTAVO_HOST_DEVICE inline void draw_step(const AugmentProgram& program, std::int64_t channels, const DrawKey& key,
                                         int i, DrawnImage& image) {
  image.steps[i] = draw_step(program.ops[i], channels, program.sizes[i], key);
}

/// The steps [first, last) of an image. At most one of them resizes, and none makes a whole image.
struct StepRange {
  int first, last;

  OCTAVO_HOST_DEVICE bool is_empty() const { return first == last; }
};

/// Whether a rectangle covers a pixel.
OCTAVO_HOST_DEVICE inline bool covers(const MovingStep& erase, std::int32_t y, std::int32_t x) {
  return y >= erase.y && y - erase.y < erase.height && x >= erase.x && x - erase.x < erase.width;
}

enum class ImageAxis { down, across };

/// The filter of a resizing step along an axis.
OCTAVO_HOST_DEVICE inline AxisFilter filter_of(const AugmentOp& op, const MovingStep& step, ImageAxis axis) {
  const bool is_down = axis == ImageAxis::down;
  return {is_down ? step.height : step.width, is_down ? op.height : op.width, op.antialias, op.is_cubic};
}

/// The pixel, before a step, of an axis of `count` pixels, that shows at `at` after it; -1: it is beyond the edge.
/// Resizing shows the nearest pixel. Not for warps, which turn the axes.
OCTAVO_HOST_DEVICE inline std::int32_t pixel_before(const AugmentOp& op, const MovingStep& step, ImageAxis axis,
                                                    std::int32_t count, std::int32_t at) {
  const bool is_down = axis == ImageAxis::down;
  switch (step.kind) {
    case StepKind::flip_x:
      return is_down ? at : count - 1 - at;
    case StepKind::flip_y:
      return is_down ? count - 1 - at : at;
    case StepKind::crop:
      return inside(op.border, at + (is_down ? step.y : step.x), count);
    case StepKind::resample: {
      // The pixel under the center of the output pixel.
      const std::int64_t part = is_down ? step.height : step.width, out_count = is_down ? op.height : op.width;
      const std::int64_t pixel = (2 * static_cast<std::int64_t>(at) + 1) * part / (2 * out_count);
      return (is_down ? step.y : step.x) + static_cast<std::int32_t>(pixel);
    }
    default:
      return at;  // changes values, not places
  }
}

/// For programs that do not resize.
struct NoFilters {
  static constexpr bool kResizes = false;

  OCTAVO_HOST_DEVICE void fill(const AugmentProgram&, const DrawnImage&, StepRange) {}
};

/// The filters of a resizing step, computed whenever a weight is needed.
struct ComputedFilters {
  static constexpr bool kResizes = true;

  /// Prepares for some steps. The threads that make an image call this together.
  OCTAVO_HOST_DEVICE void fill(const AugmentProgram&, const DrawnImage&, StepRange) {}
  /// Calls visit(pixel, weight) for output `out` of an axis of the step, whose filter is `filter`.
  template <typename Visit>
  OCTAVO_HOST_DEVICE void for_weights(ImageAxis /*axis*/, const AxisFilter& filter, std::int32_t out,
                                      const Visit& visit) const {
    filter.for_weights(out, visit);
  }
};

/// The codes of a channel of an image.
template <typename Codes>
struct ChannelCodes {
  const Codes& codes;  ///< of the image: codes[i] is code i
  std::int64_t first;  ///< of the channel in `codes`
  std::int32_t width;  ///< of the image
  std::int64_t channel;
};

/// The code at (y, x) after `range` of the steps, if the image before them has the codes of `channel`: the steps, from
/// the last to the first, lead to these codes or to a fill value.
template <bool kResizes, typename Codes, typename Filters>
OCTAVO_HOST_DEVICE inline std::int8_t augmented_code(const AugmentProgram& program, const DrawnImage& image,
                                                     StepRange range, const ChannelCodes<Codes>& channel,
                                                     const Filters& filters, std::int32_t y, std::int32_t x) {
  for (int i = range.last - 1; i >= range.first; --i) {
    const AugmentOp& op = program.ops[i];
    const AugmentStep& step = image.steps[i];
    const ImageSize size = program.sizes[i];
    switch (step.kind) {
      case StepKind::flip_x:
        x = size.width - 1 - x;
        break;
      case StepKind::flip_y:
        y = size.height - 1 - y;
        break;
      case StepKind::crop:
        y = inside(op.border, y + step.y, size.height);
        x = inside(op.border, x + step.x, size.width);
        if (y < 0 || x < 0) return op.fill.at(channel.channel);
        break;
      case StepKind::erase:
        if (!op.is_normalized && covers(step, y, x)) return op.fill.at(channel.channel);
        break;
      case StepKind::resample:
        if constexpr (kResizes) {
          // First along columns, then along rows. Each sum is rounded to nearest, halves up.
          const StepRange before = {range.first, i};
          const AxisFilter down = filter_of(op, step, ImageAxis::down), across = filter_of(op, step, ImageAxis::across);
          const BetweenFormat between = between_format(op.is_cubic);
          std::int32_t sum = between.second_start();
          filters.for_weights(ImageAxis::across, across, x, [&](std::int32_t at_x, std::int32_t weight_x) {
            std::int32_t column = between.first_start();
            filters.for_weights(ImageAxis::down, down, y, [&](std::int32_t at_y, std::int32_t weight_y) {
              const std::int8_t code =
                  augmented_code<false>(program, image, before, channel, filters, step.y + at_y, step.x + at_x);
              column += weight_y * (code + 128);
            });
            sum += weight_x * (column >> between.first_shift());
          });
          return static_cast<std::int8_t>(blended_level_of(sum, between.second_shift()) - 128);
        }
        break;
      default:
        break;
    }
  }
  return channel.codes[channel.first + static_cast<std::int64_t>(y) * channel.width + x];
}

/// The map of values v * scale + shift after jitter.
OCTAVO_HOST_DEVICE inline Affine jittered(Affine map, const MovingStep& step) {
  return {map.scale * step.factor, (map.shift + step.shift) * step.factor};
}

/// The map of channel `c` at (y, x) of the augmented image, if the normalization has `map` there: jitter changes the
/// map, and an erasure of normalized values replaces it by one that ignores the code. `image` has steps.
template <typename Image>
OCTAVO_HOST_DEVICE inline Affine augmented_map(const AugmentProgram& program, const Image& image, Affine map,
                                               std::int64_t c, std::int32_t y, std::int32_t x) {
  for (int i = 0; i < program.op_count; ++i) {
    const AugmentOp& op = program.ops[i];
    const MovingStep& step = image.steps[i];
    if (step.kind == StepKind::jitter) {
      map = jittered(map, step);
    } else if (step.kind == StepKind::erase && op.is_normalized && covers(step, y, x)) {
      map = {0.0f, op.values.at(c)};
    }
  }
  return map;
}

}  // namespace octavo::kernels
