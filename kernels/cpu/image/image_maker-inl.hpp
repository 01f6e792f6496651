// Makes augmented images as codes. A per-target part of the augmented gather (Highway), hence the special include
// guard.
#if defined(OCTAVO_KERNELS_CPU_IMAGE_MAKER_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef OCTAVO_KERNELS_CPU_IMAGE_MAKER_INL_HPP
#undef OCTAVO_KERNELS_CPU_IMAGE_MAKER_INL_HPP
#else
#define OCTAVO_KERNELS_CPU_IMAGE_MAKER_INL_HPP
#endif

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "kernels/augment/augmented_image.hpp"
#include "kernels/augment/image_passes.hpp"
#include "kernels/cpu/image/image_color-inl.hpp"
#include "kernels/cpu/image/image_warp-inl.hpp"
#include "kernels/cpu/image/resample.hpp"
#include "kernels/cpu/image/row_mover-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace octavo::kernels::cpu {
namespace HWY_NAMESPACE {
#if HWY_NATIVE_FMA

/// Memory for the filter of an axis.
struct AxisScratch {
  std::int32_t* first;    ///< [output_count]
  std::int16_t* weights;  ///< [output_count, tap_count]
};

/// Memory for resizing one channel.
struct ResampleScratch {
  AxisScratch down, across;
  std::uint16_t* rows;  ///< [kTileRows, width of the input]
  std::uint16_t* tile;  ///< the same, transposed
};

/// The filter in the form of the resampling kernels: all outputs have the same number of weights. The first or the last
/// ones of an output may be 0.
ResampleAxis axis_of(const AxisFilter& filter, const AxisScratch& scratch) {
  const std::int32_t taps = filter.most_taps();
  std::fill_n(scratch.weights, std::int64_t{filter.out_count} * taps, std::int16_t{0});
  for (std::int32_t out = 0; out < filter.out_count; ++out) {
    const std::int32_t first = std::min(filter.first(out), filter.count - taps);
    scratch.first[out] = first;
    std::int16_t* const weights = scratch.weights + std::int64_t{out} * taps - first;
    filter.for_weights(out,
                       [&](std::int32_t k, std::int32_t weight) { weights[k] = static_cast<std::int16_t>(weight); });
  }
  return {scratch.first, scratch.weights, filter.out_count, taps, filter.is_cubic};
}

/// The filter of a blur in the same form. Borders are reflected.
ResampleAxis axis_of_blur(const AugmentStep& step, std::int32_t radius, std::int32_t count,
                          const AxisScratch& scratch) {
  const std::int32_t taps = std::min(2 * radius + 1, count);
  std::fill_n(scratch.weights, std::int64_t{count} * taps, std::int16_t{0});
  for (std::int32_t out = 0; out < count; ++out) {
    const std::int32_t first = std::clamp(out - radius, 0, count - taps);
    scratch.first[out] = first;
    std::int16_t* const weights = scratch.weights + std::int64_t{out} * taps - first;
    for (std::int32_t d = -radius; d <= radius; ++d) {
      std::int16_t& weight = weights[inside(Border::reflect, out + d, count)];
      weight = static_cast<std::int16_t>(weight + step.weights[std::abs(d)]);
    }
  }
  return {scratch.first, scratch.weights, count, taps};
}

/// Turns values of 0 to 255 into codes.
void flip_sign_bits(std::int8_t* bytes, std::int64_t count) {
  const hn::ScalableTag<std::int8_t> lanes;
  constexpr auto kLanes = static_cast<std::int64_t>(hn::MaxLanes(lanes));
  const auto sign = hn::Set(lanes, std::int8_t{-128});
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) hn::StoreU(hn::Xor(hn::LoadU(lanes, bytes + i), sign), lanes, bytes + i);
  for (; i < count; ++i) bytes[i] = static_cast<std::int8_t>(bytes[i] ^ -128);
}

/// Memory for the images of one sample.
struct ImageScratch {
  std::int8_t* images[2];  ///< [C * most_pixels + kWarpPadding]
  std::int32_t* offsets;  ///< [largest height]: of each row of a moved image, in the image before; see RowMover::move()
  ResampleScratch resampling;
  WarpScratch warp;
};

/// Makes augmented images as codes, some rows at a time.
class ImageMaker {
 public:
  ImageMaker(const AugmentProgram& program, const SampleShape& sample, const ImageScratch& scratch)
      : program_(program), sample_(sample), scratch_(scratch) {}

  /// Begins an image of the sample with these codes. Applies all steps but those that rows() applies.
  void begin(const std::int8_t* codes, const DrawnImage& image) {
    codes_ = codes;
    made_ = nullptr;
    size_ = out_size_ = {static_cast<std::int32_t>(sample_.height), static_cast<std::int32_t>(sample_.width)};
    y_ = x_ = {};
    crop_ = nullptr;
    erased_count_ = 0;
    for (int i = 0; i < program_.op_count; ++i) apply(program_.ops[i], image.steps[i]);
    if (moves()) prepare_rows();
  }

