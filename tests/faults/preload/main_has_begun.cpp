// Replaces main_begins.cpp in a test that links the failing malloc; the test decides itself when faults begin.
#include "main_begins.hpp"

namespace octavo::faults {

bool has_main_begun() { return true; }

}  // namespace octavo::faults
