#include "augment/augment_program.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include <octavo/augment.hpp>
#include <octavo/errors.hpp>

#include "augment/parameter_checks.hpp"
#include "kernels/augment/axis_filter.hpp"
#include "kernels/augment/color.hpp"
#include "kernels/augment/exact_math.hpp"
#include "kernels/augment/steps.hpp"

namespace octavo {
namespace {

using kernels::AugmentKind;
using kernels::AugmentOp;
using kernels::NumberRange;

/// Sums of weights, and places, of longer axes could overflow 64 bits.
constexpr std::int64_t kLargestResampledSide = 65535;

std::string size_text(std::int64_t height, std::int64_t width) {
  return std::to_string(height) + "x" + std::to_string(width);
}

kernels::Border border_of(augment::Border border) {
  switch (border) {
    case augment::Border::constant:
      return kernels::Border::constant;
    case augment::Border::edge:
      return kernels::Border::edge;
    case augment::Border::reflect:
      return kernels::Border::reflect;
  }
  return kernels::Border::constant;
}

/// Adds operations to a program, and follows the shape of the images through it.
class ProgramBuilder {
 public:
  explicit ProgramBuilder(const SampleShape& shape) : shape_(shape) { note_shape(); }

  void add(const augment::Operation& operation) {
    name_ = augment::describe({operation});
    AugmentOp op{};
    op.probability = 1.0;
    std::visit(
        [&](const auto& given) {
          if (const std::string fault = augment::struct_fault(given); !fault.empty()) refuse(fault);
          if constexpr (requires { given.probability; }) op.probability = given.probability;
          set(op, given);
        },
        operation);
    for (int i = 0; i < parts_of(operation); ++i) {
      // The changes of a color jitter draw the same words.
      if (op.kind == AugmentKind::color_jitter) op.part = i;
      if (i == 0 || op.kind != AugmentKind::color_jitter) op.slot = next_slot(op.kind);
      append(op);
    }
  }

  const kernels::AugmentProgram& program() const { return program_; }
  const SampleShape& shape() const { return shape_; }

 private:
  /// Steps that an operation makes.
  static int parts_of(const augment::Operation& operation) {
    if (const auto* policy = std::get_if<augment::RandAugment>(&operation)) return static_cast<int>(policy->count);
    if (const auto* policy = std::get_if<augment::TimmRandAugment>(&operation)) return static_cast<int>(policy->count);
    return std::holds_alternative<augment::ColorJitter>(operation) ? kernels::kColorChanges : 1;
  }
  /// A kind may occur several times; each has its own random numbers.
  std::uint32_t next_slot(AugmentKind kind) {
    int& count = counts_[static_cast<std::size_t>(kind)];
    if (count == kernels::kMostOfOneKind) {
      refuse("an augmentation has at most " + std::to_string(kernels::kMostOfOneKind) + " operations of one kind");
    }
    return static_cast<std::uint32_t>(kind) * kernels::kMostOfOneKind + static_cast<std::uint32_t>(count++);
  }
  void append(const AugmentOp& op) {
    if (program_.op_count == kernels::kMostAugmentOps) {
      refuse("an augmentation has at most " + std::to_string(kernels::kMostAugmentOps) +
             " operations; a color jitter counts as four");
    }
    if (program_.op_count > 0 && changes_values(program_.ops[program_.op_count - 1]) && !changes_values(op)) {
      refuse("operations on normalized values come last; move it before them");
    }
    program_.has_jitter = program_.has_jitter || op.kind == AugmentKind::jitter;
    program_.erases_values = program_.erases_values || (op.is_normalized && op.kind != AugmentKind::jitter);
    program_.ops[program_.op_count++] = op;
    note_shape();
  }
  void note_shape() {
    program_.most_pixels = std::max(program_.most_pixels, shape_.values_per_channel());
    program_.most_width = std::max(program_.most_width, static_cast<std::int32_t>(shape_.width));
    program_.sizes[program_.op_count] = {static_cast<std::int32_t>(shape_.height),
                                         static_cast<std::int32_t>(shape_.width)};
  }

