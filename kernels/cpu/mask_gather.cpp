#include "kernels/cpu/mask_gather.hpp"

#include <algorithm>

#include "kernels/augment/needed_part.hpp"
#include "kernels/cpu/row_codes.hpp"
#include "kernels/cpu/scratch_parts.hpp"

namespace octavo::kernels::cpu {
namespace {

/// The stored row of each output row, or the stored column of each output column; -1: the ignored value.
using PixelTable = std::int32_t*;

/// Memory for a stored mask, for the steps of its image, and for the tables of its axes.
struct MaskScratch {
  MaskScratch(const MaskGatherArgs& args, ScratchParts& parts) : stored(args.packed, args.pixels(), parts) {
    std::int64_t most_side = std::max(args.out_size.height, args.out_size.width);
    for (int i = 0; args.program != nullptr && i <= args.program->op_count; ++i) {
      const ImageSize size = args.program->sizes[i];
      most_side = std::max<std::int64_t>({most_side, size.height, size.width});
    }
    image = parts.take<DrawnImage>(1);
    for (PixelTable* const table : {&rows, &columns, &warped_rows, &warped_columns}) {
      *table = parts.take<std::int32_t>(most_side);
    }
    places = parts.take<WarpPlace>(most_side);
  }

  RowCodes stored;
  DrawnImage* image;
  PixelTable rows, columns;                ///< of the output
  PixelTable warped_rows, warped_columns;  ///< of the image that is warped
  WarpPlace* places;                       ///< of the columns of the output
};

template <typename Value>
Value pixel_of(std::int8_t stored) {
  return static_cast<Value>(static_cast<std::uint8_t>(stored));
}

/// Writes where the pixels of an axis of `count` pixels after operation `last` are before operation `first`; no step
/// between them warps.
void find_pixels(const AugmentProgram& program, const DrawnImage& image, StepRange steps, ImageAxis axis,
                 std::int32_t count, PixelTable pixels) {
  for (std::int32_t at = 0; at < count; ++at) {
    std::int32_t pixel = at;
    for (int i = steps.last - 1; i >= steps.first && pixel >= 0; --i) {
      const ImageSize size = program.sizes[i];
      pixel =
          pixel_before(program.ops[i], image.steps[i], axis, axis == ImageAxis::down ? size.height : size.width, pixel);
    }
    pixels[at] = pixel;
  }
}

void find_pixels(const AugmentProgram& program, const DrawnImage& image, StepRange steps, ImageSize size,
                 PixelTable rows, PixelTable columns) {
  find_pixels(program, image, steps, ImageAxis::down, size.height, rows);
  find_pixels(program, image, steps, ImageAxis::across, size.width, columns);
}

template <typename Value>
void fill_by_axes(const MaskGatherArgs& args, const MaskScratch& scratch, const std::int8_t* mask, Value* out) {
  find_pixels(*args.program, *scratch.image, {0, args.program->op_count}, args.out_size, scratch.rows, scratch.columns);
  const auto ignored = static_cast<Value>(args.ignored);
  for (std::int32_t y = 0; y < args.out_size.height; ++y, out += args.out_size.width) {
    if (scratch.rows[y] < 0) {
      std::fill_n(out, args.out_size.width, ignored);
      continue;
    }
    const std::int8_t* const row = mask + static_cast<std::int64_t>(scratch.rows[y]) * args.size.width;
    for (std::int32_t x = 0; x < args.out_size.width; ++x) {
      const std::int32_t column = scratch.columns[x];
      out[x] = column < 0 ? ignored : pixel_of<Value>(row[column]);
    }
  }
}

/// For one warp, which is step `warp`.
template <typename Value>
void fill_warped(const MaskGatherArgs& args, const MaskScratch& scratch, int warp, const std::int8_t* mask,
                 Value* out) {
  const AugmentProgram& program = *args.program;
  const ImageSize size = program.sizes[warp];
  const Warp& map = scratch.image->steps[warp].warp;
  find_pixels(program, *scratch.image, {warp + 1, program.op_count}, args.out_size, scratch.rows, scratch.columns);
  find_pixels(program, *scratch.image, {0, warp}, size, scratch.warped_rows, scratch.warped_columns);
  for (std::int32_t x = 0; x < args.out_size.width; ++x) scratch.places[x] = map.of_column(scratch.columns[x]);
  const auto ignored = static_cast<Value>(args.ignored);
  const auto height = static_cast<std::uint64_t>(size.height), width = static_cast<std::uint64_t>(size.width);
  for (std::int32_t y = 0; y < args.out_size.height; ++y, out += args.out_size.width) {
    const WarpPlace row = map.of_row(scratch.rows[y]);
    for (std::int32_t x = 0; x < args.out_size.width; ++x) {
      // Negative pixels become large ones.
      const auto from_y = static_cast<std::uint64_t>((row.y + scratch.places[x].y) >> kPlaceBits);
      const auto from_x = static_cast<std::uint64_t>((row.x + scratch.places[x].x) >> kPlaceBits);
      out[x] = ignored;
      if (from_y >= height || from_x >= width || scratch.rows[y] < 0 || scratch.columns[x] < 0) continue;
      const std::int64_t stored_y = scratch.warped_rows[from_y], stored_x = scratch.warped_columns[from_x];
      if (stored_y >= 0 && stored_x >= 0) out[x] = pixel_of<Value>(mask[stored_y * args.size.width + stored_x]);
    }
  }
}

/// For any number of warps.
template <typename Value>
void fill_by_pixels(const MaskGatherArgs& args, const DrawnImage& image, const std::int8_t* mask, Value* out) {
  for (std::int32_t y = 0; y < args.out_size.height; ++y) {
    for (std::int32_t x = 0; x < args.out_size.width; ++x) {
      *out++ = mask_value<Value>(args, mask, mask_pixel(*args.program, image, y, x));
    }
  }
}

template <typename Value>
void fill(const MaskGatherArgs& args, const MaskScratch& scratch, const std::int8_t* mask, Value* out) {
  int warp_count = 0, warp = 0;
  for (int i = 0; i < args.program->op_count; ++i) {
    if (scratch.image->steps[i].kind != StepKind::warp) continue;
    ++warp_count;
    warp = i;
  }
  if (warp_count == 0) return fill_by_axes(args, scratch, mask, out);
  if (warp_count == 1) return fill_warped(args, scratch, warp, mask, out);
  fill_by_pixels(args, *scratch.image, mask, out);
}

template <typename Value>
void gather_as(const MaskGatherArgs& args, std::int64_t first, std::int64_t last, const MaskScratch& scratch) {
  const std::int64_t pixels = args.out_pixels();
  auto* const masks = static_cast<Value*>(args.masks);
  for (std::int64_t i = first * args.views; i < last * args.views; ++i) {
    const SelectedSample sample = sample_at(args.selection, i / args.views);
    Value* const out = masks + i * pixels;
    if (args.program == nullptr) {
      std::copy_n(reinterpret_cast<const std::uint8_t*>(scratch.stored.of(sample.row)), pixels, out);
      continue;
    }
    const DrawKey key = draw_key(args, sample, static_cast<std::uint32_t>(i % args.views));
    for (int op = 0; op < args.program->op_count; ++op) {
      draw_step(*args.program, args.channels, key, op, *scratch.image);
    }
    fill(args, scratch, scratch.stored.of(sample.row, needed_part(*args.program, *scratch.image)), out);
  }
}

}  // namespace

std::int64_t mask_scratch_bytes(const MaskGatherArgs& args) {
  ScratchParts parts(nullptr);
  MaskScratch(args, parts);
  return parts.bytes();
}

void gather_masks(const MaskGatherArgs& args, std::int64_t first, std::int64_t last, std::byte* scratch) {
  ScratchParts parts(scratch);
  const MaskScratch memory(args, parts);
  if (args.dtype == DType::uint8)
    gather_as<std::uint8_t>(args, first, last, memory);
  else
    gather_as<std::int64_t>(args, first, last, memory);
}

}  // namespace octavo::kernels::cpu
