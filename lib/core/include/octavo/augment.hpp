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

/// Cuts out a part of random size and shape, and resizes it (C. Szegedy et al., "Going deeper with convolutions",
/// 2014), with torchvision's laws: the area is uniform, the ratio log-uniform, and after ten parts that do not fit in
/// the image the largest part with an allowed ratio is taken at the center.
struct RandomResizedCrop {
  std::array<std::int64_t, 2> size = {};             ///< [H,W] of the output
  std::array<double, 2> area = {0.08, 1.0};          ///< as a share of the image
  std::array<double, 2> ratio = {3.0 / 4, 4.0 / 3};  ///< width / height
  bool antialias = true;                             ///< average all pixels when reducing; otherwise plain bilinear
};

/// Resizes the whole image, with a bilinear filter.
struct Resize {
  std::array<std::int64_t, 2> size = {};  ///< [H,W] of the output
  bool antialias = true;                  ///< as in RandomResizedCrop
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

/// Changes the normalized values of an image: v becomes (v + shift) * factor, not clamped. Both are uniform.
struct NormalizedJitter {
  std::array<double, 2> shift = {0.0, 0.0};
  std::array<double, 2> factor = {1.0, 1.0};
};

using Operation = std::variant<HorizontalFlip, AlternatingFlip, VerticalFlip, RandomCrop, CenterCrop, RandomResizedCrop,
                               Resize, Cutout, RandomErasing, NormalizedJitter>;

/// At most 16 operations, in the order in which they are applied; at most two of them resize. Those that change
/// normalized values come last.
using Operations = std::vector<Operation>;

/// The shape of augmented images of samples of `shape`. Throws InvalidArgument, naming the operation, if one does not
/// fit.
SampleShape augmented_shape(const Operations& operations, const SampleShape& shape);

/// Describes the operations in one line, such as "random crop 32x32 (padding 4, reflect), horizontal flip 0.5".
std::string describe(const Operations& operations);

}  // namespace octavo::augment
