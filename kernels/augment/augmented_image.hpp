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
    size = size_after(program.ops[i], image.steps[i], size);
  }
}

/// Whether a rectangle covers a pixel.
OCTAVO_HOST_DEVICE inline bool covers(const AugmentStep& erase, std::int32_t y, std::int32_t x) {
  return y >= erase.y && y - erase.y < erase.height && x >= erase.x && x - erase.x < erase.width;
}

enum class ImageAxis { down, across };

/// For programs that do not resize.
struct NoFilters {
  static constexpr int kMostSteps = 0;
};

/// The filters of resizing steps, computed whenever a weight is needed.
struct ComputedFilters {
  static constexpr int kMostSteps = kMostResamplings;

  /// Calls visit(pixel, weight) for output `out` of an axis of step `step`, whose filter is `filter`.
  template <typename Visit>
  OCTAVO_HOST_DEVICE void for_weights(int /*step*/, ImageAxis /*axis*/, const AxisFilter& filter, std::int32_t out,
                                      const Visit& visit) const {
    filter.for_weights(out, visit);
  }
};

/// The codes of a channel of a sample.
template <typename Codes>
struct ChannelCodes {
  const Codes& codes;  ///< of the sample: codes[i] is code i
  std::int64_t first;  ///< of the channel in `codes`
  std::int32_t width;  ///< of the sample
  std::int64_t channel;
};

template <int kMostLeft, typename Codes, typename Filters>
OCTAVO_HOST_DEVICE std::int8_t augmented_code(const AugmentProgram& program, const DrawnImage& image, int step_count,
                                              const ChannelCodes<Codes>& channel, const Filters& filters,
                                              std::int32_t y, std::int32_t x);

/// The same, out of line: a resizing step within another one is rare, and inlining it would need many registers.
template <int kMostLeft, typename Codes, typename Filters>
OCTAVO_NO_INLINE OCTAVO_HOST_DEVICE std::int8_t nested_code(const AugmentProgram& program, const DrawnImage& image,
                                                            int step_count, const ChannelCodes<Codes>& channel,
                                                            const Filters& filters, std::int32_t y, std::int32_t x) {
  return augmented_code<kMostLeft>(program, image, step_count, channel, filters, y, x);
}

/// The code at (y, x) of the image after the first `step_count` steps, of which at most kMostLeft resize: the steps,
/// from the last to the first, lead to codes of the sample or to a fill value.
template <int kMostLeft, typename Codes, typename Filters>
OCTAVO_HOST_DEVICE inline std::int8_t augmented_code(const AugmentProgram& program, const DrawnImage& image,
                                                     int step_count, const ChannelCodes<Codes>& channel,
                                                     const Filters& filters, std::int32_t y, std::int32_t x) {
  for (int i = step_count - 1; i >= 0; --i) {
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
        if (y < 0 || x < 0) return op.fill.at(channel.channel);
        break;
      case StepKind::erase:
        if (!op.is_normalized && covers(step, y, x)) return op.fill.at(channel.channel);
        break;
      case StepKind::resample:
        if constexpr (kMostLeft > 0) {
          // First along columns, to multiples of 2^-8, then along rows. Each sum is rounded to nearest, halves up.
          const AxisFilter down = {step.height, op.height, op.antialias}, across = {step.width, op.width, op.antialias};
          constexpr int kFirstShift = kWeightBits - kBetweenBits, kSecondShift = kWeightBits + kBetweenBits;
          std::int32_t sum = 1 << (kSecondShift - 1);
          filters.for_weights(i, ImageAxis::across, across, x, [&](std::int32_t at_x, std::int32_t weight_x) {
            std::int32_t column = 1 << (kFirstShift - 1);
            filters.for_weights(i, ImageAxis::down, down, y, [&](std::int32_t at_y, std::int32_t weight_y) {
              const std::int32_t from_y = step.y + at_y, from_x = step.x + at_x;
              std::int8_t code;
              if constexpr (kMostLeft == 1)
                code = augmented_code<0>(program, image, i, channel, filters, from_y, from_x);
              else
                code = nested_code<kMostLeft - 1>(program, image, i, channel, filters, from_y, from_x);
              column += weight_y * (code + 128);
            });
            sum += weight_x * (column >> kFirstShift);
          });
          return static_cast<std::int8_t>((sum >> kSecondShift) - 128);
        }
        return 0;  // not reached: programs have at most Filters::kMostSteps such steps
    }
  }
  return channel.codes[channel.first + static_cast<std::int64_t>(y) * channel.width + x];
}

/// The map of values v * scale + shift after jitter.
OCTAVO_HOST_DEVICE inline Affine jittered(Affine map, const AugmentStep& step) {
  return {map.scale * step.factor, (map.shift + step.shift) * step.factor};
}

/// The map of channel `c` at (y, x) of the augmented image, if the normalization has `map` there: jitter changes the
/// map, and an erasure of normalized values replaces it by one that ignores the code.
OCTAVO_HOST_DEVICE inline Affine augmented_map(const AugmentProgram& program, const DrawnImage& image, Affine map,
                                               std::int64_t c, std::int32_t y, std::int32_t x) {
  for (int i = 0; i < program.op_count; ++i) {
    const AugmentOp& op = program.ops[i];
    const AugmentStep& step = image.steps[i];
    if (step.kind == StepKind::jitter) {
      map = jittered(map, step);
    } else if (step.kind == StepKind::erase && op.is_normalized && covers(step, y, x)) {
      map = {0.0f, op.values.at(c)};
    }
  }
  return map;
}

}  // namespace octavo::kernels
