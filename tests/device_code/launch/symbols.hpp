// Names of functions of the running program.
#pragma once

#include <string>

namespace device_code {

/// The mangled name of the function at `address`, also of one that is not exported. Empty if its object is stripped.
std::string symbol_at(const void* address);

}  // namespace device_code
