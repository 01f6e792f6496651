// For tests that have the failing malloc in their own process: which page tells it what to do.
#pragma once

#include "control.hpp"

namespace octavo::faults {

/// Why the calls of malloc cannot be made to fail in this executable; empty if they can.
const char* why_memory_cannot_fail();

/// From now on `control` decides; null: nothing fails.
void use_memory_control(Control* control);

}  // namespace octavo::faults
