// The augmented gather with SIMD instructions, compiled once per instruction set and chosen at run time (Highway).
//
// A byte permutation moves 16 pixels of flips and crops. Where the output allows, they are decoded in registers; other
// images are made as codes, some rows at a time, which are decoded while they are in the L1 cache.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/gather_augmented.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstring>

#include "kernels/augment/needed_part.hpp"
#include "kernels/cpu/decode_run-inl.hpp"
#include "kernels/cpu/decoders-inl.hpp"
#include "kernels/cpu/floating_point_mode.hpp"
#include "kernels/cpu/gather.hpp"
#include "kernels/cpu/gather_output-inl.hpp"
#include "kernels/cpu/image/image_maker-inl.hpp"
#include "kernels/cpu/image/image_maps-inl.hpp"
#include "kernels/cpu/row_codes.hpp"
#include "kernels/cpu/row_window.hpp"

HWY_BEFORE_NAMESPACE();
namespace octavo::kernels::cpu {
namespace HWY_NAMESPACE {
#if HWY_NATIVE_FMA
// Without a name, because both gathers have functions of the same name that differ.
namespace {

/// Rows of an image that are made, then decoded, while they are in the L1 cache.
std::int32_t band_rows(const GatherArgs& args) {
  constexpr std::int64_t kBandValues = 1024;
  const std::int64_t row_values = args.batch.image.width * (keeps_order(args) ? 1 : args.sample.channels);
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(kBandValues / row_values, 1, args.batch.image.height));
}

std::int64_t most_band_values(const GatherArgs& args) {
  return band_rows(args) * args.batch.image.width * (keeps_order(args) ? 1 : args.sample.channels);
}

/// The scratch memory of one image. Without memory, counts the bytes.
struct RowsScratch {
  RowsScratch(const GatherArgs& args, ScratchParts& parts) : codes(args.packed, args.sample.values(), parts) {
    const AugmentProgram& program = *args.augment.program;
    const std::int64_t C = args.sample.channels;
    const std::int64_t band_values = most_band_values(args);
    maps = parts.take<Affine>(C);
    scales = parts.take<float>(band_values);
    shifts = parts.take<float>(band_values);
    band = parts.take<std::int8_t>(band_values);
    tile = parts.take<std::int8_t>(band_values);
    for (std::int8_t*& image : images.images) image = parts.take<std::int8_t>(C * program.most_pixels + kWarpPadding);
    std::int32_t most_height = 0;
    for (int i = 0; i <= program.op_count; ++i) most_height = std::max(most_height, program.sizes[i].height);
    images.offsets = parts.take<std::int32_t>(most_height);
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

  RowCodes codes;
  Affine* maps;
  float* scales;
  float* shifts;
  std::int8_t* band;
  std::int8_t* tile;
  ImageScratch images;
};

/// Bytes of the next sample that are prefetched before a sample is made.
constexpr std::int64_t kMostPrefetched = 16 << 10;

/// The rows of augmented images, one image after the other, as runs of codes.
class ImageRows {
 public:
  ImageRows(const GatherArgs& args, ScratchParts& parts)
      : args_(args),
        scratch_(args, parts),
        maker_(*args.augment.program, args.sample, scratch_.images),
        maps_(args, scratch_.maps, scratch_.scales, scratch_.shifts),
        band_rows_(band_rows(args)) {}

  /// `moves_to_output`: bands may be appended with append_moved().
  void begin(std::int64_t row, const DrawnImage& image, bool moves_to_output = false) {
    // Rows in place need no part, which takes a while to find for a small image.
    const bool is_in_memory = is_in_place(args_.packed.coding);
    maker_.begin(
        is_in_memory ? scratch_.codes.of(row) : scratch_.codes.of(row, needed_part(*args_.augment.program, image)),
        image);
    maps_.begin(image);
    visit_value_type(args_.batch.dtype, [&](auto value) {
      decodes_moved_ = moves_to_output && keeps_order(args_) && maker_.can_decode<decltype(value)>();
    });
  }

