// The maps of augmented images. A per-target part of the augmented gather (Highway), hence the special include guard.
#if defined(OCTAVO_KERNELS_CPU_IMAGE_MAPS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef OCTAVO_KERNELS_CPU_IMAGE_MAPS_INL_HPP
#undef OCTAVO_KERNELS_CPU_IMAGE_MAPS_INL_HPP
#else
#define OCTAVO_KERNELS_CPU_IMAGE_MAPS_INL_HPP
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>

#include "kernels/gather.hpp"

HWY_BEFORE_NAMESPACE();
namespace octavo::kernels::cpu {
namespace HWY_NAMESPACE {
#if HWY_NATIVE_FMA

/// The maps of one image: one per channel, or for all, and where erasures change them.
class ImageMaps {
 public:
  /// Borrows memory for C maps, and for the scales and shifts of a band.
  ImageMaps(const GatherArgs& args, Affine* maps, float* scales, float* shifts)
      : args_(args), maps_(maps), scales_(scales), shifts_(shifts) {
    std::copy_n(args.maps, args.uniform_map ? 1 : args.sample.channels, maps_);
  }

  void begin(const DrawnImage& image) {
    const AugmentProgram& program = *args_.augment.program;
    is_uniform_ = args_.uniform_map;
    mapped_ = {};
    has_same_maps_ = is_uniform_;
    erased_count_ = 0;
    if (!program.has_jitter && !program.erases_values) return;
    for (std::int64_t c = 0; c < (is_uniform_ ? 1 : args_.sample.channels); ++c) maps_[c] = args_.maps[c];
    for (int i = 0; i < program.op_count; ++i) {
      const AugmentStep& step = image.steps[i];
      if (step.kind == StepKind::jitter) {
        for (std::int64_t c = 0; c < (is_uniform_ ? 1 : args_.sample.channels); ++c)
          maps_[c] = jittered(maps_[c], step);
      } else if (step.kind == StepKind::erase && program.ops[i].is_normalized) {
        erased_[erased_count_++] = {&step, i};
        has_same_maps_ = has_same_maps_ && program.ops[i].values.is_uniform;
      }
    }
    image_ = &image;
  }

  Affine map(std::int64_t c) const { return maps_[is_uniform_ ? 0 : c]; }
  /// The end of the rows from `first` on that the same erasures change.
  std::int32_t end_of_part(std::int32_t first) const {
    auto end = static_cast<std::int32_t>(args_.batch.image.height);
    for (int i = 0; i < erased_count_; ++i) {
      for (const std::int32_t edge : {erased_[i].step->y, erased_[i].step->y + erased_[i].step->height}) {
        if (edge > first) end = std::min(end, edge);
      }
    }
    return end;
  }
  /// A bit for each erasure that changes row `y`.
  std::uint32_t erasures_of(std::int32_t y) const {
    std::uint32_t found = 0;
    for (int i = 0; i < erased_count_; ++i) {
      if (y >= erased_[i].step->y && y < erased_[i].step->y + erased_[i].step->height) found |= 1u << i;
    }
    return found;
  }
  /// Sets the maps of the values of `rows` rows that `erasures` change, of channel `c` or, if `interleaved`, of all.
  void set_rows(std::int32_t rows, std::uint32_t erasures, std::int64_t c, bool interleaved) {
    const MappedRows mapped = {has_same_maps_ && !interleaved ? 0 : c, rows, erasures};
    if (mapped == mapped_) return;
    mapped_ = mapped;
    const std::int64_t width = args_.batch.image.width, step = interleaved ? args_.sample.channels : 1;
    for (std::int64_t channel = interleaved ? 0 : c; channel < (interleaved ? args_.sample.channels : c + 1);
         ++channel) {
      set_row(width, step, interleaved ? channel : 0, channel, erasures);
    }
    for (std::int32_t row = 1; row < rows; ++row) {
      std::copy_n(scales_, width * step, scales_ + row * width * step);
      std::copy_n(shifts_, width * step, shifts_ + row * width * step);
    }
  }
  const float* scales() const { return scales_; }
  const float* shifts() const { return shifts_; }

 private:
  struct Erased {
    const AugmentStep* step;
    int op;
  };

  /// What set_rows() has set.
  struct MappedRows {
    std::int64_t channel = -1;
    std::int32_t rows = 0;
    std::uint32_t erasures = 0;
    bool operator==(const MappedRows&) const = default;
  };
  /// Sets the maps of one row of `channel`, whose values are `step` apart from `at` on.
  void set_row(std::int64_t width, std::int64_t step, std::int64_t at, std::int64_t channel, std::uint32_t erasures) {
    const auto fill = [&](std::int64_t first, std::int64_t count, Affine with) {
      if (step == 1) {
        std::fill_n(scales_ + first, count, with.scale);
        std::fill_n(shifts_ + first, count, with.shift);
        return;
      }
      for (std::int64_t x = first; x < first + count; ++x) {
        scales_[x * step + at] = with.scale;
        shifts_[x * step + at] = with.shift;
      }
    };
    fill(0, width, map(channel));
    for (int i = 0; i < erased_count_; ++i) {
      if ((erasures >> i & 1) == 0) continue;
      fill(erased_[i].step->x, erased_[i].step->width, {0.0f, value_of(erased_[i].op, channel)});
    }
  }

  /// What erasure `op` writes to channel `c`. Later jitter changes it too.
  float value_of(int op, std::int64_t c) const {
    float value = args_.augment.program->ops[op].values.at(c);
    for (int i = op + 1; i < args_.augment.program->op_count; ++i) {
      if (image_->steps[i].kind == StepKind::jitter) value = jittered({0.0f, value}, image_->steps[i]).shift;
    }
    return value;
  }

  const GatherArgs& args_;
  Affine* maps_;
  float* scales_;
  float* shifts_;
  const DrawnImage* image_ = nullptr;
  bool is_uniform_ = false;
  Erased erased_[kMostAugmentOps];
  int erased_count_ = 0;
  MappedRows mapped_;
  bool has_same_maps_ = false;  ///< whether all channels have the same maps, also where values are erased
};

#endif  // HWY_NATIVE_FMA
}  // namespace HWY_NAMESPACE
}  // namespace octavo::kernels::cpu
HWY_AFTER_NAMESPACE();

#endif
