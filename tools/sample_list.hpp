// Stored samples, one per line or as JSON.
#pragma once

#include <cstdint>
#include <octavo/dataset.hpp>
#include <string>
#include <vector>

#include "json_output.hpp"

namespace octavo::tools {

/// The class of a sample: its name, or its number; empty if the labels are not classes.
std::string class_of(const Split& split, std::int64_t index);

/// Prints a line for each sample: index, class, and name if the file has names.
void print_samples(const std::vector<std::int64_t>& indices, const Split& split);
Json as_json(const std::vector<std::int64_t>& indices, const Split& split);

}  // namespace octavo::tools