  /// The end of a band of rows from `first` on that run() accepts.
  std::int32_t end_of_band(std::int32_t first) const {
    const std::int32_t end = maps_.end_of_part(first);
    // Rows that are in memory and have one map need no band.
    if (maker_.is_made() && keeps_order(args_) && maps_.erasures_of(first) == 0) return end;
    if (decodes_moved_) return end;
    return std::min(end, first + band_rows_);
  }
  /// Whether append_moved() appends the bands of this image, in place of run().
  bool decodes_moved() const { return decodes_moved_; }
  /// Appends rows [first, first + count) of a band of channel `c`.
  template <typename Output>
  void append_moved(std::int64_t c, std::int32_t first, std::int32_t count, Output& output) {
    // The rest of a large sample is prefetched from here, because flipped rows defeat the prefetcher of the processor.
    const std::int64_t ahead = args_.sample.values() > kMostPrefetched ? 4096 : 0;
    RowMaps maps = {maps_.map(c), nullptr, nullptr};
    if (const std::uint32_t erasures = maps_.erasures_of(first); erasures != 0) {
      maps_.set_rows(1, erasures, c, false);
      maps = {maps_.map(c), maps_.scales(), maps_.shifts()};
    }
    output.append_made(count * args_.batch.image.width, [&](auto streams, auto* to) {
      maker_.decode_rows<streams.value>(c, first, count, maps, ahead, to);
    });
  }
  /// Rows [first, first + count) of a band: those of channel `c`, or, interleaved, of all channels.
  Run run(std::int64_t c, std::int32_t first, std::int32_t count) {
    const std::int64_t pixels = count * args_.batch.image.width;
    const std::uint32_t erasures = maps_.erasures_of(first);
    if (keeps_order(args_)) return mapped(maker_.rows(c, first, count, scratch_.band), pixels, count, erasures, c);
    const std::int64_t C = args_.sample.channels;
    for (std::int64_t channel = 0; channel < C; ++channel) {
      std::int8_t* const place = scratch_.band + channel * pixels;
      const std::int8_t* const rows = maker_.rows(channel, first, count, place);
      if (rows != place) std::memcpy(place, rows, static_cast<std::size_t>(pixels));
    }
    interleave(scratch_.band, pixels, C, pixels, nullptr, scratch_.tile);
    return mapped(scratch_.tile, pixels * C, count, erasures, 0);
  }

 private:
  Run mapped(const std::int8_t* codes, std::int64_t values, std::int32_t rows, std::uint32_t erasures, std::int64_t c) {
    const bool is_interleaved = !keeps_order(args_);
    if (erasures == 0 && (args_.uniform_map || !is_interleaved)) {
      return {codes, values, maps_.map(c), nullptr, nullptr, nullptr};
    }
    maps_.set_rows(rows, erasures, c, is_interleaved);
    return {codes, values, maps_.map(0), maps_.scales(), maps_.shifts(), nullptr};
  }

  const GatherArgs& args_;
  RowsScratch scratch_;
  ImageMaker maker_;
  ImageMaps maps_;
  std::int32_t band_rows_;
  bool decodes_moved_ = false;
};

/// Appends the bands of an image to `output`: append_band(channel, first, end).
template <typename EndOfBand, typename AppendBand>
void for_bands(const GatherArgs& args, const EndOfBand& end_of_band, const AppendBand& append_band) {
  const auto height = static_cast<std::int32_t>(args.batch.image.height);
  const std::int64_t planes = keeps_order(args) ? args.sample.channels : 1;
  for (std::int64_t c = 0; c < planes; ++c) {
    for (std::int32_t y = 0; y < height;) {
      const std::int32_t end = end_of_band(y);
      append_band(c, y, end - y);
      y = end;
    }
  }
}

/// Gathers augmented images, one after the other.
class ImageGather {
 public:
  ImageGather(const GatherArgs& args, ScratchParts& parts) : args_(args), rows_(args, parts) {}

  template <typename Output>
  void append(const MixedSample& mixed, std::uint32_t view, Output& output) {
    DrawnImage image;
    draw_image(args_, mixed.sample, view, image);
    constexpr bool kMovesToOutput = requires {
      output.append_made(0, [](auto, auto*) {});
    };
    rows_.begin(mixed.sample.row, image, kMovesToOutput);
    for_bands(
        args_, [&](std::int32_t first) { return rows_.end_of_band(first); },
        [&](std::int64_t c, std::int32_t first, std::int32_t count) {
          if constexpr (kMovesToOutput) {
            if (rows_.decodes_moved()) return rows_.append_moved(c, first, count, output);
          }
          output.append(rows_.run(c, first, count));
        });
  }

 private:
  const GatherArgs& args_;
  ImageRows rows_;
};

/// The values of a band of an image, and of its partner.
struct MixedValues {
  MixedValues(const GatherArgs& args, ScratchParts& parts)
      : own(parts.take<float>(most_band_values(args))), partner(parts.take<float>(most_band_values(args))) {}

  float *own, *partner;
};

/// Gathers augmented images that are mixed with those of their partners.
class MixedGather {
 public:
  MixedGather(const GatherArgs& args, ScratchParts& parts)
      : args_(args), own_(args, parts), partner_(args, parts), values_(args, parts) {}

  template <typename Output>
  void append(const MixedSample& mixed, std::uint32_t view, Output& output) {
    DrawnImage own, partner;
    draw_image(args_, mixed.sample, view, own);
    own_.begin(mixed.sample.row, own);
    if (mixed.step.kind != MixKind::none) {
      draw_image(args_, mixed.partner, view, partner);
      partner_.begin(mixed.partner.row, partner);
    }
    for_bands(
        args_,
        [&](std::int32_t first) {
          const std::int32_t most = std::min(own_.end_of_band(first), first + band_rows(args_));
          return mixed.step.kind == MixKind::none ? most : std::min(most, partner_.end_of_band(first));
        },
        [&](std::int64_t c, std::int32_t first, std::int32_t count) {
          append_band(mixed.step, c, first, count, output);
        });
  }

