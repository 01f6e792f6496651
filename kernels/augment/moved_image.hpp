// An image whose steps only move pixels and fill rectangles, as tables: for each line of the output its place in the
// stored sample, and for each four columns which bytes of a stored row they show. A value then takes a few
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
/// Columns of the output that are moved at once: a word of codes.
inline constexpr std::int32_t kWordColumns = 4;

/// A line of the output: a row of a channel, or of all channels if they are interleaved. A mask has all bits or none.
struct alignas(16) MovedLine {
  std::int32_t offset;    ///< of the row's first code in the stored sample; of any row if all are beyond the edge
  std::uint32_t channel;  ///< 0 if channels are interleaved
  std::uint32_t beyond;   ///< shows the fill value of a crop
  std::uint32_t erased;   ///< has pixels that a step fills
};

/// Four columns of the output. A mask has a byte for each of them, with all bits or none.
struct alignas(16) MovedWord {
  std::int32_t first;      ///< stored column of the first byte that is loaded; if rows have four, all are in the row
  std::uint32_t selector;  ///< digit i, of four: which of the bytes column i shows
  std::uint32_t beyond;    ///< columns that show the fill value of a crop
  std::uint32_t erased;    ///< columns that a step fills
};

/// What a channel shows.
struct alignas(16) MovedChannel {
  Affine map;                    ///< of its values
  std::uint32_t beyond, erased;  ///< four codes of a crop's and an erasure's fill value, with flipped signs
};

/// The row or column of the stored image that shows at `at` of the output; -1 - i: the fill value of step i. `steps`
/// are indexed like the operations.
template <typename Steps>
OCTAVO_HOST_DEVICE inline std::int32_t moved_from(const AugmentProgram& program, const Steps& steps, ImageAxis axis,
                                                  std::int32_t at) {
  for (int i = program.op_count - 1; i >= 0; --i) {
    const ImageSize size = program.sizes[i];
    at = pixel_before(program.ops[i], steps[i], axis, axis == ImageAxis::down ? size.height : size.width, at);
    if (at < 0) return -1 - i;
  }
  return at;
}

/// An axis without mirrored or repeated borders: output `at` shows sign * at + offset if it is in [first, end), and a
/// fill value elsewhere.
struct MovedAxis {
  std::int32_t sign, offset, first, end;
  bool is_straight;                         ///< otherwise moved_from() tells
  std::int32_t erased_first, erased_count;  ///< the rows or columns of the output that the erasure fills

  OCTAVO_HOST_DEVICE std::int32_t from(std::int32_t at) const {
    return at >= first && at < end ? sign * at + offset : -1;
  }
  OCTAVO_HOST_DEVICE bool erases(std::int32_t at) const {
    return static_cast<std::uint32_t>(at - erased_first) < static_cast<std::uint32_t>(erased_count);
  }
};

template <typename Steps>
OCTAVO_HOST_DEVICE inline MovedAxis moved_axis(const AugmentProgram& program, const Steps& steps, ImageAxis axis) {
  const auto count_of = [&](int i) {
    return axis == ImageAxis::down ? program.sizes[i].height : program.sizes[i].width;
  };
  MovedAxis moved{1, 0, 0, count_of(program.op_count), true, 0, 0};
  for (int i = program.op_count - 1; i >= 0; --i) {
    const MovingStep& step = steps[i];
    const std::int32_t count = count_of(i);
    if (step.kind == (axis == ImageAxis::down ? StepKind::flip_y : StepKind::flip_x)) {
      moved.sign = -moved.sign;
      moved.offset = count - 1 - moved.offset;
    } else if (step.kind == StepKind::crop) {
      moved.offset += axis == ImageAxis::down ? step.y : step.x;
      // The output pixels that show pixels 0 and count - 1 of the axis.
      const std::int32_t zero = -moved.sign * moved.offset, last = zero + moved.sign * (count - 1);
      const std::int32_t low = zero < last ? zero : last, high = zero < last ? last : zero;
      const bool is_inside = low <= moved.first && high >= moved.end - 1;
      moved.is_straight = moved.is_straight && (is_inside || program.ops[i].border == Border::constant);
      moved.first = low > moved.first ? low : moved.first;
      moved.end = high < moved.end - 1 ? high + 1 : moved.end;
    } else if (step.kind == StepKind::erase) {
      moved.erased_first = axis == ImageAxis::down ? step.y : step.x;
      moved.erased_count = axis == ImageAxis::down ? step.height : step.width;
    }
  }
  return moved;
}

