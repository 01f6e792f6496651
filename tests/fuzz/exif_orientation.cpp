// Fuzzes the search for the orientation in EXIF blocks.
#include "images/exif_orientation.hpp"

#include "support/fuzz_target.hpp"

using namespace octavo;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::run_input([&] {
    const int orientation = images::exif_orientation(fuzz::bytes_of(data, size));
    if (orientation < 1 || orientation > 8) __builtin_trap();
    return orientation != 1;  // 1 is also the result for blocks without an orientation
  });
}
