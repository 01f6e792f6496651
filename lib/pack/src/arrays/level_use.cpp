#include <octavo/level_use.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <octavo/byte_count.hpp>

#include "support/text/text_units.hpp"

namespace octavo {
namespace {

using Group = LevelCounter::Group;

// A few outliers must not make the numbers look wide: this share is left out at each end, as percentile:99.9 does.
constexpr double kTail = 0.001;
// Outliers are clipped on purpose: up to this share at each end is left out, as percentile:99 does.
constexpr double kClippedTail = 0.01;
// Fewer levels than these are coarse. They are 4 bits.
constexpr int kCoarseLevels = 16;
constexpr double kCoarseBits = 4.0;
// With few effective bits, another range is proposed if it gives at least this much more.
constexpr double kWorthwhileBits = 1.0;
// Of a byte.
constexpr double kMostBits = 8.0;
// Numbers of one level that are closer than this, in steps, count as one number with rounding noise.
constexpr double kDistinctSteps = 1.0 / 1024;
// A far fill value leaves all others within any small part of a step, like rounding noise around 0. If some number may
// be one, noise is only what is small compared with the numbers themselves.
constexpr double kNoise = 1.0 / (1 << 18);

/// A group of numbers with the level that stands for them, and the number of them that count.
struct Part {
  const Group* group = nullptr;
  int level = 0;
  double unit = 1.0;  ///< of the errors, in steps
  bool is_clipped = false;
  double weight = 0.0;
};

/// From the lowest to the highest.
using Parts = std::vector<Part>;

double total_of(const Parts& parts) {
  double total = 0.0;
  for (const Part& part : parts) total += part.weight;
  return total;
}

/// Removes up to `tail` numbers, and with clipped ones up to `clipped_tail`, from the first parts.
template <typename Iterator>
void cut(Iterator first, Iterator last, double tail, double clipped_tail) {
  double removed = 0.0;
  for (; first != last; ++first) {
    const double most = first->is_clipped ? clipped_tail : tail;
    const double cut_here = std::clamp(most - removed, 0.0, first->weight);
    first->weight -= cut_here;
    removed += cut_here;
  }
}

/// Without outliers.
Parts central(Parts parts) {
  const double total = total_of(parts);
  cut(parts.begin(), parts.end(), kTail * total, kClippedTail * total);
  cut(parts.rbegin(), parts.rend(), kTail * total, kClippedTail * total);
  return parts;
}

struct Moments {
  double deviation = 0.0;  ///< standard deviation of the numbers, in steps
  double error = 0.0;      ///< root mean square error, in steps
};

Moments moments_of(const Parts& parts) {
  const double total = total_of(parts);
  if (total == 0.0) return {};
  double mean = 0.0;
  for (const Part& part : parts) {
    if (part.weight <= 0.0) continue;
    const double mean_error =
        static_cast<double>(part.group->errors) / static_cast<double>(part.group->count) * 0x1p-20;
    mean += part.weight / total * (part.level + part.unit * mean_error);
  }
  double variance = 0.0, squared_error = 0.0;
  for (const Part& part : parts) {
    if (part.weight <= 0.0) continue;
    const auto count = static_cast<double>(part.group->count);
    const double error = part.unit * (static_cast<double>(part.group->errors) / count * 0x1p-20);
    const double square = part.unit * part.unit * (static_cast<double>(part.group->squares) / count * 0x1p-28);
    const double off = part.level - mean;
    variance += part.weight / total * (off * off + 2.0 * off * error + square);
    squared_error += part.weight / total * square;
  }
  return {std::sqrt(std::max(0.0, variance)), std::sqrt(squared_error)};
}

/// The number, in steps, below which `share` of all numbers are. Those of a part are taken as spread evenly.
double quantile(const Parts& parts, double share) {
  double below = share * total_of(parts);
  double last = 0.0;
  for (const Part& part : parts) {
    if (part.weight <= 0.0) continue;
    const double low = part.group->low, high = part.group->high;
    if (below <= part.weight) return low + (below / part.weight) * (high - low);
    last = high;
    below -= part.weight;
  }
  return last;
}

/// The range between the quantiles that ValueRange::percentile finds, in steps.
double percentile_range(const Parts& parts, double percentile) {
  const double tail = 1.0 - percentile / 100.0;
  return quantile(parts, 1.0 - tail) - quantile(parts, tail);
}

// 100 covers all numbers of a channel.
constexpr double kPercentiles[] = {100.0, 99.9, 99.5, 99.0};

/// The percentile whose range gives enough bits, or clearly more than `bits`. `parts` are all numbers, as a percentile
/// also counts those outside the present range.
std::optional<double> better_percentile(const Parts& parts, double deviation, double bits) {
  double best_bits = bits + kWorthwhileBits;
  std::optional<double> best;
  for (const double percentile : kPercentiles) {
    const double step = percentile_range(parts, percentile) / 255.0;
    if (step <= 0.0) continue;
    // Rounding errors are spread evenly over a step.
    const double then = std::log2(deviation / step * 2.0 * std::numbers::sqrt3);
    if (then < best_bits) continue;
    best = percentile;
    best_bits = then + kWorthwhileBits;
    if (then >= kFewEffectiveBits) break;
  }
  return best;
}

/// The percentile of all numbers that leaves out those far from the rest.
std::optional<double> percentile_without_far_numbers(const Parts& parts) {
  const auto found =
      std::ranges::find_if(kPercentiles, [&](double percentile) { return percentile_range(parts, percentile) < 1.0; });
  return found == std::end(kPercentiles) ? std::nullopt : std::optional(*found);
}

/// Of all numbers, in their units: the middle of the group in which it is.
std::optional<double> median_of(const Parts& parts) {
  double below = 0.5 * total_of(parts);
  for (const Part& part : parts) {
    if (below <= part.weight) return 0.5 * part.group->lowest + 0.5 * part.group->highest;
    below -= part.weight;
  }
  return std::nullopt;
}

/// All numbers of each level, clipped or not.
std::array<Group, 256> by_level(const Parts& parts) {
  std::array<Group, 256> levels;
  for (const Part& part : parts) levels[static_cast<std::size_t>(part.level)].add(*part.group);
  return levels;
}

double largest_magnitude(const std::array<Group, 256>& levels) {
  double largest = 0.0;
  for (const Group& level : levels) {
    if (level.count > 0) largest = std::max({largest, std::abs(level.lowest), std::abs(level.highest)});
  }
  return largest;
}

std::int64_t used_levels(const Parts& parts) {
  const auto levels = by_level(parts);
  return std::ranges::count_if(levels, [](const Group& level) { return level.count > 0; });
}

/// The share of the numbers in levels that stand for several different numbers.
double merged_share(const Parts& parts) {
  const auto levels = by_level(parts);
  // In one level, no noise hides that all numbers became equal.
  const bool is_one_level = used_levels(parts) == 1;
  const bool may_have_fill_value = is_one_level || largest_magnitude(levels) >= kLeastFillValue;
  std::int64_t total = 0, merged = 0;
  for (const Group& level : levels) {
    if (level.count == 0) continue;
    const double noise = kNoise * std::max(std::abs(level.lowest), std::abs(level.highest));
    const bool is_merged =
        level.high - level.low > kDistinctSteps || (may_have_fill_value && level.highest - level.lowest > noise);
    total += level.count;
    if (is_merged) merged += level.count;
  }
  return total > 0 ? static_cast<double>(merged) / static_cast<double>(total) : 0.0;
}

std::int64_t count_of(const Parts& parts) {
  std::int64_t count = 0;
  for (const Part& part : parts) count += part.group->count;
  return count;
}

/// Without the only number below, or above, the range: a fill value.
Parts without_fill_values(Parts parts) {
  for (const int level : {0, 255}) {
    const auto is_beyond = [&](const Part& part) { return part.is_clipped && part.level == level; };
    Group beyond;
    for (const Part& part : parts) {
      if (is_beyond(part)) beyond.add(*part.group);
    }
    if (beyond.lowest == beyond.highest) std::erase_if(parts, is_beyond);
  }
  return parts;
}

std::int64_t clipped_count(const Parts& parts) {
  std::int64_t count = 0;
  for (const Part& part : parts) count += part.is_clipped ? part.group->count : 0;
  return count;
}

std::int64_t central_levels(Parts parts) {
  std::erase_if(parts, [](const Part& part) { return part.weight <= 0.0; });
  return used_levels(parts);
}

bool is_mostly_clipped(const Parts& parts, const Parts& valid) {
  const std::int64_t clipped = clipped_count(parts), count = count_of(parts);
  return (count > 0 && clipped == count) || clipped_count(valid) > count_of(valid) / 2;
}

bool are_equal(const Parts& parts) {
  Group all;
  for (const Part& part : parts) {
    if (part.weight > 0.0) all.add(*part.group);
  }
  return all.lowest == all.highest;
}

/// Nothing if all levels are exact, or if the numbers are all equal.
std::optional<double> relative_error(const Parts& parts, const Moments& moments) {
  if (moments.deviation <= 0.0 || moments.error <= 0.0 || are_equal(parts)) return std::nullopt;
  return moments.error / moments.deviation;
}

/// Of all `valid` numbers, compared with the deviation of those that are not outliers.
std::optional<double> relative_error_with_clipped(const Parts& valid, double deviation) {
  if (deviation <= 0.0 || clipped_count(valid) == 0) return std::nullopt;
  return moments_of(valid).error / deviation;
}

std::optional<double> bits_of(const std::optional<double>& relative_error) {
  return relative_error ? std::optional(std::min(kMostBits, -std::log2(*relative_error))) : std::nullopt;
}

/// Whether the numbers within the range are in few levels that are wide compared with their deviation.
bool are_levels_wide(Parts parts) {
  std::erase_if(parts, [](const Part& part) { return part.is_clipped; });
  const auto bits = bits_of(relative_error(parts, moments_of(parts)));
  return central_levels(parts) < kCoarseLevels && bits.value_or(kMostBits) < kCoarseBits;
}

LevelUse use_of(const Parts& all) {
  const Parts valid = without_fill_values(all), middle = central(valid);
  const Moments moments = moments_of(middle);
  LevelUse use;
  use.levels = used_levels(all);
  use.relative_error = relative_error(middle, moments);
  use.relative_error_with_clipped = relative_error_with_clipped(valid, moments.deviation);
  use.effective_bits = bits_of(use.relative_error);
  use.median = median_of(all);
  if (const auto count = count_of(all); count > 0) {
    use.clipped_share = static_cast<double>(clipped_count(all)) / static_cast<double>(count);
  }
  use.is_mostly_clipped = is_mostly_clipped(all, valid);
  const double bits = use.effective_bits.value_or(kMostBits);
  const double merged = merged_share(valid);
  const bool is_merged = use.levels < kCoarseLevels && merged > 0.5;
  use.is_coarse = is_merged || (merged > 0.0 && are_levels_wide(middle));
  if (is_merged && bits > std::log2(static_cast<double>(use.levels))) {
    // The distances between the levels, and not the numbers in them, are the deviation.
    use.relative_error = 1.0;
    use.effective_bits = 0.0;
    use.better_percentile = percentile_without_far_numbers(all);
  } else if (keeps_little(use)) {
    use.better_percentile = better_percentile(all, moments.deviation, bits);
  }
  return use;
}

/// In percent, with two digits.
std::string percent(double share) {
  constexpr double kMostShown = 100.0;
  if (share > kMostShown) return formatted("over %.0f %%", 100.0 * kMostShown);
  return formatted(share >= 0.995 ? "%.0f %%" : "%.2g %%", 100.0 * share);
}

/// ", 6.0 effective bits, error 1.6 % of the standard deviation, 7 % with the clipped values".
std::string error_text(const LevelUse& use) {
  constexpr const char* kUnit = " of the standard deviation";
  const bool has_clipped = use.clipped_share > 0.0 && use.relative_error_with_clipped.has_value();
  const std::string all = has_clipped ? percent(*use.relative_error_with_clipped) : "";
  if (!use.effective_bits) return has_clipped ? ", error " + all + kUnit + " with the clipped values" : "";
  const double bits = std::max(0.0, *use.effective_bits);
  const std::string error = percent(std::min(1.0, use.relative_error.value_or(std::exp2(-bits))));
  const std::string text = formatted(", %.1f effective bits, error ", bits) + error + kUnit;
  return has_clipped && all != error ? text + ", " + all + " with the clipped values" : text;
}

}  // namespace

void LevelCounter::Group::add(const Group& other) {
  count += other.count;
  low = std::min(low, other.low);
  high = std::max(high, other.high);
  lowest = std::min(lowest, other.lowest);
  highest = std::max(highest, other.highest);
  errors += other.errors;
  squares += other.squares;
}

void LevelCounter::add_clipped(double error, double number) {
  // No figure changes beyond, and squares stay finite.
  constexpr double kFarthest = 1e30;
  error = std::clamp(error, -kFarthest, kFarthest);
  int power = 0;
  const double part_of_unit = std::frexp(error, &power);
  // From 0 on, powers start at a distance of a half.
  const int key = error < 0.0 ? -1 - power : power;
  clipped_[key].add(error < 0.0 ? error : 255.0 + error, number, part_of_unit);
}

void LevelCounter::add(const LevelCounter& other) {
  for (std::size_t k = 0; k < levels_.size(); ++k) levels_[k].add(other.levels_[k]);
  for (const auto& [key, group] : other.clipped_) clipped_[key].add(group);
}

Group LevelCounter::total() const {
  Group all;
  for (const Group& group : levels_) all.add(group);
  for (const auto& [key, group] : clipped_) all.add(group);
  return all;
}

bool LevelCounter::is_constant() const {
  const Group all = total();
  return all.count == 0 || all.lowest == all.highest;
}

LevelUse LevelCounter::use() const {
  Parts all;
  const auto add_part = [&](const Group& group, int level, double unit, bool is_clipped) {
    if (group.count > 0) all.push_back({&group, level, unit, is_clipped, static_cast<double>(group.count)});
  };
  const auto inside = clipped_.lower_bound(0);
  for (auto at = clipped_.begin(); at != inside; ++at) add_part(at->second, 0, std::ldexp(1.0, -1 - at->first), true);
  for (int k = 0; k < 256; ++k) add_part(levels_[static_cast<std::size_t>(k)], k, 1.0, false);
  for (auto at = inside; at != clipped_.end(); ++at) add_part(at->second, 255, std::ldexp(1.0, at->first), true);
  return use_of(all);
}

std::string range_name(double percentile) {
  return percentile == 100.0 ? "minmax" : formatted("percentile:%g", percentile);
}

LevelUse least_use(std::span<const LevelCounter> counters) {
  const bool are_all_constant = std::ranges::all_of(counters, &LevelCounter::is_constant);
  std::vector<LevelUse> uses;
  double count = 0.0, clipped = 0.0;
  for (std::size_t c = 0; c < counters.size(); ++c) {
    const LevelUse use = counters[c].use();
    const auto counted = static_cast<double>(counters[c].count());
    count += counted;
    clipped += counted * use.clipped_share;
    if (counted == 0.0 || (counters[c].is_constant() && !are_all_constant)) continue;
    uses.push_back(use);
    if (counters.size() > 1) uses.back().channel = static_cast<std::int64_t>(c);
  }
  if (uses.empty()) return {};
  LevelUse least = *std::ranges::min_element(uses, keeps_less);
  for (const LevelUse& use : uses) {
    const bool is_lower = least.better_percentile && use.better_percentile.value_or(100.0) < *least.better_percentile;
    if (is_lower && keeps_little(use)) least.better_percentile = use.better_percentile;
  }
  least.clipped_share = clipped / count;
  return least;
}

std::string describe(const LevelUse& use) {
  std::string text = use.channel ? "worst channel " + std::to_string(*use.channel) + ": " : "";
  text += format_count(use.levels) + " of 256 levels used" + error_text(use);
  return use.clipped_share > 0.0 ? text + ", " + percent(use.clipped_share) + " of the values clipped" : text;
}

bool keeps_less(const LevelUse& a, const LevelUse& b) {
  if (a.is_coarse != b.is_coarse) return a.is_coarse;
  if (a.is_mostly_clipped != b.is_mostly_clipped) return a.is_mostly_clipped;
  constexpr double kAllBits = std::numeric_limits<double>::infinity();
  const double bits_a = a.effective_bits.value_or(kAllBits), bits_b = b.effective_bits.value_or(kAllBits);
  return bits_a != bits_b ? bits_a < bits_b : a.levels < b.levels;
}

bool keeps_little(const LevelUse& use) {
  return use.is_coarse || use.is_mostly_clipped || use.effective_bits.value_or(kMostBits) < kFewEffectiveBits;
}

}  // namespace octavo
