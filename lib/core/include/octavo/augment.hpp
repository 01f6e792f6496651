// Random augmentation of the images of a batch.
//
// Operations are applied in the given order to the stored values of each image, in the kernel that gathers the batch.
// Each image has its own random numbers. They depend on the seed, the epoch, the index of the sample, the view and the
// kind of the operation, and on nothing else: not on the batch, the rank, the residency, the number of threads or the
// device. docs/numerics.md, "Augmentation", defines every bit.
//
// An operation is a struct with a description (parameters.hpp). Its checks, its text, the command line, the classes of
// Python and the reference page derive from it; the struct and its description are all that they know of an operation.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include <octavo/parameters.hpp>
#include <octavo/sample.hpp>

namespace octavo {

namespace augment {

/// What a crop shows beyond the edge of an image.
enum class Border {
  constant,  ///< the fill color
  edge,      ///< the nearest pixel
  reflect,   ///< the image mirrored at its edge pixels, which are not repeated
};

/// How an image between pixels is computed.
enum class Interpolation {
  nearest,   ///< the nearest pixel
  bilinear,  ///< a weighted mean of the four nearest pixels
};

/// How resizing computes pixels.
enum class ResizeFilter {
  bilinear,  ///< a weighted mean of the four nearest pixels
  bicubic,   ///< a cubic convolution of the sixteen nearest pixels, as in Pillow
};

/// The sample of its batch that a sample is mixed with.
enum class Partner {
  previous,  ///< the one before; the first sample is mixed with the last one
  opposite,  ///< the one at the same distance from the other end
  shuffled,  ///< the one at the same place in a random order
};

}  // namespace augment

template <>
inline constexpr const char* kTypeName<augment::Border> = "Border";
template <>
inline constexpr std::array kValueNames<augment::Border> = {"constant", "edge", "reflect"};
template <>
inline constexpr const char* kTypeName<augment::Interpolation> = "Interpolation";
template <>
inline constexpr std::array kValueNames<augment::Interpolation> = {"nearest", "bilinear"};
template <>
inline constexpr const char* kTypeName<augment::ResizeFilter> = "ResizeFilter";
template <>
inline constexpr std::array kValueNames<augment::ResizeFilter> = {"bilinear", "bicubic"};
template <>
inline constexpr const char* kTypeName<augment::Partner> = "Partner";
template <>
inline constexpr std::array kValueNames<augment::Partner> = {"previous", "opposite", "shuffled"};

namespace augment {

/// [H,W] in pixels.
using Size = std::array<std::int64_t, 2>;
/// A number is drawn from this range.
using Range = std::array<double, 2>;
/// One number for all channels, or one per channel of at most 4.
using ChannelValues = std::vector<double>;

// ---- What several parameters have in common ------------------------------------------------------------------------

/// Larger images could overflow the 32-bit coordinates of kernels.
inline constexpr Limits kSideLimits = {1, 1 << 24};
inline constexpr Limits kPaddingLimits = {0, 1 << 24};
inline constexpr Limits kShareLimits = {0, 1};
inline constexpr Limits kAreaLimits = {0, 1, true};
inline constexpr Limits kRatioLimits = {1e-6, 1e6};
inline constexpr Limits kFactorLimits = {0, 8, false, true};
inline constexpr Limits kStoredLimits = {0, 255};
inline constexpr Limits kDegreesLimits = {-3600, 3600};
inline constexpr Limits kShearLimits = {-80, 80};
inline constexpr Limits kCountLimits = {1, 16};

template <typename Operation>
constexpr auto probability_parameter() {
  return parameter("probability", &Operation::probability, "The probability that the image changes at all.",
                   kShareLimits);
}
template <typename Operation>
constexpr auto fill_parameter() {
  return parameter("fill", &Operation::fill,
                   "What is beyond the edge: one stored value, or one per channel for at most 4 channels.",
                   kStoredLimits);
}
template <typename Operation>
constexpr auto interpolation_parameter() {
  return parameter("interpolation", &Operation::interpolation, "How an image between pixels is computed.");
}
template <typename Operation>
constexpr auto antialias_parameter() {
  return parameter("antialias", &Operation::antialias,
                   "Average all pixels when reducing. False: use only the nearest ones, 2 x 2 (bilinear) or 4 x 4 "
                   "(bicubic).");
}
template <typename Operation>
constexpr auto filter_parameter() {
  return parameter("interpolation", &Operation::interpolation, "The filter; bicubic as in Pillow.");
}

// ---- Operations that move pixels -----------------------------------------------------------------------------------

struct HorizontalFlip {
  double probability = 0.5;

