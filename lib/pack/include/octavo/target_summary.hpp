// How the targets of a split are distributed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <octavo/dataset.hpp>

namespace octavo {

/// The distribution of one column of targets. NaN and infinities count only in `not_finite`.
struct TargetSummary {
  static constexpr std::size_t kBins = 16;

  std::int64_t count = 0;  ///< finite targets
  std::int64_t not_finite = 0;
  double min = 0.0;  ///< like the other figures, 0 if no target is finite
  double max = 0.0;
  double mean = 0.0;
  std::array<std::int64_t, kBins> histogram = {};  ///< equal parts of [min,max]; all in the first if min is max
};

/// Summarizes each column of the targets; empty for other labels. Reads the labels twice, in blocks. Throws IoError if
/// they cannot be read.
std::vector<TargetSummary> summarize_targets(const Split& split);

}  // namespace octavo
