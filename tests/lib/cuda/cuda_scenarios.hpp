// Small versions of what programs do with the library. Each scenario starts with a file and leaves nothing behind.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <octavo/device.hpp>

namespace octavo::test {

/// The result of a scenario: the concatenated bits of all batches, losses and labels.
using Seen = std::vector<std::uint32_t>;

struct Scenario {
  std::string name;
  std::function<Seen(Device)> run;
  bool has_same_bits_everywhere = true;  ///< false for training: the BLAS sums in its own order
  bool needs_every_call = true;          ///< false for prefetching, which may be unused, and for reports, which omit
                                         ///< what they cannot measure
};

const std::vector<Scenario>& scenarios();

}  // namespace octavo::test