  static constexpr auto description() {
    return described({"HorizontalFlip", "flip", "probability", "Mirrors left and right."},
                     probability_parameter<HorizontalFlip>());
  }
};

struct AlternatingFlip {
  static constexpr auto description() {
    return described({"AlternatingFlip", "alternating-flip", "",
                      "Mirrors a random half of the samples in even epochs, the other half in odd epochs.",
                      "So a sample is seen from both sides in any two consecutive epochs (K. Jordan, \"94% on CIFAR-10 "
                      "in 3.29 seconds\", 2024)."});
  }
};

struct VerticalFlip {
  double probability = 0.5;

  static constexpr auto description() {
    return described({"VerticalFlip", "vertical-flip", "probability", "Mirrors top and bottom."},
                     probability_parameter<VerticalFlip>());
  }
};

struct RandomCrop {
  std::optional<Size> size = {};  ///< without it, the size stays
  std::int64_t padding = 4;
  Border border = Border::reflect;
  ChannelValues fill = {0.0};

  static constexpr auto description() {
    return described({"RandomCrop", "crop", "padding",
                      "Pads all sides, then cuts out a part at a random position; all positions are equally likely."},
                     parameter("size", &RandomCrop::size,
                               "(height, width) of the output, or one number for both. None: the size "
                               "stays.",
                               kSideLimits),
                     parameter("padding", &RandomCrop::padding,
                               "Pixels added at each side. ``border=\"reflect\"`` needs fewer than "
                               "the image has.",
                               kPaddingLimits),
                     parameter("border", &RandomCrop::border,
                               "What the padding shows: `fill`, the nearest pixel, or the image "
                               "mirrored at its edge pixels, which are not repeated."),
                     parameter("fill", &RandomCrop::fill,
                               "For ``border=\"constant\"``: one stored value, or one per channel for at "
                               "most 4 channels.",
                               kStoredLimits));
  }
};

struct CenterCrop {
  Size size = {};
  ChannelValues fill = {0.0};

  static constexpr auto description() {
    return described(
        {"CenterCrop", "center-crop", "size", "Cuts out the center. An image that is smaller is padded first."},
        required_parameter("size", &CenterCrop::size, "(height, width) of the output, or one number for both.",
                           kSideLimits),
        parameter("fill", &CenterCrop::fill,
                  "The padding: one stored value, or one per channel for at most 4 channels.", kStoredLimits));
  }
};

struct RandomResizedCrop {
  Size size = {};
  Range area = {0.08, 1.0};
  Range ratio = {3.0 / 4, 4.0 / 3};
  bool antialias = true;
  ResizeFilter interpolation = ResizeFilter::bilinear;

  static constexpr auto description() {
    return described(
        {"RandomResizedCrop", "resized-crop", "size",
         "Cuts out a part of random size and shape, and resizes it, like "
         "``torchvision.transforms.v2.RandomResizedCrop``.",
         "The area is uniform, the ratio log-uniform. After ten parts that do not fit in the image, the largest part "
         "with an allowed ratio is taken at the center. The filter computes in integers; with antialiasing, the result "
         "differs from Pillow's by at most one level."},
        required_parameter("size", &RandomResizedCrop::size, "(height, width) of the output, or one number for both.",
                           kSideLimits),
        parameter("area", &RandomResizedCrop::area,
                  "The range of its area, as a share of the image; torchvision's "
                  "``scale``.",
                  kAreaLimits),
        parameter("ratio", &RandomResizedCrop::ratio, "The range of its width divided by its height.", kRatioLimits),
        antialias_parameter<RandomResizedCrop>(), filter_parameter<RandomResizedCrop>());
  }
};

struct Resize {
  std::variant<std::int64_t, Size> size = Size{};  ///< the shorter side, or [H,W]
  bool antialias = true;
  ResizeFilter interpolation = ResizeFilter::bilinear;

