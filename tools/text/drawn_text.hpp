// What an augmentation drew, as text and as JSON.
#pragma once

#include <octavo/dataset.hpp>
#include <octavo/replay.hpp>
#include <vector>

#include "text/json_output.hpp"

namespace octavo::tools {

/// Prints a line for each sample, or for each of its views: place, index, class and steps.
void print_drawn(const std::vector<DrawnSample>& drawn, const Split& split);
Json as_json(const std::vector<DrawnSample>& drawn, const Split& split);

}  // namespace octavo::tools
