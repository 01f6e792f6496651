// For a preloaded library that must ignore constructors of static objects, which run before main().
#pragma once

namespace octavo::faults {

/// Whether main() has begun.
bool has_main_begun();

}  // namespace octavo::faults
