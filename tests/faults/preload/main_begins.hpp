// For a preloaded library that is to see what main() does, and not the constructors of static objects before it.
#pragma once

namespace octavo::faults {

/// Whether main() has begun.
bool has_main_begun();

}  // namespace octavo::faults
