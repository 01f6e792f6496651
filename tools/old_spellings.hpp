// Option names from earlier versions. They work for one more version, and no help text shows them.
#pragma once

#include <string>
#include <vector>

namespace octavo::tools {

/// The arguments of the program with each old option name replaced by the current one: "--old" and "--old=value".
std::vector<std::string> with_present_spellings(int argument_count, const char* const* arguments);

}  // namespace octavo::tools
