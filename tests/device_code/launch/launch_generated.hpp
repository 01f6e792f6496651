// The machine on which the launches of a test program run.
#pragma once

#include "machine/machine.hpp"

namespace device_code {

/// Configured by the environment variable DEVICE_CODE. A launch with findings throws std::runtime_error, which lists
/// them.
Machine& machine();

}  // namespace device_code
