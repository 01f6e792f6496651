// The augmented gather with SIMD instructions, compiled once per instruction set and chosen at run time (Highway).
//
// An image is made as codes, some rows at a time: a byte permutation moves 16 pixels. These rows are decoded while they
// are in the L1 cache, like those of a plain sample, which is the longer part of the work.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/gather_augmented.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstring>

#include "kernels/cpu/decode_run-inl.hpp"
#include "kernels/cpu/decoders-inl.hpp"
#include "kernels/cpu/floating_point_mode.hpp"
#include "kernels/cpu/gather.hpp"
#include "kernels/cpu/gather_output-inl.hpp"
#include "kernels/cpu/image_maker-inl.hpp"
#include "kernels/cpu/image_maps-inl.hpp"
#include "kernels/cpu/row_window.hpp"

HWY_BEFORE_NAMESPACE();
namespace octavo::kernels::cpu {
namespace HWY_NAMESPACE {
#if HWY_NATIVE_FMA

/// Rows of an image that are made, then decoded, while they are in the L1 cache.
std::int32_t band_rows(const GatherArgs& args) {
  constexpr std::int64_t kBandValues = 1024;
  const std::int64_t row_values = args.batch.image.width * (keeps_order(args) ? 1 : args.sample.channels);
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(kBandValues / row_values, 1, args.batch.image.height));
}

/// The scratch memory of a thread. Without memory, counts the bytes.
struct AugmentScratch {
  AugmentScratch(const GatherArgs& args, std::byte* memory) : parts(memory) {
    const AugmentProgram& program = *args.program;
    const std::int64_t C = args.sample.channels;
    const std::int64_t band_values = band_rows(args) * args.batch.image.width * (keeps_order(args) ? 1 : C);
    maps = parts.take<Affine>(C);
    scales = parts.take<float>(band_values);
    shifts = parts.take<float>(band_values);
    band = parts.take<std::int8_t>(band_values);
    tile = parts.take<std::int8_t>(band_values);
    for (std::int8_t*& image : images.images) image = parts.take<std::int8_t>(C * program.most_pixels + kWarpPadding);
    const std::int64_t side = program.most_resampled_side;
    for (AxisScratch* axis : {&images.resampling.down, &images.resampling.across}) {
      axis->first = parts.take<std::int32_t>(program.most_resampled_output);
      axis->weights = parts.take<std::int16_t>(program.most_filter_weights);
    }
    images.resampling.rows = parts.take<std::uint16_t>(kTileRows * side);
    images.resampling.tile = parts.take<std::uint16_t>(kTileRows * side);
    images.warp.x = parts.take<std::int32_t>(program.most_width);
    images.warp.y = parts.take<std::int32_t>(program.most_width);
  }

  ScratchParts parts;
  Affine* maps;
  float* scales;
  float* shifts;
  std::int8_t* band;
  std::int8_t* tile;
  ImageScratch images;
};

/// Gathers augmented images, one after the other.
class ImageGather {
 public:
  ImageGather(const GatherArgs& args, std::byte* scratch)
      : args_(args),
        scratch_(args, scratch),
        maker_(*args.program, args.sample, scratch_.images),
        maps_(args, scratch_.maps, scratch_.scales, scratch_.shifts),
        band_rows_(band_rows(args)) {}

  template <typename Output>
  void append(const std::int8_t* codes, const DrawnImage& image, Output& output) {
    maker_.begin(codes, image);
    maps_.begin(image);
    if (keeps_order(args_))
      append_planes(output);
    else
      append_pixels(output);
  }

 private:
  template <typename Output>
  void append_planes(Output& output) {
    const std::int64_t width = args_.batch.image.width;
    for (std::int64_t c = 0; c < args_.sample.channels; ++c) {
      for_bands([&](std::int32_t y, std::int32_t count, std::uint32_t erasures) {
        const std::int8_t* const rows = maker_.rows(c, y, count, scratch_.band);
        if (erasures == 0) return output.append(Run{rows, count * width, maps_.map(c), nullptr, nullptr, nullptr});
        maps_.set_rows(count, erasures, c, false);
        append_mapped(rows, count * width, output);
      });
    }
  }

  template <typename Output>
  void append_pixels(Output& output) {
    const std::int64_t C = args_.sample.channels;
    for_bands([&](std::int32_t y, std::int32_t count, std::uint32_t erasures) {
      const std::int64_t pixels = count * args_.batch.image.width;
      for (std::int64_t c = 0; c < C; ++c) {
        std::int8_t* const place = scratch_.band + c * pixels;
        const std::int8_t* const rows = maker_.rows(c, y, count, place);
        if (rows != place) std::memcpy(place, rows, static_cast<std::size_t>(pixels));
      }
      interleave(scratch_.band, pixels, C, pixels, nullptr, scratch_.tile);
      if (erasures == 0 && args_.uniform_map) {
        return output.append(Run{scratch_.tile, pixels * C, maps_.map(0), nullptr, nullptr, nullptr});
      }
      maps_.set_rows(count, erasures, 0, true);
      append_mapped(scratch_.tile, pixels * C, output);
    });
  }

