// Names of options that earlier versions had. They work for one more version, and no help shows them.
#pragma once

#include <string>
#include <vector>

namespace octavo::tools {

/// The arguments of the program, with the present name in place of each old one: "--old" and "--old=value".
std::vector<std::string> with_present_spellings(int argument_count, const char* const* arguments);

}  // namespace octavo::tools
