// The integer totals of a split.
#pragma once

#include <octavo/dataset.hpp>

#include "format/statistics/sample_counter.hpp"

namespace octavo::sharding {

/// Those that the statistics of the split were computed from. Recovers the sums of values from the mean image; if its
/// float32 numbers are not precise enough, counts all samples again. Throws the errors of reading, and FormatError if
/// statistics contradict each other.
statistics::SampleTotals exact_totals(const Split& split);

}  // namespace octavo::sharding