  void set(AugmentOp& op, const augment::HorizontalFlip&) { op.kind = AugmentKind::flip_x; }
  void set(AugmentOp& op, const augment::AlternatingFlip&) { op.kind = AugmentKind::alternating_flip_x; }
  void set(AugmentOp& op, const augment::VerticalFlip&) { op.kind = AugmentKind::flip_y; }
  void set(AugmentOp& op, const augment::RandomCrop& given) {
    op.kind = AugmentKind::random_crop;
    const std::int64_t height = shape_.height + 2 * given.padding, width = shape_.width + 2 * given.padding;
    if (given.border == augment::Border::reflect && given.padding >= std::min(shape_.height, shape_.width)) {
      refuse("reflection needs a padding below the size of the image, " + size_text(shape_.height, shape_.width) +
             "; use `border=edge` or `border=constant`");
    }
    set_size(op, given.size.value_or(std::array{shape_.height, shape_.width}));
    if (op.height > height || op.width > width) {
      refuse("it is larger than the padded image, " + size_text(height, width) + "; use a larger padding");
    }
    op.margin = static_cast<std::int32_t>(given.padding);
    op.border = border_of(given.border);
    set_fill(op, given.fill);
  }
  void set(AugmentOp& op, const augment::CenterCrop& given) {
    op.kind = AugmentKind::center_crop;
    op.border = kernels::Border::constant;
    set_size(op, given.size);
    set_fill(op, given.fill);
  }
  void set(AugmentOp& op, const augment::RandomResizedCrop& given) {
    op.kind = AugmentKind::random_resized_crop;
    set_area_and_ratio(op, given.area, given.ratio);
    set_resampled(op, given.size, given.antialias, given.interpolation);
  }
  void set(AugmentOp& op, const augment::Resize& given) {
    op.kind = AugmentKind::resize;
    const auto* const shorter_side = std::get_if<std::int64_t>(&given.size);
    set_resampled(op, shorter_side != nullptr ? keeping_ratio(*shorter_side) : std::get<augment::Size>(given.size),
                  given.antialias, given.interpolation);
  }
  void set(AugmentOp& op, const augment::Cutout& given) {
    op.kind = AugmentKind::erase_square;
    op.side = static_cast<std::int32_t>(given.size);
    op.is_inside = given.inside;
    set_erased(op, given.normalized, given.value);
  }
  void set(AugmentOp& op, const augment::RandomErasing& given) {
    op.kind = AugmentKind::erase_rectangle;
    set_area_and_ratio(op, given.area, given.ratio);
    set_erased(op, given.normalized, given.value);
  }
  void set(AugmentOp& op, const augment::NormalizedJitter& given) {
    op.kind = AugmentKind::jitter;
    op.is_normalized = true;
    op.shift = numbers(given.shift);
    op.factor = numbers(given.factor);
  }
  void set(AugmentOp& op, const augment::Affine& given) {
    op.kind = AugmentKind::affine;
    op.degrees = numbers(given.degrees);
    op.scale = numbers(given.scale);
    op.shear_x = numbers(given.shear_x);
    op.shear_y = numbers(given.shear_y);
    op.most_down = given.translate_y;
    op.most_right = given.translate_x;
    set_warp(op, given.interpolation, given.fill);
  }
  void set(AugmentOp& op, const augment::ColorJitter& given) {
    op.kind = AugmentKind::color_jitter;
    require_colors();
    op.colors[0] = factors(given.brightness, "brightness");
    op.colors[1] = factors(given.contrast, "contrast");
    op.colors[2] = factors(given.saturation, "saturation");
    op.colors[3] = numbers(given.hue);
  }
  void set(AugmentOp& op, const augment::Grayscale&) {
    op.kind = AugmentKind::grayscale;
    require_colors();
  }
  void set(AugmentOp& op, const augment::ChannelPermutation&) {
    op.kind = AugmentKind::permute_channels;
    if (shape_.channels > kernels::kMostPermuted) {
      refuse("images have " + std::to_string(shape_.channels) + " channels; at most " +
             std::to_string(kernels::kMostPermuted) + " can change places");
    }
  }
  void set(AugmentOp& op, const augment::Solarize& given) {
    op.kind = AugmentKind::solarize;
    op.level = static_cast<std::int32_t>(given.threshold);
  }
  void set(AugmentOp& op, const augment::Posterize& given) {
    op.kind = AugmentKind::posterize;
    op.level = static_cast<std::int32_t>(given.bits);
  }
  void set(AugmentOp& op, const augment::Invert&) { op.kind = AugmentKind::invert; }
  void set(AugmentOp& op, const augment::Gamma& given) {
    op.kind = AugmentKind::gamma;
    op.amount = numbers(given.gamma);
  }
  void set(AugmentOp& op, const augment::AutoContrast&) { op.kind = AugmentKind::autocontrast; }
  void set(AugmentOp& op, const augment::Equalize&) { op.kind = AugmentKind::equalize; }
  void set(AugmentOp& op, const augment::Sharpness& given) {
    op.kind = AugmentKind::sharpness;
    op.amount = factors(given.factor, "factor");
  }
  void set(AugmentOp& op, const augment::GaussianBlur& given) {
    op.kind = AugmentKind::blur;
    if (given.kernel_size % 2 == 0) {
      refuse("kernel_size is " + std::to_string(given.kernel_size) + "; expected an odd number");
    }
    op.radius = static_cast<std::int32_t>(given.kernel_size / 2);
    if (op.radius >= std::min(shape_.height, shape_.width)) {
      refuse("half of the kernel must be smaller than the image, " + size_text(shape_.height, shape_.width));
    }
    op.amount = numbers(given.sigma);
    const std::int64_t side = std::max(shape_.height, shape_.width);
    note_filter(side, side, side * given.kernel_size);
  }
  void set(AugmentOp& op, const augment::GaussianNoise& given) {
    op.kind = AugmentKind::noise;
    op.amount = numbers(given.deviation);
  }
  void set(AugmentOp& op, const augment::TrivialAugment& given) {
    op.kind = AugmentKind::trivial_augment;
    require_colors();
    op.magnitudes = {.shear = 0.99,
                     .translation_pixels = 32.0,
                     .translation_share = 0.0,
                     .degrees = 135.0,
                     .strength = 0.99,
                     .posterized_bits = 6,
                     .level = -1};
    set_warp(op, given.interpolation, given.fill);
  }
  void set(AugmentOp& op, const augment::RandAugment& given) {
    op.kind = AugmentKind::rand_augment;
    require_colors();
    op.magnitudes = {.shear = 0.3,
                     .translation_pixels = 0.0,
                     .translation_share = 150.0 / 331.0,
                     .degrees = 30.0,
                     .strength = 0.9,
                     .posterized_bits = 4,
                     .level = static_cast<std::int32_t>(given.magnitude)};
    set_warp(op, given.interpolation, given.fill);
  }

