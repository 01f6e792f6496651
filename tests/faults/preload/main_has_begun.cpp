// In place of main_begins.cpp in a test that has the failing malloc in its own process: it says itself when to begin.
#include "main_begins.hpp"

namespace octavo::faults {

bool has_main_begun() { return true; }

}  // namespace octavo::faults
