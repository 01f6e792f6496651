// Random augmentations, samples and batches, for tests that compare the backends with the portable gather.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <new>
#include <random>
#include <string>
#include <vector>

#include "kernels/augment/image_passes.hpp"
#include "kernels/cpu/gather.hpp"
#include "kernels/cpu/mask_gather.hpp"
#include "kernels/gather.hpp"
#include "kernels/mask_gather.hpp"

namespace octavo::test {

/// Allocates memory that begins a cache line, so that every alignment of a batch occurs.
template <typename T>
struct LineAllocator {
  using value_type = T;
  LineAllocator() = default;
  template <typename Other>
  explicit LineAllocator(const LineAllocator<Other>&) {}

  static constexpr std::align_val_t kLine{64};
  T* allocate(std::size_t count) { return static_cast<T*>(::operator new(count * sizeof(T), kLine)); }
  void deallocate(T* memory, std::size_t) { ::operator delete(memory, kLine); }
  bool operator==(const LineAllocator&) const { return true; }
};
using Bytes = std::vector<std::byte, LineAllocator<std::byte>>;

/// A batch of augmented images: random operations, shape, type, layout and alignment. Buffers have their exact size, so
/// that sanitizers detect any access outside.
class AugmentCase {
 public:
  explicit AugmentCase(std::uint32_t seed) : random_(seed), seed_(seed) {
    sample_ = {between(1, 5), between(1, 40), between(0, 3) == 0 ? 32 * between(1, 2) : between(1, 70)};
    shape_ = sample_;
    program_.seed = random_();
    note_shape();
    const int op_count = between(0, 6);
    for (int i = 0; i < op_count; ++i) add_op();
    if (between(0, 2) == 0) add_values_op();
    views_ = between(1, 4) == 1 ? between(2, 3) : 1;
    type_ = static_cast<DType>(between(0, 2));
    layout_ = static_cast<Layout>(between(0, 1));
    const std::int64_t count = sample_.values();
    codes_.resize(static_cast<std::size_t>(kRows * count));
    for (std::int8_t& code : codes_) code = static_cast<std::int8_t>(random_());
    for (std::int64_t i = 0; i < kRows; ++i) labels_.push_back(static_cast<std::uint32_t>(random_()));
    is_uniform_ = between(0, 1) == 1;
    for (std::int64_t c = 0; c < (is_uniform_ ? 1 : sample_.channels); ++c) {
      maps_.push_back({1.0f / static_cast<float>(50 + c), 0.25f - static_cast<float>(c)});
    }
    for (std::int64_t& row : rows_) row = between(0, kRows - 1);
    for (std::int64_t& index : indices_) index = between(0, 1 << 20);
    epoch_ = static_cast<std::uint64_t>(between(0, 100));
    if (between(0, 2) == 0) set_mix();
    offset_ = between(0, 1) == 0 ? 0 : between(1, 3);  // whole cache lines, if rows are
  }

  static constexpr std::int64_t kRows = 5, kBatch = 4;

  std::string name() const { return "seed " + std::to_string(seed_); }

  /// Replaces the stored images by ones of `height` x `width` pixels. Call resize_to() next.
  void store_as(std::int32_t height, std::int32_t width) {
    sample_ = shape_ = {sample_.channels, height, width};
    program_.op_count = 0;
    note_shape();
    codes_.resize(static_cast<std::size_t>(kRows * sample_.values()));
    for (std::int8_t& code : codes_) code = static_cast<std::int8_t>(random_());
  }
  /// Replaces all operations and the mixing: resizes images to `height` x `width`.
  void resize_to(std::int32_t height, std::int32_t width) {
    program_.op_count = 0;
    mix_ = {};
    program_.has_jitter = program_.erases_values = false;
    shape_ = {sample_.channels, height, width};
    kernels::AugmentOp op = new_op(kernels::AugmentKind::resize);
    op.probability = 1.0;
    op.antialias = true;
    op.is_cubic = between(0, 1) == 1;
    op.height = height;
    op.width = width;
    note_filter(std::max(sample_.height, sample_.width), std::max(height, width), 0);
    push(op);
  }

