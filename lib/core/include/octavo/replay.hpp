// What an augmentation did to the samples of a batch.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace octavo {

/// What one operation did to one image. Operations that left it as it was have no step.
struct DrawnStep {
  std::string name;  ///< such as "crop" or "hue"; docs/numerics.md, "Replay", lists all
  /// The drawn numbers: "top" and "left" of a crop, in the image before it; "top", "left", "height" and "width" of a
  /// resized or erased part; the "factor" of a change of color; and so on (docs/numerics.md, "Replay").
  std::vector<std::pair<std::string, double>> values;
};

/// How a sample is mixed with another one.
struct DrawnMix {
  std::string name;                       ///< "mixup" or "cutmix"
  std::int64_t partner;                   ///< index of the other sample in the split
  double own, other;                      ///< weights of the labels; of MixUp, also of the images
  std::int64_t top, left, height, width;  ///< the rectangle of CutMix
};

/// A sample of a batch, and what it drew.
struct DrawnSample {
  std::int64_t index;                         ///< in the split
  std::vector<std::vector<DrawnStep>> views;  ///< the steps of each of its images, in order
  std::optional<DrawnMix> mix;
};

}  // namespace octavo
