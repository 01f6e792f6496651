// Measures how well the 256 levels of a quantization serve the numbers that it rounds.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

namespace octavo {

/// How well the 256 levels serve the numbers that were rounded to them.
struct LevelUse {
  std::int64_t levels = 0;  ///< that occur
  /// log2(standard deviation / root mean square error), without the lowest and highest 0.1 % of the numbers. 8 for
  /// numbers that are spread evenly over the range; absent if all levels are exact, or if the numbers are all equal.
  std::optional<double> effective_bits = {};
  bool is_coarse = false;                        ///< numbers of fewer than 16 levels, but of more values
  std::optional<double> better_percentile = {};  ///< ValueRange::percentile that keeps clearly more bits
};

/// "6 of 256 levels used, 0.4 effective bits, error 76 % of the standard deviation".
std::string describe(const LevelUse& use);

/// Whether `a` keeps less than `b`. Exact levels keep all.
bool keeps_less(const LevelUse& a, const LevelUse& b);

/// The numbers behind each level, in steps of the quantization: level k stands for the number k. Sums of counters do
/// not depend on their order.
class LevelCounter {
 public:
  /// `steps` is the number before rounding and clipping; finite.
  void add(std::uint8_t level, double steps) {
    Level& numbers = levels_[level];
    ++numbers.count;
    // Single precision is 1/65536 of a step or better within the range.
    const auto number = static_cast<float>(steps);
    numbers.low = number < numbers.low ? number : numbers.low;
    numbers.high = number > numbers.high ? number : numbers.high;
  }
  void add(const LevelCounter& other);

  LevelUse use() const;

  /// The numbers of one level. They are taken as spread evenly from `low` to `high`.
  struct Level {
    std::int64_t count = 0;
    float low = std::numeric_limits<float>::infinity();
    float high = -std::numeric_limits<float>::infinity();
  };

 private:
  std::array<Level, 256> levels_;
};

}  // namespace octavo