  /// Replaces all operations and the mixing: these change every image.
  void change_by(std::initializer_list<kernels::AugmentKind> kinds) {
    program_.op_count = 0;
    mix_ = {};
    program_.has_jitter = program_.erases_values = false;
    shape_ = sample_;
    for (const kernels::AugmentKind kind : kinds) {
      kernels::AugmentOp op = new_op(kind);
      op.probability = 1.0;
      push(op);
    }
  }

  /// The arguments of a gather into a fresh buffer.
  kernels::GatherArgs args() {
    const BatchShape batch = {.image = shape_, .views = views_, .dtype = type_, .layout = layout_};
    values_.assign(static_cast<std::size_t>((offset_ + kBatch * batch.values()) * bytes_of(type_)), std::byte{0xEE});
    out_labels_.assign(static_cast<std::size_t>(kBatch * std::max<std::int64_t>(1, soft_labels_.width())), 0);
    kernels::GatherArgs args{};
    args.packed = {codes_.data(), labels_.data(), kRows, nullptr, nullptr, sample_.values(), 1};
    args.set_shapes(sample_, batch);
    args.selection = kernels::given_rows(rows_.data(), kRows);
    args.selection.indices = indices_.data();
    args.selection.epoch = epoch_;
    args.batch_count = kBatch;
    args.maps = maps_.data();
    args.uniform_map = is_uniform_;
    args.values = values_.data() + offset_ * bytes_of(type_);
    args.label_type = kernels::LabelType::words;
    args.out_labels = out_labels_.data();
    args.augment.program = &program_;
    args.augment.demand = demand_of(program_, mix_.is_on);
    if (args.augment.demand == kernels::AugmentDemand::resizing) args.augment.resizing = stored_resizing(program_);
    args.augment.mix = mix_;
    args.augment.mixed_count = mixed_count_;
    args.augment.soft_labels = soft_labels_;
    return args;
  }
  /// The arguments of a gather of the same samples' masks into a fresh buffer.
  kernels::MaskGatherArgs mask_args(DType dtype) {
    const std::int64_t pixels = sample_.values_per_channel();
    std::mt19937 random(seed_);
    mask_rows_.resize(static_cast<std::size_t>(kRows * pixels));
    for (std::int8_t& value : mask_rows_) value = static_cast<std::int8_t>(random());
    const auto size_of = [](const SampleShape& shape) {
      return kernels::ImageSize{static_cast<std::int32_t>(shape.height), static_cast<std::int32_t>(shape.width)};
    };
    kernels::MaskGatherArgs args{.packed = {mask_rows_.data(), nullptr, kRows, nullptr, nullptr, pixels, 0},
                                 .channels = sample_.channels,
                                 .size = size_of(sample_),
                                 .out_size = size_of(shape_),
                                 .views = views_,
                                 .selection = kernels::given_rows(rows_.data(), kRows),
                                 .batch_count = kBatch,
                                 .program = &program_,
                                 .dtype = dtype,
                                 .ignored = dtype == DType::uint8 ? 255 : -100,
                                 .masks = nullptr};
    args.selection.indices = indices_.data();
    args.selection.epoch = epoch_;
    masks_.assign(static_cast<std::size_t>(kBatch * views_ * args.out_pixels() * bytes_of(dtype)), std::byte{0xEE});
    args.masks = masks_.data();
    return args;
  }
  const Bytes& masks() const { return masks_; }
  const Bytes& values() const { return values_; }
  const std::vector<std::uint32_t>& out_labels() const { return out_labels_; }
  const kernels::AugmentProgram& program() const { return program_; }
  /// Bytes of memory for an image, as a CUDA gather needs it.
  std::int64_t image_bytes() const {
    return (mix_.is_on ? 2 : 1) * kernels::image_memory_bytes(program_, sample_.channels);
  }

