#include "store/augment_program.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include <octavo/augment.hpp>
#include <octavo/errors.hpp>

#include "kernels/augment/axis_filter.hpp"
#include "kernels/augment/color.hpp"
#include "kernels/augment/exact_math.hpp"
#include "kernels/augment/steps.hpp"
#include "store/number_text.hpp"

namespace octavo {
namespace {

using kernels::AugmentKind;
using kernels::AugmentOp;
using kernels::NumberRange;
using store::number_text;

/// Sums of weights, and places, of longer axes could overflow 64 bits.
constexpr std::int64_t kLargestResampledSide = 65535;
constexpr double kLeastScale = 0.01, kMostScale = 100.0, kMostDegrees = 3600.0, kMostShear = 80.0;
constexpr double kLeastRatio = 1e-6;
/// Larger images could overflow the 32-bit coordinates of kernels.
constexpr std::int64_t kLargestSide = 1 << 24;

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
    std::visit([&](const auto& given) { set(op, given); }, operation);
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
             " operations, of which a color jitter is four");
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

  void set(AugmentOp& op, const augment::HorizontalFlip& given) {
    op.kind = AugmentKind::flip_x;
    op.probability = probability(given.probability);
  }
  void set(AugmentOp& op, const augment::AlternatingFlip&) { op.kind = AugmentKind::alternating_flip_x; }
  void set(AugmentOp& op, const augment::VerticalFlip& given) {
    op.kind = AugmentKind::flip_y;
    op.probability = probability(given.probability);
  }
  void set(AugmentOp& op, const augment::RandomCrop& given) {
    op.kind = AugmentKind::random_crop;
    if (given.padding < 0 || given.padding > kLargestSide) refuse("the padding is not between 0 and 16777216");
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
    set_resampled(op, given.shorter_side == 0 ? given.size : keeping_ratio(given.shorter_side), given.antialias,
                  given.interpolation);
  }
  void set(AugmentOp& op, const augment::Cutout& given) {
    op.kind = AugmentKind::erase_square;
    op.probability = probability(given.probability);
    if (given.size < 1 || given.size > kLargestSide) refuse("the size is not between 1 and 16777216");
    op.side = static_cast<std::int32_t>(given.size);
    op.is_inside = given.inside;
    set_erased(op, given.normalized, given.value);
  }
  void set(AugmentOp& op, const augment::RandomErasing& given) {
    op.kind = AugmentKind::erase_rectangle;
    op.probability = probability(given.probability);
    set_area_and_ratio(op, given.area, given.ratio);
    set_erased(op, given.normalized, given.value);
  }
  void set(AugmentOp& op, const augment::NormalizedJitter& given) {
    op.kind = AugmentKind::jitter;
    op.is_normalized = true;
    const auto [least_shift, most_shift] = range(given.shift, "shift");
    const auto [least_factor, most_factor] = range(given.factor, "factor");
    op.shift = {least_shift, most_shift};
    op.factor = {least_factor, most_factor};
  }
  void set(AugmentOp& op, const augment::Affine& given) {
    op.kind = AugmentKind::affine;
    op.probability = probability(given.probability);
    op.degrees = checked(given.degrees, "degrees", -kMostDegrees, kMostDegrees);
    op.scale = checked(given.scale, "scale", kLeastScale, kMostScale);
    op.shear_x = checked(given.shear_x, "shear along x", -kMostShear, kMostShear);
    op.shear_y = checked(given.shear_y, "shear along y", -kMostShear, kMostShear);
    for (const double share : {given.translate_x, given.translate_y}) {
      if (!(share >= 0.0 && share <= 1.0)) refuse("the translation is not a share of the image, 0 to 1");
    }
    op.most_down = given.translate_y;
    op.most_right = given.translate_x;
    set_warp(op, given.interpolation, given.fill);
  }
  void set(AugmentOp& op, const augment::ColorJitter& given) {
    op.kind = AugmentKind::color_jitter;
    op.probability = probability(given.probability);
    require_colors();
    op.colors[0] = factors(given.brightness, "brightness");
    op.colors[1] = factors(given.contrast, "contrast");
    op.colors[2] = factors(given.saturation, "saturation");
    op.colors[3] = checked(given.hue, "hue", -0.5, 0.5);
  }
  void set(AugmentOp& op, const augment::Grayscale& given) {
    op.kind = AugmentKind::grayscale;
    op.probability = probability(given.probability);
    require_colors();
  }
  void set(AugmentOp& op, const augment::ChannelPermutation& given) {
    op.kind = AugmentKind::permute_channels;
    op.probability = probability(given.probability);
    if (shape_.channels > kernels::kMostPermuted) {
      refuse("images have " + std::to_string(shape_.channels) + " channels; at most " +
             std::to_string(kernels::kMostPermuted) + " can change places");
    }
  }
  void set(AugmentOp& op, const augment::Solarize& given) {
    op.kind = AugmentKind::solarize;
    op.probability = probability(given.probability);
    if (given.threshold < 0 || given.threshold > 256) refuse("the threshold is not between 0 and 256");
    op.level = static_cast<std::int32_t>(given.threshold);
  }
  void set(AugmentOp& op, const augment::Posterize& given) {
    op.kind = AugmentKind::posterize;
    op.probability = probability(given.probability);
    if (given.bits < 1 || given.bits > 8) refuse("the number of bits is not between 1 and 8");
    op.level = static_cast<std::int32_t>(given.bits);
  }
  void set(AugmentOp& op, const augment::Invert& given) {
    op.kind = AugmentKind::invert;
    op.probability = probability(given.probability);
  }
  void set(AugmentOp& op, const augment::Gamma& given) {
    op.kind = AugmentKind::gamma;
    op.probability = probability(given.probability);
    op.amount = checked(given.gamma, "gamma", 0.01, 100.0);
  }
  void set(AugmentOp& op, const augment::AutoContrast& given) {
    op.kind = AugmentKind::autocontrast;
    op.probability = probability(given.probability);
  }
  void set(AugmentOp& op, const augment::Equalize& given) {
    op.kind = AugmentKind::equalize;
    op.probability = probability(given.probability);
  }
  void set(AugmentOp& op, const augment::Sharpness& given) {
    op.kind = AugmentKind::sharpness;
    op.probability = probability(given.probability);
    op.amount = factors(given.factor, "factor");
  }
  void set(AugmentOp& op, const augment::GaussianBlur& given) {
    op.kind = AugmentKind::blur;
    op.probability = probability(given.probability);
    constexpr std::int64_t kMost = 2 * kernels::kMostBlurRadius + 1;
    if (given.kernel_size < 1 || given.kernel_size > kMost || given.kernel_size % 2 == 0) {
      refuse("the kernel size is not odd and between 1 and " + std::to_string(kMost));
    }
    op.radius = static_cast<std::int32_t>(given.kernel_size / 2);
    if (op.radius >= std::min(shape_.height, shape_.width)) {
      refuse("half of the kernel is not smaller than the image, " + size_text(shape_.height, shape_.width));
    }
    op.amount = checked(given.sigma, "sigma", 0.01, 1000.0);
    const std::int64_t side = std::max(shape_.height, shape_.width);
    note_filter(side, side, side * given.kernel_size);
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
    check_count(given.count);
    if (given.magnitude < 0 || given.magnitude >= kernels::kPolicyLevels) {
      refuse("the magnitude is not between 0 and " + std::to_string(kernels::kPolicyLevels - 1));
    }
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
    check_count(given.count);
    op.probability = probability(given.probability);
    const auto is_magnitude = [](double value) { return value >= 0.0 && value <= kernels::kMostTimmMagnitude; };
    if (!is_magnitude(given.magnitude)) refuse("the magnitude is not between 0 and 10");
    if (!is_magnitude(given.deviation)) refuse("the deviation is not between 0 and 10");
    op.magnitude = {given.magnitude, given.deviation};
    set_warp(op, given.interpolation, given.fill);
  }