  /// Whether all rows are in memory already, so that rows() does no work.
  bool is_made() const { return !moves() && erased_count_ == 0; }
  /// Whether decode_rows() can make values of this type.
  template <typename Value>
  bool can_decode() const {
    return moves() && erased_count_ == 0 && row_.can_decode<Value>();
  }
  /// Decodes rows [first, first + count) of channel `c`; see RowMover::decode().
  template <bool kStream, typename Value>
  void decode_rows(std::int64_t c, std::int32_t first, std::int32_t count, const RowMaps& maps, std::int64_t ahead,
                   Value* to) const {
    row_.decode<kStream>(codes_ + c * pixels(size_), scratch_.offsets + first, count, fill(c), maps, ahead, to);
  }
  /// Rows [first, first + count) of channel `c`: in the memory of the sample, or in `buffer`.
  const std::int8_t* rows(std::int64_t c, std::int32_t first, std::int32_t count, std::int8_t* buffer) const {
    const std::int8_t* const plane = codes_ + c * pixels(size_);
    if (is_made()) return plane + std::int64_t{first} * size_.width;
    move_rows(c, first, count, buffer);
    for (int i = 0; i < erased_count_; ++i) {
      const AugmentStep& step = *erased_[i].step;
      const std::int32_t last = std::min(step.y + step.height, first + count);
      for (std::int32_t y = std::max(step.y, first); y < last; ++y) {
        std::memset(buffer + std::int64_t{y - first} * out_size_.width + step.x, erased_[i].op->fill.at(c),
                    static_cast<std::size_t>(step.width));
      }
    }
    return buffer;
  }

 private:
  /// A rectangle that rows() fills.
  struct Erased {
    const AugmentOp* op;
    const AugmentStep* step;
  };

  void apply(const AugmentOp& op, const AugmentStep& step) {
    const bool moves_pixels =
        step.kind == StepKind::flip_x || step.kind == StepKind::flip_y || step.kind == StepKind::crop;
    // Flips before and after a crop change places with it, because borders are symmetric. Nothing else does.
    const bool is_second = moves_pixels && (erased_count_ > 0 || (crop_ != nullptr && step.kind == StepKind::crop));
    if (is_second || (step.kind == StepKind::resample && !is_made())) make_image();
    if (makes_image(step.kind)) {
      if (made_ == nullptr || !is_made()) make_image();
      return change(op, step);
    }
    switch (step.kind) {
      case StepKind::flip_x:
        x_ = x_.mirrored(out_size_.width);
        return;
      case StepKind::flip_y:
        y_ = y_.mirrored(out_size_.height);
        return;
      case StepKind::crop:
        crop_ = &op;
        y_ = y_.from(step.y);
        x_ = x_.from(step.x);
        out_size_ = {op.height, op.width};
        return;
      case StepKind::resample:
        resample(op, step);
        return;
      case StepKind::erase:
        if (!op.is_normalized) erased_[erased_count_++] = {&op, &step};
        return;
      default:
        return;
    }
  }

  /// Applies a step that needs the whole image, which is in a buffer.
  void change(const AugmentOp& op, const AugmentStep& step) {
    const std::int64_t C = sample_.channels, plane = pixels(size_), count = C * plane;
    switch (step.kind) {
      case StepKind::brightness:
        return blend_with(0, step.amount, made_, count);
      case StepKind::contrast:
        return blend_with(mean_luma(made_, plane, C == 3), step.amount, made_, count);
      case StepKind::saturation:
        if (C == 3) saturate(step.amount, made_, plane);
        return;
      case StepKind::hue:
        if (C == 3) add_hue(step.amount, made_, plane);
        return;
      case StepKind::permute:
        for (std::int64_t c = 0; c < C; ++c) std::copy_n(made_ + step.source[c] * plane, plane, other() + c * plane);
        return set_made(other());
      case StepKind::solarize:
        return solarize(step.amount, made_, count);
      case StepKind::solarize_add:
        return add_to_dark(step.amount, made_, count);
      case StepKind::posterize:
        return keep_bits(0xFF00 >> step.amount & 0xFF, made_, count);
      case StepKind::invert:
        return solarize(0, made_, count);
      case StepKind::gamma: {
        LevelTable table;
        table.set([&](std::int32_t level) { return level_to_power(level, step.power); });
        return table.apply(made_, count);
      }
      case StepKind::autocontrast:
      case StepKind::equalize:
        for (std::int64_t c = 0; c < C; ++c) stretch(step.kind == StepKind::equalize, made_ + c * plane, plane);
        return;
      case StepKind::sharpness:
        for (std::int64_t c = 0; c < C; ++c) sharpen(step.amount, made_ + c * plane, size_, other() + c * plane);
        return set_made(other());
      case StepKind::blur: {
        const ResampleAxis down = axis_of_blur(step, op.radius, size_.height, scratch_.resampling.down);
        const ResampleAxis across = axis_of_blur(step, op.radius, size_.width, scratch_.resampling.across);
        for (std::int64_t c = 0; c < C; ++c) {
          resample_plane(down, across, made_ + c * plane, size_.width, other() + c * plane);
        }
        return set_made(other());
      }
      case StepKind::warp:
        ImageWarp(op, step, size_, scratch_.warp).apply(made_, C, other());
        return set_made(other());
      case StepKind::noise:
        for (std::int64_t pair = 0; 2 * pair < count; ++pair) add_noise(step, pair, made_, count);
        return;
      default:
        return;
    }
  }