  void set(AugmentOp& op, const augment::TimmRandAugment& given) {
    op.kind = AugmentKind::timm_rand_augment;
    require_colors();
    op.magnitude = {given.magnitude, given.deviation};
    set_warp(op, given.interpolation, given.fill);
  }

  void set(AugmentOp& op, const augment::ViewFlip&) { op.kind = AugmentKind::view_flip_x; }
  void set(AugmentOp& op, const augment::ViewShift& given) {
    op.kind = AugmentKind::view_shift;
    if (given.pixels >= std::min(shape_.height, shape_.width)) {
      refuse("the shift must be smaller than the image, " + size_text(shape_.height, shape_.width));
    }
    op.margin = static_cast<std::int32_t>(given.pixels);
    op.border = kernels::Border::reflect;
    op.height = static_cast<std::int32_t>(shape_.height);
    op.width = static_cast<std::int32_t>(shape_.width);
  }

  /// The size of the image if its shorter side becomes `side`. Sides are below 2^25.
  std::array<std::int64_t, 2> keeping_ratio(std::int64_t side) const {
    const std::int64_t shorter = std::min(shape_.height, shape_.width);
    return {side * shape_.height / shorter, side * shape_.width / shorter};
  }
  void set_warp(AugmentOp& op, augment::Interpolation interpolation, const std::vector<double>& fill) const {
    if (std::max(shape_.height, shape_.width) > kLargestResampledSide) {
      refuse("images of more than " + std::to_string(kLargestResampledSide) + " pixels per side cannot be warped");
    }
    op.is_bilinear = interpolation == augment::Interpolation::bilinear;
    set_fill(op, fill);
  }
  void require_colors() const {
    if (shape_.channels != 1 && shape_.channels != 3) {
      refuse("images have " + std::to_string(shape_.channels) + " channels; it needs 1 or 3");
    }
  }
  static NumberRange numbers(const augment::Range& given) { return {given[0], given[1]}; }
  NumberRange factors(const augment::Range& given, const char* what) const {
    // Factors just below 8 are rounded to 8.
    if (kernels::fixed_factor(given[1]) >= kernels::fixed_factor(kernels::kFactorLimit)) {
      refuse(std::string(what) + " is " + augment::value_text(given) + "; expected factors below 8");
    }
    return numbers(given);
  }

