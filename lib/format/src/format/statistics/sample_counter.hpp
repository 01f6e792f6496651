// Counts the values of samples. The statistics of a split are computed from these counts.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <octavo/sample.hpp>
#include <octavo/statistics.hpp>

namespace octavo::statistics {

/// Exact integer totals over samples. The order of addition does not change them.
struct SampleTotals {
  explicit SampleTotals(const SampleShape& shape);
  /// Mean, standard deviation and mean image, in source units, as docs/format.md defines them.
  Statistics statistics(const std::vector<ChannelQuantization>& quantization) const;

  SampleShape shape;
  std::int64_t sample_count = 0;
  std::vector<std::int64_t> histogram;   ///< [C,256], by value (code + 128)
  std::vector<std::int64_t> value_sums;  ///< [C,H,W], sums of values (code + 128)
};

/// Counts samples in narrow, fast tables. Not thread-safe: use one per thread and add up the totals at the end.
class SampleCounter {
 public:
  explicit SampleCounter(const SampleShape& shape);

  /// Counts whole samples: `values` is uint8 [count,C,H,W].
  void add(std::span<const std::uint8_t> values);
  /// Adds the counts to `totals` and resets them.
  void move_into(SampleTotals& totals);

 private:
  void add_sample(const std::uint8_t* values);
  void widen_sums();
  void flush();

  SampleTotals totals_;
  std::int64_t pending_samples_ = 0;   ///< samples in the narrow tables, at most pending_limit_
  std::int64_t pending_limit_ = 0;     ///< number of samples that fit without overflow
  std::vector<std::uint32_t> counts_;  ///< [C,4,256]: neighboring values go to different tables
  std::int64_t narrow_samples_ = 0;
  std::vector<std::uint16_t> narrow_sums_;  ///< [C,H,W], of narrow_samples_ samples: halves the memory traffic
  std::vector<std::uint32_t> sums_;         ///< [C,H,W], of the earlier pending samples
};

}  // namespace octavo::statistics
