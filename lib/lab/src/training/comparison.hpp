// Compares two trainings: whether their losses are identical, and which took longer.
#pragma once

#include <optional>

#include <octavo/train.hpp>

namespace octavo::training {

/// Whether every batch's loss has the same bits (so that a NaN equals itself).
bool has_identical_losses(const TrainResult& a, const TrainResult& b);

/// How many percent longer the median epoch of `a` takes than that of `b`; empty where noise dominates.
std::optional<double> overhead_percent(const TrainResult& a, const TrainResult& b);

}  // namespace octavo::training