  void set_size(AugmentOp& op, const augment::Size& size) {
    if (shape_.channels * size[0] * size[1] > INT32_MAX) {
      refuse("the size is too large: an image has less than 2^31 values");
    }
    op.height = static_cast<std::int32_t>(size[0]);
    op.width = static_cast<std::int32_t>(size[1]);
    shape_.height = size[0];
    shape_.width = size[1];
  }
  void set_area_and_ratio(AugmentOp& op, const augment::Range& area, const augment::Range& ratio) const {
    op.area = numbers(area);
    op.ratio = {kernels::exact_log2(ratio[0]), kernels::exact_log2(ratio[1])};
  }
  void set_resampled(AugmentOp& op, const augment::Size& size, bool antialias, augment::ResizeFilter filter) {
    const std::int64_t side = std::max({shape_.height, shape_.width, size[0], size[1]});
    if (side > kLargestResampledSide) {
      refuse("images of more than " + std::to_string(kLargestResampledSide) + " pixels per side cannot be resized");
    }
    op.antialias = antialias;
    op.is_cubic = filter == augment::ResizeFilter::bicubic;
    const std::int64_t inputs = std::max(shape_.height, shape_.width);
    set_size(op, size);
    const std::int64_t outputs = std::max(size[0], size[1]);
    note_filter(inputs, outputs, kernels::most_weights(inputs, outputs, op.is_cubic));
  }
  void note_filter(std::int64_t inputs, std::int64_t outputs, std::int64_t weights) {
    program_.most_resampled_side = std::max(program_.most_resampled_side, static_cast<std::int32_t>(inputs));
    program_.most_resampled_output = std::max(program_.most_resampled_output, static_cast<std::int32_t>(outputs));
    program_.most_filter_weights = std::max(program_.most_filter_weights, weights);
  }
  /// Sets a value per channel. `to_value` converts one number.
  template <typename Value, typename Convert>
  void set_values(kernels::FillValues<Value>& to, const std::vector<double>& given, const Convert& to_value) const {
    const auto channels = static_cast<std::size_t>(shape_.channels);
    if (given.size() != 1 && (given.size() != channels || channels > kernels::kMostFillChannels)) {
      refuse(std::to_string(given.size()) + " values for " + std::to_string(channels) +
             " channels; give one value, or one per channel for at most " + std::to_string(kernels::kMostFillChannels) +
             " channels");
    }
    to.is_uniform = given.size() == 1;
    for (std::size_t c = 0; c < given.size(); ++c) to.of_channel[c] = to_value(given[c]);
  }
  void set_fill(AugmentOp& op, const std::vector<double>& given) const {
    set_values(op.fill, given, [&](double value) {
      if (!augment::kStoredLimits.contain(value) || value != std::floor(value)) {
        refuse("stored values are whole numbers from 0 to 255");
      }
      return static_cast<std::int8_t>(static_cast<int>(value) - 128);
    });
  }
  void set_erased(AugmentOp& op, bool is_normalized, const std::vector<double>& given) const {
    op.is_normalized = is_normalized;
    if (!is_normalized) return set_fill(op, given);
    set_values(op.values, given, [](double value) { return static_cast<float>(value); });
  }
  static bool changes_values(const AugmentOp& op) { return op.is_normalized; }

  [[noreturn]] void refuse(const std::string& why) const { throw InvalidArgument("augment, " + name_ + ": " + why); }

  kernels::AugmentProgram program_{};
  SampleShape shape_;
  std::string name_;
  std::array<int, 64> counts_{};  ///< operations of each kind
};

ProgramBuilder built(const augment::Operations& operations, const SampleShape& shape) {
  ProgramBuilder builder(shape);
  for (const augment::Operation& operation : operations) builder.add(operation);
  return builder;
}

}  // namespace

SampleShape augment::augmented_shape(const Operations& operations, const SampleShape& shape) {
  return built(operations, shape).shape();
}

kernels::AugmentProgram augment::make_program(const BatchSpec& spec, const SampleShape& shape) {
  kernels::AugmentProgram program = built(spec.augment, shape).program();
  program.seed = spec.augment_seed;
  return program;
}

}  // namespace octavo