  /// Calls append(first_row, row_count, erasures) for the bands of an image.
  template <typename Append>
  void for_bands(const Append& append) const {
    maps_.for_parts([&](std::int32_t first, std::int32_t count, std::uint32_t erasures) {
      // Rows that are in memory and have one map need no band.
      const bool is_one_band = erasures == 0 && maker_.is_made() && keeps_order(args_);
      const std::int32_t most = is_one_band ? count : band_rows_;
      for (std::int32_t y = 0; y < count; y += most) append(first + y, std::min(most, count - y), erasures);
    });
  }

  template <typename Output>
  void append_mapped(const std::int8_t* codes, std::int64_t count, Output& output) const {
    output.append(Run{codes, count, maps_.map(0), maps_.scales(), maps_.shifts(), nullptr});
  }

  const GatherArgs& args_;
  AugmentScratch scratch_;
  ImageMaker maker_;
  ImageMaps maps_;
  std::int32_t band_rows_;
};

/// Calls gather(codes, image) for each image of positions [first, last). Prefetches samples ahead of their use.
template <typename Gather>
void for_images(const GatherArgs& args, std::int64_t first, std::int64_t last, const Gather& gather) {
  constexpr std::int64_t kCodeLine = 64, kMostPrefetched = 16 << 10, kTouchAhead = 5;
  static_assert(kTouchAhead < RowWindow::kLookAhead);
  RowWindow window(args.selection, first, last);
  const std::int64_t prefetched = std::min(args.sample.values(), kMostPrefetched);
  for (std::int64_t b = first; b < last; ++b) {
    if (b + kTouchAhead < last) prefetch(codes_of(args.packed, window.row(b + kTouchAhead)));
    if (b + 1 < last) {
      const std::int8_t* const next = codes_of(args.packed, window.row(b + 1));
      for (std::int64_t i = 0; i < prefetched; i += kCodeLine) prefetch(next + i);
    }
    const SelectedSample sample = window.sample(b);
    const std::int8_t* const codes = codes_of(args.packed, sample.row);
    for (std::int64_t view = 0; view < args.batch.views; ++view) {
      DrawnImage image;
      draw_image(args, sample, static_cast<std::uint32_t>(view), image);
      gather(codes, image);
    }
    if (args.out_labels == nullptr) continue;
    for (std::int64_t word = 0; word < args.packed.label_words; ++word) copy_label_word(args, sample.row, b, word);
  }
}

template <typename Output>
void gather_to(const GatherArgs& args, std::int64_t first, std::int64_t last, std::byte* scratch, Output&& output) {
  ImageGather images(args, scratch);
  for_images(args, first, last, [&](const auto* codes, const auto& image) { images.append(codes, image, output); });
  output.finish();
}

/// Whether every run of the output consists of whole cache lines: a run has whole rows of the output.
template <typename Value>
bool is_whole_lines(const GatherArgs& args) {
  const std::int64_t row = args.batch.image.width * (keeps_order(args) ? 1 : args.sample.channels);
  return row % kLine<Value> == 0 && reinterpret_cast<std::uintptr_t>(args.values) % kLineBytes == 0;
}

template <typename Value>
void gather_as(const GatherArgs& args, std::int64_t first, std::int64_t last, Stores stores, std::byte* scratch) {
  Value* const out = static_cast<Value*>(args.values) + first * args.batch.values();
  if (stores == Stores::cached)
    gather_to(args, first, last, scratch, DirectOutput<false, Value>(out));
  else if (is_whole_lines<Value>(args))
    gather_to(args, first, last, scratch, DirectOutput<true, Value>(out));
  else
    gather_to(args, first, last, scratch, StagedOutput<Value>(out));
}

void gather_augmented_here(const GatherArgs& args, std::int64_t first, std::int64_t last, Stores stores,
                           std::byte* scratch) {
  visit_value_type(args.batch.dtype,
                   [&](auto value) { gather_as<decltype(value)>(args, first, last, stores, scratch); });
}
std::int64_t scratch_bytes_here(const GatherArgs& args) { return AugmentScratch(args, nullptr).parts.bytes(); }

#else

void gather_augmented_here(const GatherArgs& args, std::int64_t first, std::int64_t last, Stores, std::byte* scratch) {
  gather_portable(args, first, last, scratch);
}
std::int64_t scratch_bytes_here(const GatherArgs& args) { return portable_scratch_bytes(args); }

#endif  // HWY_NATIVE_FMA
}  // namespace HWY_NAMESPACE
}  // namespace octavo::kernels::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace octavo::kernels::cpu {

HWY_EXPORT(gather_augmented_here);
HWY_EXPORT(scratch_bytes_here);

std::int64_t augment_scratch_bytes(const GatherArgs& args) { return HWY_DYNAMIC_DISPATCH(scratch_bytes_here)(args); }

void gather_augmented(const GatherArgs& args, std::int64_t first, std::int64_t last, Stores stores,
                      std::byte* scratch) {
  const DefaultFloatingPointMode mode;
  HWY_DYNAMIC_DISPATCH(gather_augmented_here)(args, first, last, stores, scratch);
}

}  // namespace octavo::kernels::cpu
#endif
