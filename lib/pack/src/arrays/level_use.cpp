#include <octavo/level_use.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include <octavo/byte_count.hpp>

#include "support/text_units.hpp"

namespace octavo {
namespace {

using Levels = std::array<LevelCounter::Level, 256>;
using Weights = std::array<double, 256>;

// A few outliers must not make the numbers look wide: this share is left out at each end, as percentile:99.9 does.
constexpr double kTail = 0.001;
// Fewer levels than these are coarse. They are 4 bits.
constexpr int kCoarseLevels = 16;
constexpr double kCoarseBits = 4.0;
// Below this, another range is proposed if it gives at least kWorthwhileBits more.
constexpr double kFewBits = 6.0;
constexpr double kWorthwhileBits = 1.0;
// Numbers of one level that are closer than this, in steps, count as one number with rounding noise. Single precision
// has 65,536 numbers in a step. A fill value, such as -9999, leaves all others within a small part of a step.
constexpr double kDistinctSteps = 1.0 / 1024;

/// The counts of the levels without `tail` of all numbers at each end.
Weights central_weights(const Levels& levels, double tail) {
  Weights weights;
  std::ranges::transform(levels, weights.begin(), [](const auto& level) { return static_cast<double>(level.count); });
  double total = 0.0;
  for (const double weight : weights) total += weight;
  const auto cut = [](auto first, auto last, double left) {
    for (; first != last && left > 0.0; ++first) {
      const double removed = std::min(left, *first);
      *first -= removed;
      left -= removed;
    }
  };
  cut(weights.begin(), weights.end(), tail * total);
  cut(weights.rbegin(), weights.rend(), tail * total);
  return weights;
}

/// A clipped number counts as one at the end of the range: its own distance is reported as clipping.
double within_range(float steps) { return std::clamp(static_cast<double>(steps), -0.5, 255.5); }

struct Moments {
  double deviation = 0.0;  ///< standard deviation of the numbers, in steps
  double error = 0.0;      ///< root mean square of the rounding errors, in steps
};

Moments moments_of(const Levels& levels, const Weights& weights) {
  double total = 0.0, sum = 0.0, squares = 0.0, errors = 0.0;
  for (std::size_t k = 0; k < levels.size(); ++k) {
    if (weights[k] <= 0.0) continue;
    const double low = within_range(levels[k].low), high = within_range(levels[k].high);
    const double middle = (low + high) / 2;
    const double variance = (high - low) * (high - low) / 12;
    const double off = middle - static_cast<double>(k);
    total += weights[k];
    sum += weights[k] * middle;
    squares += weights[k] * (middle * middle + variance);
    errors += weights[k] * (off * off + variance);
  }
  if (total == 0.0) return {};
  const double mean = sum / total;
  return {std::sqrt(std::max(0.0, squares / total - mean * mean)), std::sqrt(errors / total)};
}

/// The number, in steps, below which `share` of all numbers are.
double quantile(const Levels& levels, double share) {
  double total = 0.0;
  for (const auto& level : levels) total += static_cast<double>(level.count);
  double below = share * total;
  double last = 0.0;
  for (const auto& level : levels) {
    if (level.count == 0) continue;
    const auto count = static_cast<double>(level.count);
    last = level.high;
    if (below <= count) return level.low + (below / count) * (level.high - level.low);
    below -= count;
  }
  return last;
}

/// The percentile whose range gives enough bits, or clearly more than `bits`.
std::optional<double> better_percentile(const Levels& levels, double deviation, double bits) {
  constexpr double kPercentiles[] = {99.9, 99.5, 99.0};
  double best_bits = bits + kWorthwhileBits;
  std::optional<double> best;
  for (const double percentile : kPercentiles) {
    const double tail = 1.0 - percentile / 100.0;
    const double step = (quantile(levels, 1.0 - tail) - quantile(levels, tail)) / 255.0;
    if (step <= 0.0) continue;
    // Rounding errors are spread evenly over a step.
    const double then = std::log2(deviation / step * 2.0 * std::numbers::sqrt3);
    if (then < best_bits) continue;
    best = percentile;
    best_bits = then + kWorthwhileBits;
    if (then >= kFewBits) break;
  }
  return best;
}

/// Whether most numbers are in levels that stand for several different numbers.
bool most_are_merged(const Levels& levels) {
  std::int64_t total = 0, merged = 0;
  for (const auto& level : levels) {
    total += level.count;
    if (level.count > 0 && level.high - level.low > kDistinctSteps) merged += level.count;
  }
  return merged > total / 2;
}

}  // namespace

void LevelCounter::add(const LevelCounter& other) {
  for (std::size_t k = 0; k < levels_.size(); ++k) {
    levels_[k].count += other.levels_[k].count;
    levels_[k].low = std::min(levels_[k].low, other.levels_[k].low);
    levels_[k].high = std::max(levels_[k].high, other.levels_[k].high);
  }
}

LevelUse LevelCounter::use() const {
  LevelUse use;
  use.levels = std::ranges::count_if(levels_, [](const Level& level) { return level.count > 0; });
  const Weights central = central_weights(levels_, kTail);
  const Moments moments = moments_of(levels_, central);
  if (moments.deviation > 0.0 && moments.error > 0.0) use.effective_bits = std::log2(moments.deviation / moments.error);
  const double bits = use.effective_bits.value_or(8.0);
  const auto central_levels = std::ranges::count_if(central, [](double weight) { return weight > 0.0; });
  use.is_coarse = (use.levels < kCoarseLevels && most_are_merged(levels_)) ||
                  (central_levels < kCoarseLevels && bits < kCoarseBits);
  if (use.is_coarse || bits < kFewBits) use.better_percentile = better_percentile(levels_, moments.deviation, bits);
  return use;
}

std::string describe(const LevelUse& use) {
  std::string text = format_count(use.levels) + " of 256 levels used";
  if (!use.effective_bits) return text;
  return text + formatted(", %.1f effective bits, error %.2g %% of the standard deviation",
                          std::max(0.0, *use.effective_bits), 100.0 * std::exp2(-*use.effective_bits));
}

bool keeps_less(const LevelUse& a, const LevelUse& b) {
  if (a.is_coarse != b.is_coarse) return a.is_coarse;
  constexpr double kAllBits = std::numeric_limits<double>::infinity();
  const double bits_a = a.effective_bits.value_or(kAllBits), bits_b = b.effective_bits.value_or(kAllBits);
  return bits_a != bits_b ? bits_a < bits_b : a.levels < b.levels;
}

}  // namespace octavo
