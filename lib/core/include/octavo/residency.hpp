// Where packed samples live while batches are made of them.
#pragma once

#include <string_view>

namespace octavo {

/// docs/residencies.md tells which one is for whom. Device, hybrid and streamed serve the same batches, bit for bit.
enum class Residency {
  automatic,  ///< the first of the next three that there is memory for
  device,     ///< all in the memory of the device
  hybrid,     ///< the first ones in the memory of the device; the others are read from the file when a batch needs them
  streamed,   ///< in the file: each batch's samples are read when it needs them, or ahead of it
  window,  ///< two stretches of the split in the memory of the device, one being read while the other is served; only
           ///< for orders that stay inside of a stretch until it is done: Shuffle::windows, and that of the file
};

/// "auto", "device", "hybrid", "streamed" or "window".
const char* to_string(Residency residency);
/// Of what to_string() gives. Throws InvalidArgument for anything else.
Residency parse_residency(std::string_view text);

}  // namespace octavo
