// Natural order: compares the numbers in names by value, so that "class2" comes before "class10".
#pragma once

#include <string_view>

namespace octavo::sources {

/// Whether `a` comes before `b` in natural order. Runs of ASCII digits compare by value, everything else by bytes;
/// names that differ only in leading zeros compare by bytes. A strict total order.
bool is_naturally_before(std::string_view a, std::string_view b);

}  // namespace octavo::sources
