// Measures how well the 256 levels of a quantization serve the numbers that it rounds.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>

namespace octavo {

/// Below this many effective bits, much is lost: packing proposes another range, and octavo doctor warns.
inline constexpr double kFewEffectiveBits = 6.0;

/// Fill values, such as -999, -9999 or 1e20, are usually no smaller than this.
inline constexpr double kLeastFillValue = 999.0;

/// How well the 256 levels serve the numbers that were rounded to them.
struct LevelUse {
  std::int64_t levels = 0;  ///< that occur
  /// Root mean square error / standard deviation of the numbers. Absent if all levels are exact, or if the numbers are
  /// all equal. Without outliers: the lowest and highest 0.1 %, up to 1 % that were clipped at each end, and a fill
  /// value: the only number beyond an end. 1 if most numbers share a few levels with others, far from the rest.
  std::optional<double> relative_error = {};
  /// log2(1 / relative_error), at most 8: a byte holds no more bits. 8 for numbers that are spread evenly over the
  /// range. Files of older versions record this figure instead of the error.
  std::optional<double> effective_bits = {};
  /// relative_error with the error of all clipped numbers, fill values excepted. Absent if none were clipped.
  std::optional<double> relative_error_with_clipped = {};
  double clipped_share = 0.0;  ///< of the numbers, those outside the range
  bool is_coarse = false;      ///< numbers of fewer than 16 levels, but of more values
  /// Most numbers are outside the range. A fill value does not count.
  bool is_mostly_clipped = false;
  std::optional<double> better_percentile = {};  ///< ValueRange::percentile that keeps clearly more bits; 100: minmax
  /// About the median of the numbers, in their units. Not recorded in files.
  std::optional<double> median = {};
  std::optional<std::int64_t> channel = {};  ///< the channel with these figures, if there are several
};

/// The name of a range that leaves out 100 - `percentile` % at each end: "percentile:99.9", or "minmax" for 100.
std::string range_name(double percentile);

/// "worst channel 2: 6 of 256 levels used, 0.4 effective bits, error 76 % of the standard deviation, 120 % with the
/// clipped values, 2.1 % of the values clipped".
std::string describe(const LevelUse& use);

/// Whether `a` keeps less than `b`. Exact levels keep all.
bool keeps_less(const LevelUse& a, const LevelUse& b);

/// Whether so little is kept that training may suffer: few effective bits or levels, or most numbers clipped.
bool keeps_little(const LevelUse& use);

/// The numbers behind each level. Sums of counters do not depend on their order.
class LevelCounter {
 public:
  /// `steps` is the number in steps of the quantization, before rounding and clipping: level k stands for k steps.
  /// `number` is the same in units that all numbers of the counter share. Both are finite.
  void add(std::uint8_t level, double steps, double number) {
    const double error = steps - level;
    if (error > 0.5 || error < -0.5) return add_clipped(error, number);
    levels_[level].add(steps, number, error);
  }
  void add(const LevelCounter& other);

  LevelUse use() const;
  std::int64_t count() const { return total().count; }
  bool is_empty() const { return count() == 0; }
  bool is_constant() const;  ///< all numbers are equal, or there are none

  /// Numbers of one level or, outside the range, of similar distance to it.
  struct Group {
    std::int64_t count = 0;
    float low = std::numeric_limits<float>::infinity();  ///< in steps; 1/65536 of a step or better within the range
    float high = -std::numeric_limits<float>::infinity();
    double lowest = std::numeric_limits<double>::infinity();  ///< in units of the numbers
    double highest = -std::numeric_limits<double>::infinity();
    // Integers, because their sums do not depend on the order. 2^37 numbers of one level fit.
    std::int64_t errors = 0;   ///< the sum, in 2^-20
    std::int64_t squares = 0;  ///< the sum of their squares, in 2^-28

    /// `error` is below 2.
    void add(double steps, double number, double error) {
      ++count;
      const auto rounded = static_cast<float>(steps);
      low = rounded < low ? rounded : low;
      high = rounded > high ? rounded : high;
      lowest = number < lowest ? number : lowest;
      highest = number > highest ? number : highest;
      const auto fixed = static_cast<std::int64_t>(error * 1048576.0);
      errors += fixed;
      squares += fixed * fixed >> 12;
    }
    void add(const Group& other);
  };

 private:
  void add_clipped(double error, double number);
  Group total() const;

  std::array<Group, 256> levels_;  ///< within the range
  /// Outside, by the power of 2 of the distance in steps, which is the unit of the errors; negative below the range.
  std::map<int, Group> clipped_;
};

/// The use of the channel that keeps the least; those whose numbers are all equal count only if all channels are such.
/// `counters` is [C]. `channel` is its index if there are several. `better_percentile` suits all channels that keep
/// little, and `clipped_share` is that of all numbers.
LevelUse least_use(std::span<const LevelCounter> counters);

}  // namespace octavo
