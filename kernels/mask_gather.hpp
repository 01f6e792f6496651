// The gather of masks: each pixel of an output mask is a pixel of a stored mask, or the ignored value. Masks follow the
// steps that move the pixels of their images, and no others (docs/numerics.md, "Masks").
#pragma once

#include <cstdint>

#include <octavo/types.hpp>

#include "kernels/augment/augmented_image.hpp"
#include "kernels/block_memory.hpp"
#include "kernels/host_device.hpp"
#include "kernels/packed_rows.hpp"
#include "kernels/row_selection.hpp"

namespace octavo::kernels {

/// The arguments of a gather of masks. Borrowed pointers, in memory of the device that runs it.
struct MaskGatherArgs {
  PackedRows packed;              ///< N rows: masks, uint8 [H,W]
  std::int64_t channels;          ///< C of the images, which some draws depend on
  ImageSize size;                 ///< H, W
  ImageSize out_size;             ///< H', W' of an output mask; `size` without a program
  std::int64_t views;             ///< masks per sample
  RowSelection selection;         ///< which rows
  std::int64_t batch_count;       ///< B
  const AugmentProgram* program;  ///< the augmentation of the images, in memory of the device; null: none
  DType dtype;                    ///< uint8 or int64
  std::int64_t ignored;           ///< the value of pixels from beyond the edge of the stored mask
  void* masks;                    ///< [B, views, H', W'] of dtype
  BlockMemory block_memory = {};  ///< on a CUDA device, for masks that are decoded

  std::int64_t pixels() const { return static_cast<std::int64_t>(size.height) * size.width; }
  std::int64_t out_pixels() const { return static_cast<std::int64_t>(out_size.height) * out_size.width; }
};

/// The key of the random numbers that view `view` of `sample` uses: that of its image.
OCTAVO_HOST_DEVICE inline DrawKey draw_key(const MaskGatherArgs& args, const SelectedSample& sample,
                                           std::uint32_t view) {
  return {args.program->seed, sample.epoch, sample.index, view};
}

/// The pixel of a stored mask at (y, x) of an output mask whose image has drawn these steps; -1: the ignored value.
OCTAVO_HOST_DEVICE inline std::int64_t mask_pixel(const AugmentProgram& program, const DrawnImage& image,
                                                  std::int32_t y, std::int32_t x) {
  for (int i = program.op_count - 1; i >= 0; --i) {
    const AugmentStep& step = image.steps[i];
    const ImageSize size = program.sizes[i];
    if (step.kind == StepKind::warp) {
      const WarpPlace place = step.warp.place(y, x);
      const std::int64_t from_y = place.y >> kPlaceBits, from_x = place.x >> kPlaceBits;
      if (from_y < 0 || from_y >= size.height || from_x < 0 || from_x >= size.width) return -1;
      y = static_cast<std::int32_t>(from_y);
      x = static_cast<std::int32_t>(from_x);
      continue;
    }
    y = pixel_before(program.ops[i], step, ImageAxis::down, size.height, y);
    x = pixel_before(program.ops[i], step, ImageAxis::across, size.width, x);
    if (y < 0 || x < 0) return -1;
  }
  return static_cast<std::int64_t>(y) * program.sizes[0].width + x;
}

/// The value of a pixel of an output mask.
template <typename Value>
OCTAVO_HOST_DEVICE inline Value mask_value(const MaskGatherArgs& args, const std::int8_t* mask, std::int64_t pixel) {
  return static_cast<Value>(pixel < 0 ? args.ignored : std::int64_t{static_cast<std::uint8_t>(mask[pixel])});
}

}  // namespace octavo::kernels