  void set(AugmentOp& op, const augment::ViewFlip&) { op.kind = AugmentKind::view_flip_x; }
  void set(AugmentOp& op, const augment::ViewShift& given) {
    op.kind = AugmentKind::view_shift;
    if (given.pixels < 0 || given.pixels >= std::min(shape_.height, shape_.width)) {
      refuse("the shift is not between 0 and the size of the image, " + size_text(shape_.height, shape_.width));
    }
    op.margin = static_cast<std::int32_t>(given.pixels);
    op.border = kernels::Border::reflect;
    op.height = static_cast<std::int32_t>(shape_.height);
    op.width = static_cast<std::int32_t>(shape_.width);
  }

  /// The size of the image if its shorter side becomes `side`. Sides are below 2^25.
  std::array<std::int64_t, 2> keeping_ratio(std::int64_t side) const {
    if (side < 1 || side > kLargestSide) refuse("the shorter side is not between 1 and 16777216");
    const std::int64_t shorter = std::min(shape_.height, shape_.width);
    return {side * shape_.height / shorter, side * shape_.width / shorter};
  }
  void set_warp(AugmentOp& op, augment::Interpolation interpolation, const std::vector<double>& fill) const {
    if (std::max(shape_.height, shape_.width) > kLargestResampledSide) {
      refuse("images of more than " + std::to_string(kLargestResampledSide) + " pixels per side cannot be warped");
    }
    if (interpolation == augment::Interpolation::bicubic) refuse("bicubic is only available when resizing");
    op.is_bilinear = interpolation == augment::Interpolation::bilinear;
    set_fill(op, fill);
  }
  void check_count(std::int64_t count) const {
    if (count < 1 || count > kernels::kMostOfOneKind) refuse("the count is not between 1 and 16");
  }
  void require_colors() const {
    if (shape_.channels != 1 && shape_.channels != 3) {
      refuse("images have " + std::to_string(shape_.channels) + " channels; it needs 1 or 3");
    }
  }
  NumberRange factors(const std::array<double, 2>& given, const char* what) const {
    const NumberRange range = checked(given, what, 0.0, kernels::kFactorLimit);
    if (kernels::fixed_factor(range.high) >= kernels::fixed_factor(kernels::kFactorLimit)) {
      refuse(std::string("the range of ") + what + " reaches 8; factors are below 8");
    }
    return range;
  }
  NumberRange checked(const std::array<double, 2>& given, const char* what, double least, double most) const {
    const auto [low, high] = range(given, what);
    if (!(low >= least && high <= most)) {
      refuse(std::string("the range of ") + what + " is not between " + number_text(least) + " and " +
             number_text(most));
    }
    return {low, high};
  }

