// Comparing two trainings: whether they saw the same numbers, and which took longer.
#pragma once

#include <octavo/train.hpp>

namespace octavo::training {

/// Whether every batch's loss has the same bits (so that a NaN equals itself).
bool has_identical_losses(const TrainResult& a, const TrainResult& b);

/// By how many percent an epoch of `a` takes longer than one of `b`: medians over the epochs after the first, which
/// also warms up, if there are at least three; else over all.
double overhead_percent(const TrainResult& a, const TrainResult& b);

}  // namespace octavo::training
