#include <string>

#include <octavo/augment.hpp>

#include "store/number_text.hpp"

namespace octavo {
namespace {

using store::number_text;

std::string size_text(const std::array<std::int64_t, 2>& size) {
  return std::to_string(size[0]) + "x" + std::to_string(size[1]);
}

std::string range_text(const std::array<double, 2>& range) {
  return number_text(range[0]) + " to " + number_text(range[1]);
}

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

const char* to_string(augment::Interpolation interpolation) {
  switch (interpolation) {
    case augment::Interpolation::nearest:
      return "nearest";
    case augment::Interpolation::bicubic:
      return "bicubic";
    case augment::Interpolation::bilinear:
      return "bilinear";
  }
  return "";
}

std::string erased_text(bool normalized, const std::vector<double>& value) {
  std::string text;
  for (const double one : value) text += (text.empty() ? "" : ",") + number_text(one);
  return normalized ? "normalized value " + text : "value " + text;
}

/// ", fill 0,10,20"; nothing for the usual fill.
std::string fill_text(const std::vector<double>& fill, double usual = 0.0) {
  if (fill == std::vector{usual}) return "";
  std::string text;
  for (const double one : fill) text += (text.empty() ? "" : ",") + number_text(one);
  return ", fill " + text;
}

struct Describe {
  std::string operator()(const augment::HorizontalFlip& op) const {
    return "horizontal flip " + number_text(op.probability);
  }
  std::string operator()(const augment::AlternatingFlip&) const { return "alternating flip"; }
  std::string operator()(const augment::VerticalFlip& op) const {
    return "vertical flip " + number_text(op.probability);
  }
  std::string operator()(const augment::RandomCrop& op) const {
    return "random crop" + (op.size ? " " + size_text(*op.size) : std::string()) + " (padding " +
           std::to_string(op.padding) + ", " + to_string(op.border) +
           (op.border == augment::Border::constant ? fill_text(op.fill) : "") + ")";
  }
  std::string operator()(const augment::CenterCrop& op) const {
    return "center crop " + size_text(op.size) + fill_text(op.fill);
  }
  std::string operator()(const augment::RandomResizedCrop& op) const {
    return "random resized crop " + size_text(op.size) + " (area " + range_text(op.area) + ", ratio " +
           range_text(op.ratio) + (op.interpolation == augment::Interpolation::bicubic ? ", bicubic" : "") +
           (op.antialias ? ")" : ", not antialiased)");
  }
  std::string operator()(const augment::Resize& op) const {
    const std::string size = op.shorter_side == 0 ? size_text(op.size) : std::to_string(op.shorter_side);
    const std::string cubic = op.interpolation == augment::Interpolation::bicubic ? " (bicubic)" : "";
    return "resize " + size + cubic + (op.antialias ? "" : " (not antialiased)");
  }
  std::string operator()(const augment::Cutout& op) const {
    return "cutout " + std::to_string(op.size) + " (probability " + number_text(op.probability) +
           (op.inside ? ", " : ", clipped, ") + erased_text(op.normalized, op.value) + ")";
  }
  std::string operator()(const augment::RandomErasing& op) const {
    return "random erasing " + number_text(op.probability) + " (area " + range_text(op.area) + ", ratio " +
           range_text(op.ratio) + ", " + erased_text(op.normalized, op.value) + ")";
  }
  std::string operator()(const augment::Affine& op) const {
    return "affine " + number_text(op.probability) + " (degrees " + range_text(op.degrees) + ", translate " +
           number_text(op.translate_x) + " and " + number_text(op.translate_y) + ", scale " + range_text(op.scale) +
           ", shear " + range_text(op.shear_x) + " and " + range_text(op.shear_y) + ", " + to_string(op.interpolation) +
           fill_text(op.fill) + ")";
  }
  std::string operator()(const augment::ColorJitter& op) const {
    return "color jitter " + number_text(op.probability) + " (brightness " + range_text(op.brightness) + ", contrast " +
           range_text(op.contrast) + ", saturation " + range_text(op.saturation) + ", hue " + range_text(op.hue) + ")";
  }
  std::string operator()(const augment::Grayscale& op) const { return "grayscale " + number_text(op.probability); }
  std::string operator()(const augment::ChannelPermutation& op) const {
    return "channel permutation " + number_text(op.probability);
  }
  std::string operator()(const augment::Solarize& op) const {
    return "solarize " + number_text(op.probability) + " (threshold " + std::to_string(op.threshold) + ")";
  }
  std::string operator()(const augment::Posterize& op) const {
    return "posterize " + number_text(op.probability) + " (" + std::to_string(op.bits) + " bits)";
  }
  std::string operator()(const augment::Invert& op) const { return "invert " + number_text(op.probability); }
  std::string operator()(const augment::Gamma& op) const {
    return "gamma " + number_text(op.probability) + " (" + range_text(op.gamma) + ")";
  }
  std::string operator()(const augment::AutoContrast& op) const {
    return "autocontrast " + number_text(op.probability);
  }
  std::string operator()(const augment::Equalize& op) const { return "equalize " + number_text(op.probability); }
  std::string operator()(const augment::Sharpness& op) const {
    return "sharpness " + number_text(op.probability) + " (factor " + range_text(op.factor) + ")";
  }
  std::string operator()(const augment::GaussianBlur& op) const {
    return "Gaussian blur " + number_text(op.probability) + " (kernel " + std::to_string(op.kernel_size) + ", sigma " +
           range_text(op.sigma) + ")";
  }
  std::string operator()(const augment::TrivialAugment& op) const {
    return std::string("TrivialAugment (") + to_string(op.interpolation) + fill_text(op.fill) + ")";
  }
  std::string operator()(const augment::TimmRandAugment& op) const {
    return "timm's RandAugment (" + std::to_string(op.count) + " operations, magnitude " + number_text(op.magnitude) +
           " +- " + number_text(op.deviation) + ", probability " + number_text(op.probability) + ", " +
           to_string(op.interpolation) + fill_text(op.fill, 128.0) + ")";
  }
  std::string operator()(const augment::RandAugment& op) const {
    return "RandAugment (" + std::to_string(op.count) + " operations, magnitude " + std::to_string(op.magnitude) +
           ", " + to_string(op.interpolation) + fill_text(op.fill) + ")";
  }
  std::string operator()(const augment::ViewFlip&) const { return "flip of views"; }
  std::string operator()(const augment::ViewShift& op) const {
    return "shift of views (" + std::to_string(op.pixels) + " pixels)";
  }
  std::string operator()(const augment::NormalizedJitter& op) const {
    return "normalized jitter (shift " + range_text(op.shift) + ", factor " + range_text(op.factor) + ")";
  }
};

}  // namespace

std::string augment::describe(const Operations& operations) {
  std::string text;
  for (const Operation& operation : operations) text += (text.empty() ? "" : ", ") + std::visit(Describe(), operation);
  return text;
}

std::string augment::describe_mix(const Mix& mix) {
  std::string text;
  if (mix.mixup_alpha != 0.0) text = "MixUp " + number_text(mix.mixup_alpha);
  if (mix.cutmix_alpha != 0.0) text += (text.empty() ? "" : " or ") + ("CutMix " + number_text(mix.cutmix_alpha));
  constexpr const char* kPartners[] = {"previous", "opposite", "shuffled"};
  return text + " (" + kPartners[static_cast<int>(mix.partner)] + (mix.per_sample ? ", per sample" : "") +
         (mix.mixup_alpha != 0.0 && mix.cutmix_alpha != 0.0 && mix.cutmix_share != 0.5
              ? ", CutMix with probability " + number_text(mix.cutmix_share)
              : std::string()) +
         (mix.pairs ? ", pairs" : "") +
         (mix.probability < 1.0 ? ", probability " + number_text(mix.probability) : std::string()) + ")";
}

}  // namespace octavo
