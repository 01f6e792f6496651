// Random augmentation of the images of a batch.
//
// Operations are applied in the given order to the stored values of each image, in the kernel that gathers the batch.
// Each image has its own random numbers. They depend on the seed, the epoch, the index of the sample, the view and the
// kind of the operation, and on nothing else: not on the batch, the rank, the residency, the number of threads or the
// device. docs/numerics.md, "Augmentation", defines every bit.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <octavo/sample.hpp>

namespace octavo::augment {

/// Mirrors left and right.
struct HorizontalFlip {
  double probability = 0.5;
};

/// Mirrors left and right: a random half of the samples in even epochs, the other half in odd epochs. So a sample is
/// seen from both sides in any two consecutive epochs (K. Jordan, "94% on CIFAR-10 in 3.29 seconds", 2024).
struct AlternatingFlip {};

/// Mirrors top and bottom.
struct VerticalFlip {
  double probability = 0.5;
};

/// What a crop shows beyond the edge of an image.
enum class Border {
  constant,  ///< `fill`
  edge,      ///< the nearest pixel
  reflect,   ///< the image mirrored at its edge pixels, which are not repeated
};

/// Pads all sides, then cuts out a part at a random position; all positions are equally likely.
struct RandomCrop {
  std::optional<std::array<std::int64_t, 2>> size = {};  ///< [H,W] of the output; without it, the size stays
  std::int64_t padding = 4;                              ///< pixels at each side; `reflect` needs fewer than H and W
  Border border = Border::reflect;
  std::vector<double> fill = {0.0};  ///< for `constant`: 1 or C stored values, 0 to 255; C at most 4
};

/// Cuts out the center. An image that is smaller is padded first, with `fill`.
struct CenterCrop {
  std::array<std::int64_t, 2> size = {};  ///< [H,W] of the output
  std::vector<double> fill = {0.0};       ///< 1 or C stored values, 0 to 255; C at most 4
};

/// How an image between pixels is computed.
enum class Interpolation {
  nearest,   ///< the nearest pixel; not when resizing
  bilinear,  ///< a weighted mean of the four nearest pixels
  bicubic,   ///< a cubic convolution of the sixteen nearest pixels, as in Pillow; only when resizing
};

/// Cuts out a part of random size and shape, and resizes it (C. Szegedy et al., "Going deeper with convolutions",
/// 2014), with torchvision's laws: the area is uniform, the ratio log-uniform, and after ten parts that do not fit in
/// the image the largest part with an allowed ratio is taken at the center.
struct RandomResizedCrop {
  std::array<std::int64_t, 2> size = {};             ///< [H,W] of the output
  std::array<double, 2> area = {0.08, 1.0};          ///< as a share of the image
  std::array<double, 2> ratio = {3.0 / 4, 4.0 / 3};  ///< width / height
  bool antialias = true;                             ///< average all pixels when reducing; otherwise skip some
  Interpolation interpolation = Interpolation::bilinear;
};

/// Resizes the whole image.
struct Resize {
  std::array<std::int64_t, 2> size = {};  ///< [H,W] of the output
  bool antialias = true;                  ///< as in RandomResizedCrop
  std::int64_t shorter_side = 0;  ///< more than 0: of the output, in place of `size`; the other side keeps the ratio,
                                  ///< rounded down, like torchvision
  Interpolation interpolation = Interpolation::bilinear;
};

/// Fills a square (T. DeVries and G. Taylor, "Improved regularization of convolutional neural networks with cutout",
/// 2017).
struct Cutout {
  std::int64_t size = 8;  ///< side in pixels
  double probability = 1.0;
  bool inside = true;      ///< the square lies in the image; otherwise only its center does, and the rest is cut off
  bool normalized = true;  ///< `value` replaces normalized values; otherwise stored values, 0 to 255
  std::vector<double> value = {0.0};  ///< 1 or C numbers; C at most 4
};

/// Fills a rectangle of random size and shape (Z. Zhong et al., "Random erasing data augmentation", 2017), with
/// torchvision's laws: the area is uniform, the ratio log-uniform, and after ten rectangles that are not smaller than
/// the image nothing is erased.
struct RandomErasing {
  double probability = 0.5;
  std::array<double, 2> area = {0.02, 0.33};  ///< as a share of the image
  std::array<double, 2> ratio = {0.3, 3.3};   ///< height / width
  bool normalized = true;                     ///< as in Cutout
  std::vector<double> value = {0.0};          ///< as in Cutout
};

/// Rotates, translates, scales and shears around the center, like torchvision's RandomAffine. All numbers are uniform;
/// translations are whole pixels.
struct Affine {
  std::array<double, 2> degrees = {0.0, 0.0};   ///< clockwise
  double translate_x = 0.0, translate_y = 0.0;  ///< up to these shares of the width and the height, in both directions
  std::array<double, 2> scale = {1.0, 1.0};
  std::array<double, 2> shear_x = {0.0, 0.0}, shear_y = {0.0, 0.0};  ///< degrees
  Interpolation interpolation = Interpolation::nearest;
  std::vector<double> fill = {0.0};  ///< beyond the edge: 1 or C stored values, 0 to 255; C at most 4
  double probability = 1.0;
};

/// Changes brightness, contrast, saturation and hue in a random order, like torchvision's ColorJitter: each result is
/// clamped to the range of stored values. Images have 1 or 3 channels; those of 1 have no saturation and no hue.
struct ColorJitter {
  std::array<double, 2> brightness = {1.0, 1.0}, contrast = {1.0, 1.0}, saturation = {1.0, 1.0};  ///< factors below 8
  std::array<double, 2> hue = {0.0, 0.0};  ///< turns, -0.5 to 0.5
  double probability = 1.0;
};

/// Replaces red, green and blue by the luma. Images of 1 channel stay.
struct Grayscale {
  double probability = 0.1;
};

/// Puts the channels, at most 4, in a random order.
struct ChannelPermutation {
  double probability = 1.0;
};

/// Inverts all values from the threshold on.
struct Solarize {
  std::int64_t threshold = 128;  ///< a stored value, 0 to 256
  double probability = 0.5;
};

/// Keeps the upper bits of each value.
struct Posterize {
  std::int64_t bits = 4;  ///< 1 to 8
  double probability = 0.5;
};

/// Inverts all values.
struct Invert {
  double probability = 0.5;
};

/// Raises values, as shares of 255, to a power that is drawn from a range.
struct Gamma {
  std::array<double, 2> gamma = {1.0, 1.0};  ///< 0.01 to 100
  double probability = 1.0;
};

/// Stretches the values of each channel to 0 to 255.
struct AutoContrast {
  double probability = 0.5;
};

/// Makes the histogram of each channel flat.
struct Equalize {
  double probability = 0.5;
};

/// Blends an image with its mean over 3x3 pixels: a factor of 0 smooths, 1 changes nothing, 2 sharpens.
struct Sharpness {
  std::array<double, 2> factor = {2.0, 2.0};  ///< below 8
  double probability = 0.5;
};

/// Blurs an image, which has more pixels than half of the kernel along both axes.
struct GaussianBlur {
  std::int64_t kernel_size = 3;              ///< pixels; odd, at most 63
  std::array<double, 2> sigma = {0.1, 2.0};  ///< pixels, 0.01 to 1000
  double probability = 1.0;
};

/// Applies one operation out of 14, with one of 31 magnitudes (S. Mueller and F. Hutter, "TrivialAugment", 2021), like
/// torchvision's TrivialAugmentWide. Images have 1 or 3 channels.
struct TrivialAugment {
  Interpolation interpolation = Interpolation::nearest;
  std::vector<double> fill = {0.0};  ///< as in Affine
};

/// Applies some operations out of 14, all with the same magnitude (E. Cubuk et al., "RandAugment", 2019), like
/// torchvision's RandAugment. Images have 1 or 3 channels.
struct RandAugment {
  std::int64_t count = 2;      ///< operations
  std::int64_t magnitude = 9;  ///< 0 to 30
  Interpolation interpolation = Interpolation::nearest;
  std::vector<double> fill = {0.0};  ///< as in Affine
};

/// Applies some operations out of 15, each with a probability and a magnitude from a normal distribution, like timm's
/// RandAugment "rand-m9-mstd0.5-inc1". Images have 1 or 3 channels.
struct TimmRandAugment {
  std::int64_t count = 2;    ///< operations
  double magnitude = 9.0;    ///< the mean, 0 to 10
  double deviation = 0.5;    ///< the standard deviation, 0 to 10; magnitudes are kept between 0 and 10
  double probability = 0.5;  ///< of each operation
  Interpolation interpolation = Interpolation::bilinear;
  std::vector<double> fill = {128.0};  ///< as in Affine
};

/// Mirrors every second view left and right: views 1, 3, ... For test-time augmentation.
struct ViewFlip {};

/// Shifts pairs of views: views 0 and 1 stay, 2 and 3 show the image moved down and right, 4 and 5 up and left, 6 to 9
/// along the other diagonal, and so on. Beyond the edge, the image is reflected. For test-time augmentation.
struct ViewShift {
  std::int64_t pixels = 1;  ///< fewer than H and W
};

/// Changes the normalized values of an image: v becomes (v + shift) * factor, not clamped. Both are uniform.
struct NormalizedJitter {
  std::array<double, 2> shift = {0.0, 0.0};
  std::array<double, 2> factor = {1.0, 1.0};
};

using Operation = std::variant<HorizontalFlip, AlternatingFlip, VerticalFlip, RandomCrop, CenterCrop, RandomResizedCrop,
                               Resize, Cutout, RandomErasing, Affine, ColorJitter, Grayscale, ChannelPermutation,
                               Solarize, Posterize, Invert, Gamma, AutoContrast, Equalize, Sharpness, GaussianBlur,
                               TrivialAugment, RandAugment, TimmRandAugment, ViewFlip, ViewShift, NormalizedJitter>;

/// At most 32 operations, of which a color jitter counts as four, in the order in which they are applied. At most 16
/// are of one kind. Those that change normalized values come last.
using Operations = std::vector<Operation>;

/// The sample of its batch that a sample is mixed with.
enum class Partner {
  previous,  ///< the one before; the first sample is mixed with the last one
  opposite,  ///< the one at the same distance from the other end
  shuffled,  ///< the one at the same place in a random order
};

/// Mixes pairs of samples of a batch, after all operations and the normalization: MixUp (H. Zhang et al., 2017) adds
/// weighted values, CutMix (S. Yun et al., 2019) shows the partner in a rectangle. Ranks mix only their own samples.
struct Mix {
  double mixup_alpha = 0.0;   ///< weights of MixUp are beta(alpha, alpha); 0.01 to 2, or 0: no MixUp
  double cutmix_alpha = 0.0;  ///< areas of CutMix, in the same way
  double cutmix_share = 0.5;  ///< the probability of CutMix, if both are used
  double probability = 1.0;   ///< that samples are mixed at all
  Partner partner = Partner::previous;
  bool per_sample = false;  ///< each sample draws; otherwise the first one of a batch draws for all
  /// Labels become float32 [B,3]: the class of the sample, that of its partner, and the weight of the first. Otherwise
  /// they become probabilities (BatchSpec::soft_classes).
  bool pairs = false;
};

/// Describes the mixing in one line, such as "MixUp 0.2 or CutMix 1 (previous)".
std::string describe_mix(const Mix& mix);

/// The shape of augmented images of samples of `shape`. Throws InvalidArgument, naming the operation, if one does not
/// fit.
SampleShape augmented_shape(const Operations& operations, const SampleShape& shape);

/// Parses operations in the form of the command line, separated by commas: "crop:4,flip,cutout:8". Throws
/// InvalidArgument, listing the names, for anything else.
Operations parse(const std::string& text);
/// What parse() understands, in one line: "flip[:P], alternating-flip, ...".
std::string spellings();

/// Describes the operations in one line, such as "random crop 32x32 (padding 4, reflect), horizontal flip 0.5".
std::string describe(const Operations& operations);

}  // namespace octavo::augment
