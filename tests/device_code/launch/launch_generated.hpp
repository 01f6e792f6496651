// The machine on which the launches of a test program run.
#pragma once

#include <string>
#include <vector>

#include "machine/machine.hpp"

namespace device_code {

/// Configured by the environment variable DEVICE_CODE. A launch with findings throws std::runtime_error, which lists
/// them.
Machine& machine();
/// The kernels of the PTX that this process has not launched.
std::vector<std::string> unlaunched_kernels();

}  // namespace device_code
