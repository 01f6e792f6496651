// Comparing names with the numbers in them by value: "class2" before "class10".
#pragma once

#include <string_view>

namespace octavo::sources {

/// Whether `a` stands before `b` in natural order: runs of ASCII digits by their value, everything else by bytes; names
/// that differ in leading zeros only, by bytes. A strict total order.
bool is_naturally_before(std::string_view a, std::string_view b);

}  // namespace octavo::sources
