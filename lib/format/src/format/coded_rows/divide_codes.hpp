// The codes that rows with a largest error store.
#pragma once

#include <cstddef>
#include <span>

namespace octavo::dataset_file {

/// Divides codes of multiples of value_step(max_error) by it.
void divide_codes(int max_error, std::span<std::byte> codes);

}  // namespace octavo::dataset_file
