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

/// The codes of a channel of a sample.
template <typename Codes>
struct ChannelCodes {
  const Codes& codes;  ///< of the sample: codes[i] is code i
  std::int64_t first;  ///< of the channel in `codes`
  std::int32_t width;  ///< of the sample
  std::int64_t channel;
};

/// The code at (y, x) of the image after the first `step_count` steps, of which at most kMostLeft resize: the steps,
/// from the last to the first, lead to codes of the sample or to a fill value.
template <int kMostLeft = kMostResamplings, typename Codes>
OCTAVO_HOST_DEVICE inline std::int8_t augmented_code(const AugmentProgram& program, const DrawnImage& image,
                                                     int step_count, const ChannelCodes<Codes>& channel, std::int32_t y,
                                                     std::int32_t x) {
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
          std::int32_t sum = 1 << 21;
          across.for_weights(x, [&](std::int32_t at_x, std::int32_t weight_x) {
            std::int32_t column = 1 << 5;
            down.for_weights(y, [&](std::int32_t at_y, std::int32_t weight_y) {
              column += weight_y *
                        (augmented_code<kMostLeft - 1>(program, image, i, channel, step.y + at_y, step.x + at_x) + 128);
            });
            sum += weight_x * (column >> 6);
          });
          return static_cast<std::int8_t>((sum >> 22) - 128);
        }
        return 0;  // not reached: programs have at most kMostResamplings such steps
    }
  }
  return channel.codes[channel.first + static_cast<std::int64_t>(y) * channel.width + x];
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
