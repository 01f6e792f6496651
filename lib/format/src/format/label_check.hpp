// Checks label values.
#pragma once

#include <cstddef>
#include <span>

#include <octavo/sample.hpp>

namespace octavo::dataset_file {

/// Returns what is wrong with element `number` of `labels` (int32 or float32 as stored in the file), or null.
/// `class_count` is 0 if the classes have no names.
const char* label_problem(LabelKind kind, std::span<const std::byte> labels, std::size_t number,
                          std::size_t class_count);

}  // namespace octavo::dataset_file