 private:
  template <typename Output>
  void append_band(const MixStep& step, std::int64_t c, std::int32_t first, std::int32_t count, Output& output) {
    const bool shows_partner = step.kind == MixKind::mixup || (step.kind == MixKind::cutmix && step.width > 0 &&
                                                               first < step.y + step.height && first + count > step.y);
    const Run own = own_.run(c, first, count);
    if (!shows_partner) return output.append(own);
    const Run partner = partner_.run(c, first, count);
    if (step.kind == MixKind::mixup) {
      decode_run<false>(own, values_.own);
      decode_run<false>(partner, values_.partner);
      blend(step, own.count);
      return output.append_values(values_.own, own.count);
    }
    const std::int64_t step_values = keeps_order(args_) ? 1 : args_.sample.channels;
    const std::int64_t row = args_.batch.image.width * step_values;
    const std::int64_t left = step.x * step_values, right = (step.x + step.width) * step_values;
    for (std::int32_t i = 0; i < count; ++i) {
      const bool is_cut = first + i >= step.y && first + i < step.y + step.height;
      if (!is_cut) {
        output.append(part(own, i * row, row));
        continue;
      }
      if (left > 0) output.append(part(own, i * row, left));
      output.append(part(partner, i * row + left, right - left));
      if (right < row) output.append(part(own, i * row + right, row - right));
    }
  }
  void blend(const MixStep& step, std::int64_t count) const {
    const Floats floats;
    constexpr auto kLanes = static_cast<std::int64_t>(hn::MaxLanes(floats));
    const auto own = hn::Set(floats, step.own), other = hn::Set(floats, step.other);
    std::int64_t i = 0;
    for (; i + kLanes <= count; i += kLanes) {
      const auto sum = hn::Add(hn::Mul(own, hn::LoadU(floats, values_.own + i)),
                               hn::Mul(other, hn::LoadU(floats, values_.partner + i)));
      hn::StoreU(sum, floats, values_.own + i);
    }
    for (; i < count; ++i) values_.own[i] = step.own * values_.own[i] + step.other * values_.partner[i];
  }

  const GatherArgs& args_;
  ImageRows own_, partner_;
  MixedValues values_;
};

/// Calls gather(mixed, view) for each image of positions [first, last). Prefetches samples ahead of their use.
template <typename Gather>
void for_images(const GatherArgs& args, std::int64_t first, std::int64_t last, const Gather& gather) {
  constexpr std::int64_t kCodeLine = 64, kTouchAhead = 5;
  static_assert(kTouchAhead < RowWindow::kLookAhead);
  RowWindow window(args.selection, first, last);
  const std::int64_t prefetched = std::min(args.packed.row_stride_bytes, kMostPrefetched);
  for (std::int64_t b = first; b < last; ++b) {
    if (b + kTouchAhead < last) prefetch(stored_bytes(args.packed, window.row(b + kTouchAhead)));
    if (b + 1 < last) {
      const std::int8_t* const next = stored_bytes(args.packed, window.row(b + 1));
      for (std::int64_t i = 0; i < prefetched; i += kCodeLine) prefetch(next + i);
    }
    const SelectedSample sample = window.sample(b);
    const MixedSample mixed = args.augment.mix.is_on ? mixed_sample_at(args, b) : unmixed(sample);
    for (std::int64_t view = 0; view < args.batch.views; ++view) gather(mixed, static_cast<std::uint32_t>(view));
    if (args.out_labels == nullptr) continue;
    for (std::int64_t i = 0; i < label_width(args); ++i) write_label_number(args, mixed, b, i);
  }
}

template <typename Images, typename Output>
void gather_images(const GatherArgs& args, std::int64_t first, std::int64_t last, std::byte* scratch, Output& output) {
  ScratchParts parts(scratch);
  Images images(args, parts);
  for_images(args, first, last,
             [&](const MixedSample& mixed, std::uint32_t view) { images.append(mixed, view, output); });
  output.finish();
}

template <typename Output>
void gather_to(const GatherArgs& args, std::int64_t first, std::int64_t last, std::byte* scratch, Output&& output) {
  if (args.augment.mix.is_on)
    gather_images<MixedGather>(args, first, last, scratch, output);
  else
    gather_images<ImageGather>(args, first, last, scratch, output);
}

/// Whether every run of the output consists of whole cache lines: a run has whole rows of the output.
template <typename Value>
bool is_whole_lines(const GatherArgs& args) {
  const std::int64_t row = args.batch.image.width * (keeps_order(args) ? 1 : args.sample.channels);
  // CutMix divides rows.
  return !args.augment.mix.is_on && row % kLine<Value> == 0 &&
         reinterpret_cast<std::uintptr_t>(args.values) % kLineBytes == 0;
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

}  // namespace

void gather_augmented_here(const GatherArgs& args, std::int64_t first, std::int64_t last, Stores stores,
                           std::byte* scratch) {
  visit_value_type(args.batch.dtype,
                   [&](auto value) { gather_as<decltype(value)>(args, first, last, stores, scratch); });
}
std::int64_t scratch_bytes_here(const GatherArgs& args) {
  ScratchParts parts(nullptr);
  RowsScratch(args, parts);
  if (args.augment.mix.is_on) {
    RowsScratch(args, parts);  // of the partner
    MixedValues(args, parts);
  }
  return parts.bytes();
}

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
