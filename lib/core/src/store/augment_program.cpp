#include "store/augment_program.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include <octavo/augment.hpp>
#include <octavo/errors.hpp>

namespace octavo {
namespace {

using kernels::AugmentKind;
using kernels::AugmentOp;

/// Sums of weights of longer axes could overflow 64 bits.
constexpr std::int64_t kLargestResampledSide = 65535;
constexpr double kLeastRatio = 1e-6;
/// Larger images could overflow the 32-bit coordinates of kernels.
constexpr std::int64_t kLargestSide = 1 << 24;

std::string number(double value) {
  std::string text = std::to_string(value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string size_text(std::int64_t height, std::int64_t width) {
  return std::to_string(height) + "x" + std::to_string(width);
}

std::string range_text(const std::array<double, 2>& range) { return number(range[0]) + " to " + number(range[1]); }

const char* to_string(augment::Border border) {
  switch (border) {
    case augment::Border::constant:
      return "constant";
    case augment::Border::edge:
      return "edge";
    case augment::Border::reflect:
      return "reflect";
  }
  return "";
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
  explicit ProgramBuilder(const SampleShape& shape) : shape_(shape) {
    program_.most_pixels = shape.values_per_channel();
  }

  void add(const augment::Operation& operation) {
    name_ = augment::describe({operation});
    if (program_.op_count == kernels::kMostAugmentOps) {
      refuse("an augmentation has at most " + std::to_string(kernels::kMostAugmentOps) + " operations");
    }
    AugmentOp op{};
    op.probability = 1.0;
    std::visit([&](const auto& given) { set(op, given); }, operation);
    if (program_.op_count > 0 && changes_values(program_.ops[program_.op_count - 1]) && !changes_values(op)) {
      refuse("operations on normalized values come last; move it before them");
    }
    // A kind may occur several times; each has its own random numbers.
    const auto before = std::count_if(program_.ops, program_.ops + program_.op_count,
                                      [&](const AugmentOp& other) { return other.kind == op.kind; });
    op.slot = static_cast<std::uint32_t>(op.kind) * kernels::kMostAugmentOps + static_cast<std::uint32_t>(before);
    program_.has_jitter = program_.has_jitter || op.kind == AugmentKind::jitter;
    program_.erases_values = program_.erases_values || (op.is_normalized && op.kind != AugmentKind::jitter);
    program_.most_pixels = std::max(program_.most_pixels, shape_.values_per_channel());
    program_.ops[program_.op_count++] = op;
  }

  const kernels::AugmentProgram& program() const { return program_; }
  const SampleShape& shape() const { return shape_; }

 private:
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
    set_resampled(op, given.size, given.antialias);
  }
  void set(AugmentOp& op, const augment::Resize& given) {
    op.kind = AugmentKind::resize;
    set_resampled(op, given.size, given.antialias);
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
    op.shift_low = least_shift;
    op.shift_high = most_shift;
    op.factor_low = least_factor;
    op.factor_high = most_factor;
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
    op.area_low = least;
    op.area_high = most;
    op.ratio_low = kernels::exact_log2(low);
    op.ratio_high = kernels::exact_log2(high);
  }
  void set_resampled(AugmentOp& op, const std::array<std::int64_t, 2>& size, bool antialias) {
    const std::int64_t side = std::max({shape_.height, shape_.width, size[0], size[1]});
    if (side > kLargestResampledSide) {
      refuse("images of more than " + std::to_string(kLargestResampledSide) + " pixels per side cannot be resized");
    }
    if (++program_.resampling_count > kernels::kMostResamplings) {
      refuse("an augmentation resizes at most " + std::to_string(kernels::kMostResamplings) + " times");
    }
    program_.most_resampled_side =
        std::max(program_.most_resampled_side, static_cast<std::int32_t>(std::max(shape_.height, shape_.width)));
    set_size(op, size);
    program_.most_resampled_output = std::max({program_.most_resampled_output, op.height, op.width});
    op.antialias = antialias;
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
};

ProgramBuilder built(const augment::Operations& operations, const SampleShape& shape) {
  ProgramBuilder builder(shape);
  for (const augment::Operation& operation : operations) builder.add(operation);
  return builder;
}

std::string erased_text(bool normalized, const std::vector<double>& value) {
  std::string text;
  for (const double one : value) text += (text.empty() ? "" : ",") + number(one);
  return normalized ? "normalized value " + text : "value " + text;
}

struct Describe {
  std::string operator()(const augment::HorizontalFlip& op) const {
    return "horizontal flip " + number(op.probability);
  }
  std::string operator()(const augment::AlternatingFlip&) const { return "alternating flip"; }
  std::string operator()(const augment::VerticalFlip& op) const { return "vertical flip " + number(op.probability); }
  std::string operator()(const augment::RandomCrop& op) const {
    return "random crop" + (op.size ? " " + size_text((*op.size)[0], (*op.size)[1]) : std::string()) + " (padding " +
           std::to_string(op.padding) + ", " + to_string(op.border) + ")";
  }
  std::string operator()(const augment::CenterCrop& op) const {
    return "center crop " + size_text(op.size[0], op.size[1]);
  }
  std::string operator()(const augment::RandomResizedCrop& op) const {
    return "random resized crop " + size_text(op.size[0], op.size[1]) + " (area " + range_text(op.area) + ", ratio " +
           range_text(op.ratio) + (op.antialias ? ")" : ", not antialiased)");
  }
  std::string operator()(const augment::Resize& op) const {
    return "resize " + size_text(op.size[0], op.size[1]) + (op.antialias ? "" : " (not antialiased)");
  }
  std::string operator()(const augment::Cutout& op) const {
    return "cutout " + std::to_string(op.size) + " (probability " + number(op.probability) +
           (op.inside ? ", " : ", clipped, ") + erased_text(op.normalized, op.value) + ")";
  }
  std::string operator()(const augment::RandomErasing& op) const {
    return "random erasing " + number(op.probability) + " (area " + range_text(op.area) + ", ratio " +
           range_text(op.ratio) + ", " + erased_text(op.normalized, op.value) + ")";
  }
  std::string operator()(const augment::NormalizedJitter& op) const {
    return "normalized jitter (shift " + range_text(op.shift) + ", factor " + range_text(op.factor) + ")";
  }
};

}  // namespace

SampleShape augment::augmented_shape(const Operations& operations, const SampleShape& shape) {
  return built(operations, shape).shape();
}

std::string augment::describe(const Operations& operations) {
  std::string text;
  for (const Operation& operation : operations) text += (text.empty() ? "" : ", ") + std::visit(Describe(), operation);
  return text;
}

kernels::AugmentProgram store::make_program(const BatchSpec& spec, const SampleShape& shape) {
  kernels::AugmentProgram program = built(spec.augment, shape).program();
  program.seed = spec.augment_seed;
  return program;
}

}  // namespace octavo