  void set_size(AugmentOp& op, const std::array<std::int64_t, 2>& size) {
    if (size[0] < 1 || size[1] < 1) refuse("the size is not positive");
    if (size[0] > kLargestSide || size[1] > kLargestSide || shape_.channels * size[0] * size[1] > INT32_MAX) {
      refuse("the size is too large: an image has less than 2^31 values");
    }
    op.height = static_cast<std::int32_t>(size[0]);
    op.width = static_cast<std::int32_t>(size[1]);
    shape_.height = size[0];
    shape_.width = size[1];
  }
  void set_area_and_ratio(AugmentOp& op, const std::array<double, 2>& area, const std::array<double, 2>& ratio) const {
    const auto [least, most] = range(area, "area");
    if (!(least > 0.0 && most <= 1.0)) refuse("the area is not a share of the image, above 0 and up to 1");
    const auto [low, high] = range(ratio, "ratio");
    if (!(low >= kLeastRatio && high <= 1.0 / kLeastRatio)) refuse("the ratio is not between 1e-6 and 1e6");
    op.area = {least, most};
    op.ratio = {kernels::exact_log2(low), kernels::exact_log2(high)};
  }
  void set_resampled(AugmentOp& op, const std::array<std::int64_t, 2>& size, bool antialias,
                     augment::Interpolation interpolation) {
    if (interpolation == augment::Interpolation::nearest) refuse("nearest pixels are not available when resizing");
    const std::int64_t side = std::max({shape_.height, shape_.width, size[0], size[1]});
    if (side > kLargestResampledSide) {
      refuse("images of more than " + std::to_string(kLargestResampledSide) + " pixels per side cannot be resized");
    }
    op.antialias = antialias;
    op.is_cubic = interpolation == augment::Interpolation::bicubic;
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
      if (!(value >= 0.0 && value <= 255.0) || value != std::floor(value)) {
        refuse("a stored value is a whole number from 0 to 255");
      }
      return static_cast<std::int8_t>(static_cast<int>(value) - 128);
    });
  }
  void set_erased(AugmentOp& op, bool is_normalized, const std::vector<double>& given) const {
    op.is_normalized = is_normalized;
    if (!is_normalized) return set_fill(op, given);
    set_values(op.values, given, [&](double value) {
      if (!std::isfinite(static_cast<float>(value))) refuse("the value is not finite");
      return static_cast<float>(value);
    });
  }
  double probability(double given) const {
    if (!(given >= 0.0 && given <= 1.0)) refuse("the probability is not between 0 and 1");
    return given;
  }
  std::array<double, 2> range(const std::array<double, 2>& given, const char* what) const {
    if (!std::isfinite(static_cast<float>(given[0])) || !std::isfinite(static_cast<float>(given[1])) ||
        given[0] > given[1]) {
      refuse(std::string("the range of ") + what + " is not two finite numbers in ascending order");
    }
    return given;
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

kernels::AugmentProgram store::make_program(const BatchSpec& spec, const SampleShape& shape) {
  kernels::AugmentProgram program = built(spec.augment, shape).program();
  program.seed = spec.augment_seed;
  return program;
}

}  // namespace octavo
