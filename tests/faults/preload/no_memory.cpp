// Replaces memory.cpp in sanitizer builds, which have their own allocator: nothing fails.
#include "memory.hpp"

namespace octavo::faults {

const char* why_memory_cannot_fail() { return "a sanitizer has an allocator of its own"; }
void use_memory_control(Control*) {}

}  // namespace octavo::faults
