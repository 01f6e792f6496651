// Feeds EXIF blocks, of which the orientation is wanted.
#include "image/exif_orientation.hpp"

#include "support/fuzz_target.hpp"

using namespace octavo;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const int orientation = image::exif_orientation(fuzz::bytes_of(data, size));
  if (orientation < 1 || orientation > 8) __builtin_trap();
  return 0;
}