 private:
  void set_mix() {
    mix_ = {.is_on = true,
            .seed = random_(),
            .probability = between(0, 3) == 0 ? 0.5 : 1.0,
            .cutmix_share = 0.5 * between(0, 2),
            .inverse_alphas = {1.0 / (0.1 * between(1, 20)), 1.0 / (0.1 * between(1, 20))},
            .partner = static_cast<kernels::MixPartner>(between(0, 2)),
            .is_per_sample = between(0, 1) == 1};
    mixed_count_ = between(1, kBatch + 2);
    const std::int32_t kind = between(0, 3);
    if (kind < 2) return;
    for (std::uint32_t& label : labels_) label %= 7;
    soft_labels_ = kind == 2 ? kernels::SoftLabels{7, 0.1f / 7.0f, 0.9f, false} : kernels::SoftLabels{0, 0, 0, true};
  }
  std::int32_t between(std::int64_t low, std::int64_t high) {
    return static_cast<std::int32_t>(low +
                                     static_cast<std::int64_t>(random_() % static_cast<std::uint32_t>(high - low + 1)));
  }

  kernels::AugmentOp new_op(kernels::AugmentKind kind) {
    kernels::AugmentOp op{};
    op.kind = kind;
    op.slot = static_cast<std::uint32_t>(program_.op_count);
    op.is_bilinear = between(0, 1) == 1;
    op.probability = between(0, 3) == 0 ? 1.0 : 0.6;
    op.fill.is_uniform = sample_.channels > kernels::kMostFillChannels || between(0, 1) == 1;
    op.values.is_uniform = op.fill.is_uniform;
    for (int c = 0; c < kernels::kMostFillChannels; ++c) {
      op.fill.of_channel[c] = static_cast<std::int8_t>(random_());
      op.values.of_channel[c] = static_cast<float>(between(-1000, 1000)) / 256.0f;
    }
    return op;
  }
  void push(const kernels::AugmentOp& op) {
    program_.ops[program_.op_count++] = op;
    note_shape();
  }
  void note_shape() {
    program_.most_pixels = std::max(program_.most_pixels, shape_.values_per_channel());
    program_.most_width = std::max(program_.most_width, static_cast<std::int32_t>(shape_.width));
    program_.sizes[program_.op_count] = {static_cast<std::int32_t>(shape_.height),
                                         static_cast<std::int32_t>(shape_.width)};
  }
  void note_filter(std::int64_t inputs, std::int64_t outputs, std::int64_t taps) {
    program_.most_resampled_side = std::max(program_.most_resampled_side, static_cast<std::int32_t>(inputs));
    program_.most_resampled_output = std::max(program_.most_resampled_output, static_cast<std::int32_t>(outputs));
    program_.most_filter_weights = std::max(program_.most_filter_weights,
                                            taps == 0 ? kernels::most_weights(inputs, outputs, true) : taps * outputs);
  }
  void set_erasure(kernels::AugmentOp& op) {
    op.side = between(1, 50);
    op.is_inside = between(0, 1) == 1;
    const double area = 0.01 * between(1, 50);
    op.area = {area, area + 0.3};
    op.ratio = {-1.5, 1.0 + 0.1 * between(0, 9)};
  }
  void set_colors(kernels::AugmentOp& op) {
    const double strength = 0.1 * between(0, 20);
    for (kernels::NumberRange& color : op.colors) color = {std::max(0.0, 1.0 - strength), 1.0 + 3.0 * strength};
    op.colors[3] = {-0.05 * between(0, 10), 0.05 * between(0, 10)};
    op.part = between(0, 3);
    op.level = op.kind == kernels::AugmentKind::solarize ? between(0, 256) : between(1, 8);
    op.amount = op.kind == kernels::AugmentKind::blur    ? kernels::NumberRange{0.02, 0.1 * between(1, 100)}
                : op.kind == kernels::AugmentKind::gamma ? kernels::NumberRange{0.01, 5.0}
                : op.kind == kernels::AugmentKind::noise ? kernels::NumberRange{0.0, 1.0}
                                                         : kernels::NumberRange{0.0, 7.99};
  }
  void set_warp(kernels::AugmentOp& op) {
    const double strength = between(0, 3) == 0 ? 0.0 : 1.0;
    op.degrees = {-400.0 * strength, 400.0};
    op.most_down = 0.25 * between(0, 4);
    op.most_right = 0.25 * between(0, 4);
    op.scale = between(0, 9) == 0 ? kernels::NumberRange{0.01, 100.0} : kernels::NumberRange{0.7, 1.4};
    op.shear_x = {-80.0 * strength, 80.0};
    op.shear_y = {-20.0, 20.0 * strength};
    op.magnitudes = {0.99, 32.0, 0.3, 135.0, 0.99, between(4, 6), between(-1, 30)};
    op.magnitude = {static_cast<double>(between(0, 10)), 0.5 * between(0, 8)};
  }
  void set_blur(kernels::AugmentOp& op) {
    const std::int64_t smaller = std::min(shape_.height, shape_.width);
    op.radius = between(0, std::min<std::int64_t>(smaller - 1, kernels::kMostBlurRadius));
    const std::int64_t side = std::max(shape_.height, shape_.width);
    note_filter(side, side, 2 * op.radius + 1);
  }
  void add_op() {
    auto kind = static_cast<kernels::AugmentKind>(
        between(0, between(0, 2) == 0 ? static_cast<int>(kernels::AugmentKind::noise) : 9));
    if (static_cast<int>(kind) == 24 || static_cast<int>(kind) == 27) return;  // not operations
    if (kind == kernels::AugmentKind::jitter) return;
    if (kind == kernels::AugmentKind::permute_channels && sample_.channels > kernels::kMostPermuted) return;
    kernels::AugmentOp op = new_op(kind);
    if (resizes(kind)) {
      op.antialias = between(0, 1) == 1;
      op.is_cubic = between(0, 2) == 0;
      op.height = between(1, 40);
      op.width = between(1, 40);
      op.probability = 1.0;
      note_filter(std::max(shape_.height, shape_.width), std::max(op.height, op.width), 0);
      shape_.height = op.height;
      shape_.width = op.width;
    }
    if (kind == kernels::AugmentKind::random_crop || kind == kernels::AugmentKind::center_crop) {
      op.border = static_cast<kernels::Border>(between(0, 2));
      const auto smaller = static_cast<std::int32_t>(std::min(shape_.height, shape_.width));
      op.margin = kind == kernels::AugmentKind::center_crop ? 0
                  : op.border == kernels::Border::reflect   ? between(0, smaller - 1)
                  : between(0, 9) == 0                      ? between(8000, 70000)
                                                            : between(0, 20);
      if (kind == kernels::AugmentKind::center_crop) op.border = kernels::Border::constant;
      const std::int32_t most = kind == kernels::AugmentKind::center_crop ? 80 : 2 * op.margin;
      op.height = between(1, std::min<std::int64_t>(shape_.height + most, 90));
      op.width = between(1, std::min<std::int64_t>(shape_.width + most, 90));
      // Whole vectors of output, which have a faster path.
      if (op.width >= 32 && between(0, 2) > 0) op.width = op.width / 32 * 32;
      op.probability = 1.0;
      shape_.height = op.height;
      shape_.width = op.width;
    }
    if (kind == kernels::AugmentKind::view_shift) {
      op.border = kernels::Border::reflect;
      op.margin = between(0, std::min(shape_.height, shape_.width) - 1);
      op.height = static_cast<std::int32_t>(shape_.height);
      op.width = static_cast<std::int32_t>(shape_.width);
    }
    set_erasure(op);
    set_colors(op);
    set_warp(op);
    if (kind == kernels::AugmentKind::blur) set_blur(op);
    push(op);
  }
  void add_values_op() {
    for (int i = 0; i < 3; ++i) {
      const bool is_jitter = between(0, 1) == 1;
      kernels::AugmentOp op =
          new_op(is_jitter ? kernels::AugmentKind::jitter : static_cast<kernels::AugmentKind>(between(5, 6)));
      op.is_normalized = true;
      set_erasure(op);
      op.shift = {-0.25, 0.5};
      op.factor = {0.75, 1.25};
      program_.has_jitter = program_.has_jitter || is_jitter;
      program_.erases_values = program_.erases_values || !is_jitter;
      push(op);
    }
  }

