// Describes an image so that a resized, recompressed or brightened copy has almost the same description.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <octavo/sample.hpp>

#include "doctor/copies/area_grid.hpp"
#include "doctor/sample_pass.hpp"

namespace octavo::doctor {

/// The 20 lowest frequencies, without the mean, of the image's gray values on a grid of 8x8 cells: the coefficients
/// (u,v) of the discrete cosine transform with 0 < u+v <= 5, as a vector of length kUnit. Copies lose high frequencies;
/// these stay. Without the mean and scaled to one length, it does not depend on brightness and contrast.
struct Descriptor {
  static constexpr std::size_t kSize = 20;
  static constexpr double kUnit = 16384.0;
  std::array<std::int16_t, kSize> coefficients = {};

  bool operator==(const Descriptor&) const = default;
};

/// The squared distance, in units of kUnit * kUnit: 0 to 4.
inline double squared_distance(const Descriptor& a, const Descriptor& b) {
  std::int32_t sum = 0;  // at most (2 * 16384)^2 = 2^30, and rounding
  for (std::size_t i = 0; i < Descriptor::kSize; ++i) {
    const std::int32_t difference = a.coefficients[i] - b.coefficients[i];
    sum += difference * difference;
  }
  return sum / (Descriptor::kUnit * Descriptor::kUnit);
}

/// How a copy may be turned.
enum class Turn { none, left_right, upside_down, half_turn };

/// The descriptor of the turned image: the odd frequencies change their sign.
Descriptor turned(const Descriptor& descriptor, Turn turn);

/// Describes images of one shape.
class Describer {
 public:
  explicit Describer(const SampleShape& shape);

  /// Images with fewer pixels are not described: too little is left of them.
  static constexpr std::int64_t kFewestPixels = 64;
  static bool can_describe(const SampleShape& shape) { return shape.values_per_channel() >= kFewestPixels; }

  /// Nothing if the image, [C,H,W], has almost no contrast at these frequencies: what is left is noise.
  std::optional<Descriptor> describe(std::span<const std::uint8_t> values);

 private:
  SampleShape shape_;
  AreaGrid grid_;
  std::vector<float> strips_, plane_;
  std::array<float, 64> cells_ = {};
};

/// A visitor that describes every sample; 40 bytes of memory for each.
class Descriptors final : public SampleVisitor {
 public:
  explicit Descriptors(const SampleSet& samples);
  void visit(const SampleBlock& block) override;

  /// All zero for a sample that is not described.
  const Descriptor& of(std::int64_t number) const { return descriptors_[static_cast<std::size_t>(number)]; }
  bool is_described(std::int64_t number) const { return of(number) != Descriptor(); }

 private:
  std::vector<Descriptor> descriptors_;
};

}  // namespace octavo::doctor
