// The output of `octavo train`, as text and as JSON.
#pragma once

#include <octavo/train.hpp>
#include <string>

#include "text/json_output.hpp"

namespace octavo::tools {

/// Prints "epoch 1  loss 0.5123  train 81.23 %  val 84.10 %  1.23 s  48,700 images/s", where val is the evaluated
/// split; `residency` comes first unless it is empty.
void print_epoch(const EpochResult& result, const std::string& evaluated_split, const std::string& residency);
/// The final accuracy, and the memory used.
void print_result(const TrainResult& result, const std::string& evaluated_split);
/// Both residencies side by side.
void print_comparison(const ResidencyComparison& comparison);

Json as_json(const TrainResult& result);
Json as_json(const ResidencyComparison& comparison);

}  // namespace octavo::tools