  static constexpr auto description() {
    return described({"Resize", "resize", "size", "Resizes the whole image."},
                     required_parameter("size", &Resize::size,
                                        "(height, width) of the output; or one number, the shorter side: the "
                                        "other one keeps the ratio, rounded down, like torchvision.",
                                        kSideLimits),
                     antialias_parameter<Resize>(), filter_parameter<Resize>());
  }
};

struct Affine {
  Range degrees = {0.0, 0.0};
  double translate_x = 0.0, translate_y = 0.0;
  Range scale = {1.0, 1.0};
  Range shear_x = {0.0, 0.0}, shear_y = {0.0, 0.0};
  Interpolation interpolation = Interpolation::nearest;
  ChannelValues fill = {0.0};
  double probability = 1.0;

  /// What "affine:15" means.
  static Affine of_number(double degrees = 15.0) {
    return {.degrees = {-degrees, degrees}, .interpolation = Interpolation::bilinear};
  }
  static constexpr auto description() {
    constexpr OneNumber kAround = OneNumber::around_zero;
    return described(
        {"Affine", "affine", "degrees",
         "Rotates, translates, scales and shears around the center, like ``torchvision.transforms.v2.RandomAffine``.",
         "All numbers are uniform in their ranges."},
        parameter("degrees", &Affine::degrees, "The angle, clockwise.", kDegreesLimits, kAround),
        parameter("translate_x", &Affine::translate_x,
                  "The largest translation in both directions, as a share of the "
                  "width. Translations are whole pixels.",
                  kShareLimits),
        parameter("translate_y", &Affine::translate_y, "The same, as a share of the height.", kShareLimits),
        parameter("scale", &Affine::scale, "The range of the scale.", {0.01, 100}),
        parameter("shear_x", &Affine::shear_x, "The angle of the shear along x, in degrees.", kShearLimits, kAround),
        parameter("shear_y", &Affine::shear_y, "The angle of the shear along y, in degrees.", kShearLimits, kAround),
        interpolation_parameter<Affine>(), fill_parameter<Affine>(), probability_parameter<Affine>());
  }
};

// ---- Operations that erase -----------------------------------------------------------------------------------------

struct Cutout {
  std::int64_t size = 8;
  double probability = 1.0;
  bool inside = true;
  bool normalized = true;
  ChannelValues value = {0.0};

  static constexpr auto description() {
    return described({"Cutout", "cutout", "size", "Fills a square (T. DeVries and G. Taylor, 2017)."},
                     parameter("size", &Cutout::size, "The side of the square in pixels.", kSideLimits),
                     probability_parameter<Cutout>(),
                     parameter("inside", &Cutout::inside,
                               "The whole square is in the image. False: only its center is, and what is "
                               "outside is cut off."),
                     parameter("normalized", &Cutout::normalized,
                               "`value` replaces normalized values. False: stored values, 0 to "
                               "255."),
                     parameter("value", &Cutout::value, "One number, or one per channel for at most 4 channels."));
  }
};

struct RandomErasing {
  double probability = 0.5;
  Range area = {0.02, 0.33};
  Range ratio = {0.3, 3.3};
  bool normalized = true;
  ChannelValues value = {0.0};

  static constexpr auto description() {
    return described(
        {"RandomErasing", "erase", "probability",
         "Fills a rectangle of random size and shape (Z. Zhong et al., 2017), with the distributions of "
         "``torchvision.transforms.v2.RandomErasing``.",
         "The area is uniform, the ratio log-uniform; after ten rectangles that are not smaller than the image, "
         "nothing is erased."},
        probability_parameter<RandomErasing>(),
        parameter("area", &RandomErasing::area, "The range of its area, as a share of the image.", kAreaLimits),
        parameter("ratio", &RandomErasing::ratio, "The range of its height divided by its width.", kRatioLimits),
        parameter("normalized", &RandomErasing::normalized, "As in `Cutout`."),
        parameter("value", &RandomErasing::value, "As in `Cutout`."));
  }
};

// ---- Operations on colors ------------------------------------------------------------------------------------------

struct ColorJitter {
  Range brightness = {1.0, 1.0}, contrast = {1.0, 1.0}, saturation = {1.0, 1.0};
  Range hue = {0.0, 0.0};
  double probability = 1.0;