  std::mt19937 random_;
  std::uint32_t seed_;
  SampleShape sample_, shape_;
  // Objects of their own, so that their bounds are known.
  std::unique_ptr<kernels::AugmentProgram> owned_program_ = std::make_unique<kernels::AugmentProgram>();
  kernels::AugmentProgram& program_ = *owned_program_;
  std::int64_t views_ = 1, offset_ = 0;
  DType type_ = DType::float32;
  Layout layout_ = Layout::nchw;
  std::vector<std::int8_t> codes_;
  std::vector<std::uint32_t> labels_;
  std::vector<kernels::Affine> maps_;
  kernels::MixProgram mix_{};
  kernels::SoftLabels soft_labels_{};
  std::int64_t mixed_count_ = 0;
  bool is_uniform_ = false;
  std::vector<std::int64_t> rows_ = std::vector<std::int64_t>(kBatch), indices_ = rows_;
  std::uint64_t epoch_ = 0;
  Bytes values_, masks_;
  std::vector<std::int8_t> mask_rows_;
  std::vector<std::uint32_t> out_labels_;
};

/// The definition of a gather of masks.
inline void gather_masks_defined(const kernels::MaskGatherArgs& args) {
  kernels::DrawnImage image;
  for (std::int64_t i = 0; i < args.batch_count * args.views; ++i) {
    const kernels::SelectedSample sample = kernels::sample_at(args.selection, i / args.views);
    const kernels::DrawKey key = draw_key(args, sample, static_cast<std::uint32_t>(i % args.views));
    for (int op = 0; op < args.program->op_count; ++op) draw_step(*args.program, args.channels, key, op, image);
    for (std::int64_t p = 0; p < args.out_pixels(); ++p) {
      const std::int64_t pixel =
          kernels::mask_pixel(*args.program, image, static_cast<std::int32_t>(p / args.out_size.width),
                              static_cast<std::int32_t>(p % args.out_size.width));
      const std::int64_t at = i * args.out_pixels() + p;
      const std::int8_t* const mask = kernels::stored_row(args.packed, sample.row);
      if (args.dtype == DType::uint8)
        static_cast<std::uint8_t*>(args.masks)[at] = kernels::mask_value<std::uint8_t>(args, mask, pixel);
      else
        static_cast<std::int64_t*>(args.masks)[at] = kernels::mask_value<std::int64_t>(args, mask, pixel);
    }
  }
}

/// Gathers masks on the CPU.
inline void gather_masks(const kernels::MaskGatherArgs& args) {
  Bytes scratch(static_cast<std::size_t>(kernels::cpu::mask_scratch_bytes(args)));
  kernels::cpu::gather_masks(args, 0, args.batch_count, scratch.data());
}

/// The definition of a gather with a program.
inline void gather_defined(const kernels::GatherArgs& args) {
  std::vector<std::byte> memory(
      static_cast<std::size_t>(kernels::cpu::portable_scratch_bytes(args) + kernels::cpu::kScratchAlignment));
  void* scratch = memory.data();
  std::size_t space = memory.size();
  std::align(kernels::cpu::kScratchAlignment, static_cast<std::size_t>(kernels::cpu::portable_scratch_bytes(args)),
             scratch, space);
  kernels::cpu::gather_portable(args, 0, args.batch_count, static_cast<std::byte*>(scratch));
}

}  // namespace octavo::test
