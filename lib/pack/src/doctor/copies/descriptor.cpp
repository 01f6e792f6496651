#include "doctor/copies/descriptor.hpp"

#include <cmath>
#include <numbers>

namespace octavo::doctor {
namespace {

constexpr std::size_t kCells = 8;  ///< on each side
constexpr std::size_t kHighest = 5;
/// Root mean square of the gray values that the descriptor explains, in levels of 255. JPEG of quality 50 moves the
/// cells by up to 3.5 levels (docs/results/doctor.md); below 2, rounding alone turns the vector by more than a copy
/// may.
constexpr double kLeastContrast = 2.0;

/// The frequencies (u,v) of the coefficients, in their order.
constexpr auto kFrequencies = [] {
  std::array<std::array<std::size_t, 2>, Descriptor::kSize> frequencies = {};
  std::size_t count = 0;
  for (std::size_t u = 0; u <= kHighest; ++u) {
    for (std::size_t v = 0; u + v <= kHighest; ++v) {
      if (u + v > 0) frequencies[count++] = {u, v};
    }
  }
  return frequencies;
}();

/// The orthonormal DCT-II of 8 values, the first kHighest + 1 rows.
struct CosineTransform {
  std::array<std::array<double, kCells>, kHighest + 1> row = {};

  CosineTransform() {
    for (std::size_t u = 0; u <= kHighest; ++u) {
      const double scale = std::sqrt((u == 0 ? 1.0 : 2.0) / static_cast<double>(kCells));
      for (std::size_t x = 0; x < kCells; ++x) {
        const double angle = std::numbers::pi * static_cast<double>((2 * x + 1) * u) / static_cast<double>(2 * kCells);
        row[u][x] = scale * std::cos(angle);
      }
    }
  }
};

}  // namespace

Descriptor turned(const Descriptor& descriptor, Turn turn) {
  Descriptor result = descriptor;
  for (std::size_t i = 0; i < Descriptor::kSize; ++i) {
    const auto [u, v] = kFrequencies[i];  // down, across
    const std::size_t odd = (turn == Turn::left_right || turn == Turn::half_turn ? v : 0) +
                            (turn == Turn::upside_down || turn == Turn::half_turn ? u : 0);
    if (odd % 2 == 1) result.coefficients[i] = static_cast<std::int16_t>(-result.coefficients[i]);
  }
  return result;
}

Describer::Describer(const SampleShape& shape)
    : shape_(shape),
      grid_(shape.height, shape.width, kCells, kCells),
      plane_(static_cast<std::size_t>(shape.channels > 1 ? shape.values_per_channel() : 0)) {}

std::optional<Descriptor> Describer::describe(std::span<const std::uint8_t> values) {
  static const CosineTransform transform;
  const auto plane = static_cast<std::size_t>(shape_.values_per_channel());
  const auto channels = static_cast<std::size_t>(shape_.channels);
  if (channels == 1) {
    grid_.average(values, cells_, strips_);
  } else {
    for (std::size_t p = 0; p < plane; ++p) plane_[p] = static_cast<float>(values[p]);
    for (std::size_t c = 1; c < channels; ++c) {
      for (std::size_t p = 0; p < plane; ++p) plane_[p] += static_cast<float>(values[c * plane + p]);
    }
    grid_.average(std::span<const float>(plane_), cells_, strips_);
  }
  std::array<std::array<double, kCells>, kHighest + 1> half = {};
  for (std::size_t u = 0; u <= kHighest; ++u) {
    for (std::size_t y = 0; y < kCells; ++y) {
      for (std::size_t x = 0; x < kCells; ++x) half[u][x] += transform.row[u][y] * cells_[y * kCells + x];
    }
  }
  std::array<double, Descriptor::kSize> found = {};
  double energy = 0.0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto [u, v] = kFrequencies[i];
    for (std::size_t x = 0; x < kCells; ++x) found[i] += half[u][x] * transform.row[v][x];
    energy += found[i] * found[i];
  }
  const double length = std::sqrt(energy);
  if (length < kLeastContrast * static_cast<double>(channels * kCells)) return std::nullopt;
  Descriptor descriptor;
  for (std::size_t i = 0; i < found.size(); ++i) {
    descriptor.coefficients[i] = static_cast<std::int16_t>(std::lround(found[i] / length * Descriptor::kUnit));
  }
  return descriptor;
}

Descriptors::Descriptors(const SampleSet& samples) : descriptors_(static_cast<std::size_t>(samples.sample_count())) {}

void Descriptors::visit(const SampleBlock& block) {
  if (!Describer::can_describe(block.shape)) return;
  Describer describer(block.shape);
  for (std::int64_t i = 0; i < block.count; ++i) {
    const auto descriptor = describer.describe(block.sample(i));
    if (descriptor) descriptors_[static_cast<std::size_t>(block.first_number + i)] = *descriptor;
  }
}

}  // namespace octavo::doctor
