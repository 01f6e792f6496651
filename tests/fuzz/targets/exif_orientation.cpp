// Fuzzes the search for the orientation in EXIF blocks.
#include "images/exif_orientation.hpp"

#include "support/fuzz_target.hpp"

using namespace octavo;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::run_input([&] {
    const auto orientation = images::exif_orientation(fuzz::bytes_of(data, size));
    if (orientation && (*orientation < 1 || *orientation > 8)) __builtin_trap();
    return orientation.has_value();
  });
}