  std::int8_t* other() const { return made_ == scratch_.images[0] ? scratch_.images[1] : scratch_.images[0]; }
  void set_made(std::int8_t* image) { codes_ = made_ = image; }

  bool moves() const { return crop_ != nullptr || !y_.is_identity() || !x_.is_identity(); }
  /// What is beyond the edge; without a crop, nothing is.
  Border border() const { return crop_ == nullptr ? Border::edge : crop_->border; }
  void prepare_rows() {
    row_.prepare(x_, size_.width, out_size_.width, border());
    for (std::int32_t y = 0; y < out_size_.height; ++y) {
      const std::int32_t row = inside(border(), y_.at(y), size_.height);
      scratch_.offsets[y] = row < 0 ? -1 : row * size_.width;
    }
  }

  /// Applies the pending steps to the whole image.
  void make_image() {
    if (moves()) prepare_rows();
    std::int8_t* const out = other();
    for (std::int64_t c = 0; c < sample_.channels; ++c) {
      std::int8_t* const plane = out + c * pixels(out_size_);
      const std::int8_t* const made = rows(c, 0, out_size_.height, plane);
      if (made != plane) std::memcpy(plane, made, static_cast<std::size_t>(pixels(out_size_)));
    }
    set_made(out);
    size_ = out_size_;
    y_ = x_ = {};
    crop_ = nullptr;
    erased_count_ = 0;
  }

  void resample(const AugmentOp& op, const AugmentStep& step) {
    std::int8_t* const out = other();
    const std::int8_t* const part = codes_ + std::int64_t{step.y} * size_.width + step.x;
    const ResampleAxis down = axis_of(filter_of(op, step, ImageAxis::down), scratch_.resampling.down);
    const ResampleAxis across = axis_of(filter_of(op, step, ImageAxis::across), scratch_.resampling.across);
    for (std::int64_t c = 0; c < sample_.channels; ++c) {
      resample_plane(down, across, part + c * pixels(size_), step.width, out + c * op.height * op.width);
    }
    set_made(out);
    size_ = out_size_ = {op.height, op.width};
  }

  /// Resizes along columns, then, transposed, along rows, for some rows of the output at a time.
  void resample_plane(const ResampleAxis& down, const ResampleAxis& across, const std::int8_t* from, std::int64_t width,
                      std::int8_t* out) const {
    for (std::int64_t top = 0; top < down.output_count; top += kTileRows) {
      const std::int64_t count = std::min(kTileRows, down.output_count - top);
      for (std::int64_t y = 0; y < count; ++y) {
        blend_code_rows(down, top + y, from, size_.width, width, scratch_.resampling.rows + y * width);
      }
      transpose_tile(scratch_.resampling.rows, width, scratch_.resampling.tile);
      std::int8_t* const to = out + top * across.output_count;
      blend_columns(across, scratch_.resampling.tile, 1, count, across.output_count, 0,
                    reinterpret_cast<std::uint8_t*>(to));
      flip_sign_bits(to, count * across.output_count);
    }
  }

  void move_rows(std::int64_t c, std::int32_t first, std::int32_t count, std::int8_t* out) const {
    const std::int8_t* const plane = codes_ + c * pixels(size_);
    const std::int32_t width = out_size_.width;
    if (!moves()) {
      std::memcpy(out, plane + std::int64_t{first} * width, static_cast<std::size_t>(std::int64_t{count} * width));
      return;
    }
    row_.move(plane, scratch_.offsets + first, count, fill(c), out);
  }
  /// What constant borders show.
  std::int8_t fill(std::int64_t c) const { return crop_ == nullptr ? std::int8_t{0} : crop_->fill.at(c); }

  static std::int64_t pixels(ImageSize size) { return std::int64_t{size.height} * size.width; }

  const AugmentProgram& program_;
  const SampleShape& sample_;
  ImageScratch scratch_;
  const std::int8_t* codes_ = nullptr;  ///< of the image so far
  std::int8_t* made_ = nullptr;         ///< the same, if it is in a buffer; else null
  ImageSize size_ = {};                 ///< of the image so far
  // Steps that are not applied yet: first the pixels move, then rectangles are filled.
  ImageSize out_size_ = {};
  AxisMap y_, x_;
  const AugmentOp* crop_ = nullptr;
  Erased erased_[kMostAugmentOps];
  int erased_count_ = 0;
  RowMover row_;
};

#endif  // HWY_NATIVE_FMA
}  // namespace HWY_NAMESPACE
}  // namespace octavo::kernels::cpu
HWY_AFTER_NAMESPACE();

#endif
