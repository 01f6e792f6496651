// In place of memory.cpp in builds with sanitizers, which have an allocator of their own: nothing fails.
#include "memory.hpp"

namespace octavo::faults {

bool can_fail_memory() { return false; }
void use_memory_control(Control*) {}

}  // namespace octavo::faults