  /// What "jitter:0.4" means: the hue changes by up to a quarter of `strength`.
  static ColorJitter of_number(double strength = 0.4) {
    const Range factors = {strength < 1.0 ? 1.0 - strength : 0.0, 1.0 + strength};
    return {factors, factors, factors, {-strength / 4, strength / 4}};
  }
  static constexpr auto description() {
    constexpr OneNumber kAround = OneNumber::around_one;
    return described(
        {"ColorJitter", "jitter", "strength",
         "Changes brightness, contrast, saturation and hue in a random order, like "
         "``torchvision.transforms.v2.ColorJitter``.",
         "Each result is clamped to 0 to 255. Images have 1 or 3 channels; those of 1 have no saturation and no hue."},
        parameter("brightness", &ColorJitter::brightness, "The range of the factor.", kFactorLimits, kAround),
        parameter("contrast", &ColorJitter::contrast, "The range of the factor.", kFactorLimits, kAround),
        parameter("saturation", &ColorJitter::saturation, "The range of the factor.", kFactorLimits, kAround),
        parameter("hue", &ColorJitter::hue, "The range of the change, in turns.", {-0.5, 0.5}, OneNumber::around_zero),
        probability_parameter<ColorJitter>());
  }
};

struct Grayscale {
  double probability = 0.1;

  static constexpr auto description() {
    return described({"Grayscale", "grayscale", "probability",
                      "Replaces red, green and blue by the luma. Images of 1 channel stay."},
                     probability_parameter<Grayscale>());
  }
};

struct ChannelPermutation {
  double probability = 1.0;

  static constexpr auto description() {
    return described(
        {"ChannelPermutation", "permute-channels", "probability", "Puts the channels, at most 4, in a random order."},
        probability_parameter<ChannelPermutation>());
  }
};

struct Solarize {
  std::int64_t threshold = 128;
  double probability = 0.5;

  static constexpr auto description() {
    return described({"Solarize", "solarize", "threshold", "Inverts all values from a threshold on."},
                     parameter("threshold", &Solarize::threshold, "The first stored value that is inverted.", {0, 256}),
                     probability_parameter<Solarize>());
  }
};

struct Posterize {
  std::int64_t bits = 4;
  double probability = 0.5;

  static constexpr auto description() {
    return described({"Posterize", "posterize", "bits", "Keeps the upper bits of each value."},
                     parameter("bits", &Posterize::bits, "Bits that are kept.", {1, 8}),
                     probability_parameter<Posterize>());
  }
};

struct Invert {
  double probability = 0.5;

  static constexpr auto description() {
    return described({"Invert", "invert", "probability", "Inverts all values."}, probability_parameter<Invert>());
  }
};

struct Gamma {
  Range gamma = {0.8, 1.25};
  double probability = 1.0;

  static constexpr auto description() {
    return described({"Gamma", "gamma", "gamma", "Raises stored values, as shares of 255, to a power."},
                     parameter("gamma", &Gamma::gamma, "The range of the power.", {0.01, 100}, OneNumber::itself),
                     probability_parameter<Gamma>());
  }
};

struct AutoContrast {
  double probability = 0.5;

  static constexpr auto description() {
    return described(
        {"AutoContrast", "autocontrast", "probability", "Stretches the values of each channel to 0 to 255."},
        probability_parameter<AutoContrast>());
  }
};

struct Equalize {
  double probability = 0.5;

  static constexpr auto description() {
    return described({"Equalize", "equalize", "probability", "Makes the histogram of each channel flat."},
                     probability_parameter<Equalize>());
  }
};

struct Sharpness {
  Range factor = {2.0, 2.0};
  double probability = 0.5;

  static constexpr auto description() {
    return described(
        {"Sharpness", "sharpness", "factor",
         "Blends an image with its mean over 3x3 pixels, like ``torchvision.transforms.v2.RandomAdjustSharpness``."},
        parameter("factor", &Sharpness::factor, "The range of the factor: 0 smooths, 1 changes nothing, 2 sharpens.",
                  kFactorLimits, OneNumber::itself),
        probability_parameter<Sharpness>());
  }
};

struct GaussianBlur {
  std::int64_t kernel_size = 3;
  Range sigma = {0.1, 2.0};
  double probability = 1.0;

