// The gather for any processor: the reference for the SIMD paths, and the path without a fused multiply-add
// instruction.
#include <optional>

#include "kernels/augment/image_passes.hpp"
#include "kernels/augment/needed_part.hpp"
#include "kernels/cpu/decode_run.hpp"
#include "kernels/cpu/floating_point_mode.hpp"
#include "kernels/cpu/gather.hpp"
#include "kernels/cpu/row_codes.hpp"
#include "kernels/cpu/scratch_parts.hpp"

namespace octavo::kernels::cpu {
namespace {

/// The filters of a resizing step in memory, because a pixel uses the weights that its neighbors use.
class StoredFilters {
 public:
  static constexpr bool kResizes = true;

  StoredFilters(const AugmentProgram& program, ScratchParts& parts) {
    const std::int64_t outputs = program.most_resampled_output;
    for (Axis& axis : axes_) {
      axis.outputs = parts.take<Output>(outputs);
      axis.weights = parts.take<std::int16_t>(program.most_filter_weights);
    }
  }

  void fill(const AugmentProgram& program, const DrawnImage& image, StepRange steps) {
    for (int i = steps.first; i < steps.last; ++i) {
      const AugmentStep& step = image.steps[i];
      const AugmentOp& op = program.ops[i];
      if (step.kind != StepKind::resample) continue;
      axes_[0].fill(filter_of(op, step, ImageAxis::down));
      axes_[1].fill(filter_of(op, step, ImageAxis::across));
    }
  }
  template <typename Visit>
  void for_weights(ImageAxis of, const AxisFilter&, std::int32_t out, const Visit& visit) const {
    const Axis& axis = axes_[of == ImageAxis::down ? 0 : 1];
    const Output& output = axis.outputs[out];
    for (std::int32_t k = 0; k < output.count; ++k) {
      visit(output.first + k, std::int32_t{axis.weights[output.weights + k]});
    }
  }

 private:
  /// The pixels that make an output, and where their weights are.
  struct Output {
    std::int32_t first, count;
    std::int64_t weights;
  };
  struct Axis {
    Output* outputs;
    std::int16_t* weights;

    void fill(const AxisFilter& filter) const {
      std::int64_t filled = 0;
      for (std::int32_t out = 0; out < filter.out_count; ++out) {
        outputs[out] = {filter.first(out), filter.end(out) - filter.first(out), filled};
        filter.for_weights(
            out, [&](std::int32_t, std::int32_t weight) { weights[filled++] = static_cast<std::int16_t>(weight); });
      }
    }
  };

  Axis axes_[2];
};

/// The scratch memory of one image.
struct PortableScratch {
  PortableScratch(const GatherArgs& args, ScratchParts& parts)
      : codes(args.packed, args.sample.values(), parts),
        filters(*args.augment.program, parts),
        images(image_memory(*args.augment.program, args.sample.channels,
                            parts.take<std::byte>(image_memory_bytes(*args.augment.program, args.sample.channels)))) {}

  RowCodes codes;
  StoredFilters filters;
  ImageMemory images;
  ImageStatistics statistics;
};

/// One view of a sample, whose images a pass has made as far as single values need it.
class DefinedImage {
 public:
  DefinedImage(const GatherArgs& args, const SelectedSample& sample, std::uint32_t view, PortableScratch& scratch)
      : sample_(sample) {
    draw_image(args, sample, view, drawn_);
    codes_ = scratch.codes.of(sample.row, needed_part(*args.augment.program, drawn_));
    const OneThread thread;
    ImagePasses passes(thread, *args.augment.program, drawn_, args.sample.channels, scratch.images, scratch.statistics,
                       scratch.filters);
    const StepRange rest = passes.make(codes_);
    if (passes.made() != nullptr) codes_ = passes.made();
    stages_.emplace(drawn_stages(args, drawn_, rest, scratch.filters));
  }
  DefinedImage(const DefinedImage&) = delete;
  DefinedImage& operator=(const DefinedImage&) = delete;

  float value(std::int64_t i) const { return gathered_value(*stages_, codes_, sample_, i); }

 private:
  SelectedSample sample_;
  DrawnImage drawn_;
  const std::int8_t* codes_ = nullptr;
  std::optional<DrawnStages<StoredFilters>> stages_;
};

template <typename Value>
void gather_view(const GatherArgs& args, const MixedSample& mixed, std::uint32_t view, Value* out, std::byte* memory) {
  const std::int64_t value_count = args.batch.image.values();
  ScratchParts parts(memory);
  if (args.augment.program == nullptr) {
    const PlainStages stages = plain_stages(args);
    const std::int8_t* const codes = RowCodes(args.packed, args.sample.values(), parts).of(mixed.sample.row);
    for (std::int64_t i = 0; i < value_count; ++i) {
      out[i] = round_to<Value>(gathered_value(stages, codes, mixed.sample, i));
    }
    return;
  }
  PortableScratch own_scratch(args, parts), partner_scratch(args, parts);
  const DefinedImage own(args, mixed.sample, view, own_scratch);
  std::optional<DefinedImage> partner;
  if (mixed.step.kind != MixKind::none) partner.emplace(args, mixed.partner, view, partner_scratch);
  const OutputPixels pixels(args.batch.layout, args.batch.image);
  for (std::int64_t i = 0; i < value_count; ++i) {
    const OutputPixel at = pixels.at(i);
    out[i] = round_to<Value>(mixed_value(
        mixed.step, at.y, at.x, [&] { return own.value(i); }, [&] { return partner->value(i); }));
  }
}

template <typename Value>
void gather_as(const GatherArgs& args, std::int64_t first, std::int64_t last, std::byte* scratch) {
  const std::int64_t views = args.batch.views, value_count = args.batch.image.values();
  for (std::int64_t b = first; b < last; ++b) {
    const MixedSample mixed = mixed_sample_at(args, b);
    for (std::int64_t view = 0; view < views; ++view) {
      gather_view(args, mixed, static_cast<std::uint32_t>(view),
                  static_cast<Value*>(args.values) + (b * views + view) * value_count, scratch);
    }
    if (args.out_labels == nullptr) continue;
    for (std::int64_t i = 0; i < label_width(args); ++i) write_label_number(args, mixed, b, i);
  }
}

}  // namespace

std::int64_t portable_scratch_bytes(const GatherArgs& args) {
  if (args.augment.program == nullptr) return gather_scratch_bytes(args);
  ScratchParts parts(nullptr);
  PortableScratch(args, parts);
  PortableScratch(args, parts);  // of the partner
  return parts.bytes();
}

void gather_portable(const GatherArgs& args, std::int64_t first, std::int64_t last, std::byte* scratch) {
  const DefaultFloatingPointMode mode;
  visit_value_type(args.batch.dtype, [&](auto value) { gather_as<decltype(value)>(args, first, last, scratch); });
}

}  // namespace octavo::kernels::cpu
