// For tests that link the failing malloc: selects the page that controls it.
#pragma once

#include "control.hpp"

namespace octavo::faults {

/// Why malloc cannot be made to fail in this executable; empty if it can.
const char* why_memory_cannot_fail();

/// Uses `control` from now on. Null: nothing fails.
void use_memory_control(Control* control);

}  // namespace octavo::faults
