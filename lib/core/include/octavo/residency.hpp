// Where packed samples live while batches are made from them. The command line and Python list this table.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace octavo {

/// docs/residencies.md explains when to use which. All but window serve the same batches, bit for bit.
enum class Residency { automatic, device, hybrid, streamed, window, sharded };

struct ResidencyInfo {
  Residency residency;
  const char* name;
  const char* help;
};
/// The residency `window` needs an order that finishes one window before the next: Shuffle::windows or file order.
inline constexpr std::array<ResidencyInfo, 6> kResidencies = {{
    {Residency::automatic, "auto",
     "the first of device, sharded (with several ranks), hybrid and streamed that fits in memory"},
    {Residency::device, "device", "all samples in device memory"},
    {Residency::hybrid, "hybrid", "the first samples in device memory, the others read from the file when needed"},
    {Residency::streamed, "streamed", "samples read from the file when a batch needs them, or prefetched"},
    {Residency::window, "window", "two windows of the split in device memory: one is served while the other is read"},
    {Residency::sharded, "sharded", "each of several ranks holds a part of the samples, and they exchange them"},
}};

/// The name of the residency, such as "auto".
constexpr const char* to_string(Residency residency) { return kResidencies[static_cast<std::size_t>(residency)].name; }
/// Parses a name. Throws InvalidArgument if it is not in the table.
Residency parse_residency(std::string_view text);

}  // namespace octavo