  static constexpr auto description() {
    return described({"GaussianBlur", "blur", "kernel_size",
                      "Blurs an image, like ``torchvision.transforms.v2.GaussianBlur``. Borders are reflected."},
                     parameter("kernel_size", &GaussianBlur::kernel_size,
                               "Pixels; odd. Half of it is smaller than the image.", {1, 63}),
                     parameter("sigma", &GaussianBlur::sigma, "The range of the standard deviation in pixels.",
                               {0.01, 1000}, OneNumber::itself),
                     probability_parameter<GaussianBlur>());
  }
};

struct GaussianNoise {
  Range deviation = {0.1, 0.1};
  double probability = 1.0;

  static constexpr auto description() {
    return described(
        {"GaussianNoise", "noise", "deviation",
         "Adds noise that is normally distributed, like ``torchvision.transforms.v2.GaussianNoise``.",
         "Each value has its own noise. Results are rounded to whole levels and clamped to 0 to 255."},
        parameter("deviation", &GaussianNoise::deviation, "The range of the standard deviation, as a share of 255.",
                  kShareLimits, OneNumber::itself),
        probability_parameter<GaussianNoise>());
  }
};

// ---- Policies ------------------------------------------------------------------------------------------------------

struct TrivialAugment {
  Interpolation interpolation = Interpolation::nearest;
  ChannelValues fill = {0.0};

  static constexpr auto description() {
    return described({"TrivialAugment", "trivial", "",
                      "Applies one operation out of 14 with one of 31 magnitudes, like "
                      "``torchvision.transforms.v2.TrivialAugmentWide`` (S. Mueller and F. Hutter, 2021).",
                      "Images have 1 or 3 channels."},
                     interpolation_parameter<TrivialAugment>(), fill_parameter<TrivialAugment>());
  }
};

struct RandAugment {
  std::int64_t count = 2;
  std::int64_t magnitude = 9;
  Interpolation interpolation = Interpolation::nearest;
  ChannelValues fill = {0.0};

  static constexpr auto description() {
    return described({"RandAugment", "rand", "count,magnitude",
                      "Applies some operations out of 14, all with the same magnitude, like "
                      "``torchvision.transforms.v2.RandAugment`` (E. Cubuk et al., 2019).",
                      "Images have 1 or 3 channels."},
                     parameter("count", &RandAugment::count, "Operations.", kCountLimits),
                     parameter("magnitude", &RandAugment::magnitude, "Of each operation.", {0, 30}),
                     interpolation_parameter<RandAugment>(), fill_parameter<RandAugment>());
  }
};

struct TimmRandAugment {
  std::int64_t count = 2;
  double magnitude = 9.0;
  double deviation = 0.5;
  double probability = 0.5;
  Interpolation interpolation = Interpolation::bilinear;
  ChannelValues fill = {128.0};

  static constexpr auto description() {
    return described({"TimmRandAugment", "timm-rand", "count,magnitude",
                      "Applies some operations out of 15 like timm's RandAugment, ``\"rand-m9-mstd0.5-inc1\"``.",
                      "Images have 1 or 3 channels."},
                     parameter("count", &TimmRandAugment::count, "Operations.", kCountLimits),
                     parameter("magnitude", &TimmRandAugment::magnitude,
                               "The mean of the magnitudes, timm's ``m``. Each operation "
                               "of each image has its own, between 0 and 10.",
                               {0, 10}),
                     parameter("deviation", &TimmRandAugment::deviation,
                               "The standard deviation of the magnitudes, ``mstd``.", {0, 10}),
                     parameter("probability", &TimmRandAugment::probability,
                               "The probability that an operation is applied.", kShareLimits),
                     interpolation_parameter<TimmRandAugment>(), fill_parameter<TimmRandAugment>());
  }
};

// ---- Views for test-time augmentation, and normalized values -------------------------------------------------------

struct ViewFlip {
  static constexpr auto description() {
    return described({"ViewFlip", "view-flip", "",
                      "Mirrors every second view left and right: views 1, 3, ... For test-time augmentation."});
  }
};

struct ViewShift {
  std::int64_t pixels = 1;

  static constexpr auto description() {
    return described(
        {"ViewShift", "view-shift", "pixels", "Shifts pairs of views along the diagonals. For test-time augmentation.",
         "Views 0 and 1 stay, 2 and 3 show the image moved down and right, 4 and 5 up and left, 6 to 9 "
         "along the other diagonal, and so on. Beyond the edge, the image is reflected."},
        parameter("pixels", &ViewShift::pixels, "Fewer than the image has.", kPaddingLimits));
  }
};

struct NormalizedJitter {
  Range shift = {0.0, 0.0};
  Range factor = {1.0, 1.0};

