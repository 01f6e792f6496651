// Comparing two trainings: whether they saw the same numbers, and which took longer.
#pragma once

#include <optional>

#include <octavo/train.hpp>

namespace octavo::training {

/// Whether every batch's loss has the same bits (so that a NaN equals itself).
bool has_identical_losses(const TrainResult& a, const TrainResult& b);

/// By how many percent the median epoch of `a` takes longer than that of `b`; none where chance decides.
std::optional<double> overhead_percent(const TrainResult& a, const TrainResult& b);

}  // namespace octavo::training
