// Stored samples, one per line or as JSON.
#pragma once

#include <cstdint>
#include <octavo/dataset.hpp>
#include <string>
#include <vector>

#include "text/json_output.hpp"

namespace octavo::tools {

/// Prints a line for each sample: index, label_text(), and name if the file has names.
void print_samples(const std::vector<std::int64_t>& indices, const Split& split);
Json as_json(const std::vector<std::int64_t>& indices, const Split& split);

}  // namespace octavo::tools