  static constexpr auto description() {
    return described({"NormalizedJitter", "normalized-jitter", "",
                      "Changes the normalized values of an image: v becomes ``(v + shift) * factor``, not clamped.",
                      "Both numbers are uniform in their ranges."},
                     parameter("shift", &NormalizedJitter::shift, "The range of the shift."),
                     parameter("factor", &NormalizedJitter::factor, "The range of the factor."));
  }
};

/// All operations. What lists them goes through this type.
using Operation =
    std::variant<HorizontalFlip, AlternatingFlip, VerticalFlip, RandomCrop, CenterCrop, RandomResizedCrop, Resize,
                 Cutout, RandomErasing, Affine, ColorJitter, Grayscale, ChannelPermutation, Solarize, Posterize, Invert,
                 Gamma, AutoContrast, Equalize, Sharpness, GaussianBlur, GaussianNoise, TrivialAugment, RandAugment,
                 TimmRandAugment, ViewFlip, ViewShift, NormalizedJitter>;

/// At most 32 operations in the order in which they are applied; a color jitter counts as four. At most 16 are of one
/// kind. Those that change normalized values come last.
using Operations = std::vector<Operation>;

// ---- Mixing --------------------------------------------------------------------------------------------------------

struct Mix {
  double mixup_alpha = 0.0;
  double cutmix_alpha = 0.0;
  double cutmix_share = 0.5;
  double probability = 1.0;
  Partner partner = Partner::previous;
  bool per_sample = false;
  bool pairs = false;

  static constexpr auto description() {
    return described(
        {"Mix", nullptr, "", "Mixes pairs of samples of a batch, after all operations and the normalization.",
         "MixUp (H. Zhang et al., 2017) adds weighted values, CutMix (S. Yun et al., 2019) shows the partner in a "
         "rectangle. Labels become probabilities, or pairs. Each rank mixes its own samples."},
        parameter("mixup_alpha", &Mix::mixup_alpha,
                  "The weights of MixUp are from the beta distribution (alpha, "
                  "alpha), 0.01 to 2. 0: no MixUp.",
                  {0, 2}),
        parameter("cutmix_alpha", &Mix::cutmix_alpha, "The areas of CutMix, in the same way. 0: no CutMix.", {0, 2}),
        parameter("cutmix_share", &Mix::cutmix_share, "The probability of CutMix, if both are used.", kShareLimits),
        parameter("probability", &Mix::probability, "The probability that samples are mixed at all.", kShareLimits),
        parameter("partner", &Mix::partner,
                  "``\"previous\"``, as torchvision mixes; ``\"opposite\"``, as timm does; or "
                  "``\"shuffled\"``."),
        parameter("per_sample", &Mix::per_sample,
                  "Each sample has its own random numbers. False: the batch has those "
                  "of its first sample."),
        parameter("pairs", &Mix::pairs,
                  "Labels become float32 [B, 3]: the class of the sample, that of its partner, "
                  "and the weight of the first, for ``weight * loss(output, class) + (1 - weight) * loss(output, "
                  "partner_class)``. False: probabilities."));
  }
};

// ---- Text and shapes -----------------------------------------------------------------------------------------------

/// The shape of augmented images of samples of `shape`. Throws InvalidArgument, naming the operation, if one does not
/// fit.
SampleShape augmented_shape(const Operations& operations, const SampleShape& shape);

/// Parses operations in the form of the command line, separated by commas: "crop:4,flip,cutout:8". A parameter may have
/// its name, "crop:padding=4:border=edge", and a range two numbers, "gamma:0.8..1.25". Throws InvalidArgument, listing
/// the names, for anything else.
Operations parse(const std::string& text);
/// What parse() understands, in one line: "flip[:PROBABILITY], alternating-flip, ...".
std::string spellings();

/// The operations as in Python, with the parameters that differ from their defaults: "RandomCrop(padding=2),
/// HorizontalFlip()".
std::string describe(const Operations& operations);
/// The same for the mixing: "Mix(mixup_alpha=0.2)".
std::string describe_mix(const Mix& mix);

}  // namespace augment
}  // namespace octavo
