// The largest change of a value that packing accepts.
#pragma once

#include <optional>

#include <octavo/compression.hpp>

namespace octavo::packing {

/// Throws InvalidArgument unless it is 0 to kMostMaxError.
void check_max_error(std::optional<int> max_error);
/// Throws InvalidArgument, too, if files with this compression store values exactly.
void check_max_error(std::optional<int> max_error, Compression compression);

}  // namespace octavo::packing
