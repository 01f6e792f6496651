// Where packed samples live while batches are made from them.
#pragma once

#include <string_view>

namespace octavo {

/// docs/residencies.md explains when to use which. Device, hybrid and streamed serve the same batches, bit for bit.
enum class Residency {
  automatic,  ///< the first of device, hybrid and streamed that fits in memory
  device,     ///< all samples are in device memory
  hybrid,     ///< the first samples are in device memory; the others are read from the file when a batch needs them
  streamed,   ///< samples stay in the file and are read when a batch needs them, or prefetched
  window,     ///< two windows of the split are in device memory: one is served while the other is read. Only for orders
              ///< that finish one window before the next: Shuffle::windows and file order
};

/// "auto", "device", "hybrid", "streamed" or "window".
const char* to_string(Residency residency);
/// Parses what to_string() returns. Throws InvalidArgument for anything else.
Residency parse_residency(std::string_view text);

}  // namespace octavo
