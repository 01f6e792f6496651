// For tests that have the failing malloc in their own process: which page tells it what to do.
#pragma once

#include "control.hpp"

namespace octavo::faults {

/// Whether this build can make them fail.
bool can_fail_memory();

/// From now on `control` decides; null: nothing fails.
void use_memory_control(Control* control);

}  // namespace octavo::faults