/// The stored pixel of output `at`; below 0: a fill value.
template <typename Steps>
OCTAVO_HOST_DEVICE inline std::int32_t moved_pixel(const AugmentProgram& program, const Steps& steps, ImageAxis axis,
                                                   const MovedAxis& moved, std::int32_t at) {
  return moved.is_straight ? moved.from(at) : moved_from(program, steps, axis, at);
}

/// Line `y` of channel `c`, of stored planes of `pixels` codes.
template <typename Steps>
OCTAVO_HOST_DEVICE inline MovedLine moved_line(const AugmentProgram& program, const Steps& steps, const MovedAxis& down,
                                               std::int32_t pixels, std::int32_t c, std::int32_t y) {
  const std::int32_t row = moved_pixel(program, steps, ImageAxis::down, down, y);
  return {c * pixels + (row < 0 ? 0 : row) * program.sizes[0].width, static_cast<std::uint32_t>(c),
          row < 0 ? ~std::uint32_t{0} : 0, down.erases(y) ? ~std::uint32_t{0} : 0};
}

/// The four columns from `x` on, which may begin before the line or end after it. Neighbors in the output show
/// neighbors, or the same pixel, in the stored image, so all that show are within four bytes.
template <typename Steps>
OCTAVO_HOST_DEVICE inline MovedWord moved_word(const AugmentProgram& program, const Steps& steps,
                                               const MovedAxis& across, std::int32_t x) {
  const std::int32_t stored_width = program.sizes[0].width, width = program.sizes[program.op_count].width;
  std::int32_t columns[kWordColumns], lowest = stored_width < kWordColumns ? 0 : stored_width - kWordColumns;
  MovedWord word{};
  for (std::int32_t i = 0; i < kWordColumns; ++i) {
    const bool is_inside = x + i >= 0 && x + i < width;
    columns[i] = is_inside ? moved_pixel(program, steps, ImageAxis::across, across, x + i) : -1;
    const std::uint32_t byte = 0xFFu << (8 * i);
    if (columns[i] < 0)
      word.beyond |= byte;
    else
      lowest = columns[i] < lowest ? columns[i] : lowest;
    if (across.erases(x + i)) word.erased |= byte;
  }
  word.first = lowest;
  for (std::int32_t i = 0; i < kWordColumns; ++i) {
    if (columns[i] >= 0) word.selector |= static_cast<std::uint32_t>(columns[i] - lowest) << (4 * i);
  }
  return word;
}

/// The map of the values of channel `c`, or, if `erasure` is not negative, of those that this step fills. Jitters
/// change the map; those after an erasure also change what it has filled.
template <typename Steps>
OCTAVO_HOST_DEVICE inline Affine moved_map(const AugmentProgram& program, const Steps& steps, Affine map, int erasure,
                                           std::int32_t c) {
  if (erasure >= 0) map = {0.0f, program.ops[erasure].values.at(c)};
  for (int later = erasure + 1; later < program.op_count; ++later) {
    if (steps[later].kind == StepKind::jitter) map = jittered(map, steps[later]);
  }
  return map;
}

/// Four codes of the same value, with flipped signs.
OCTAVO_HOST_DEVICE inline std::uint32_t four_codes(std::int8_t code) {
  return (static_cast<std::uint32_t>(static_cast<std::uint8_t>(code)) ^ 0x80u) * 0x01010101u;
}

/// Whether a crop of an image of `size` shows its fill value.
OCTAVO_HOST_DEVICE inline bool shows_fill(const AugmentOp& op, const MovingStep& step, ImageSize size) {
  return step.kind == StepKind::crop && op.border == Border::constant &&
         (step.y < 0 || step.x < 0 || step.y + op.height > size.height || step.x + op.width > size.width);
}

/// What channel `c` shows, whose values have `map` before the augmentation.
template <typename Steps>
OCTAVO_HOST_DEVICE inline MovedChannel moved_channel(const AugmentProgram& program, const Steps& steps, Affine map,
                                                     std::int32_t c) {
  MovedChannel channel{moved_map(program, steps, map, -1, c), 0, 0};
  for (int i = 0; i < program.op_count; ++i) {
    const AugmentOp& op = program.ops[i];
    if (shows_fill(op, steps[i], program.sizes[i])) channel.beyond = four_codes(op.fill.at(c));
    if (steps[i].kind != StepKind::erase) continue;
    channel.erased = op.is_normalized ? bits_of(moved_map(program, steps, map, i, c).shift) : four_codes(op.fill.at(c));
  }
  return channel;
}

}  // namespace octavo::kernels
