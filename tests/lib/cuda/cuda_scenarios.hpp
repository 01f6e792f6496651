// What programs do with the library, in small: each scenario begins with a file and ends with nothing left.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <octavo/device.hpp>

namespace octavo::test {

/// What a scenario saw: the bits of all batches, losses and labels, one after another.
using Seen = std::vector<std::uint32_t>;

struct Scenario {
  std::string name;
  std::function<Seen(Device)> run;
  bool has_same_bits_everywhere = true;  ///< training has not: the BLAS sums in its own order
  bool needs_every_call = true;          ///< not what reads ahead, maybe for nobody, and not a report, which names what
                                         ///< it can
};

const std::vector<Scenario>& scenarios();

}  // namespace octavo::test
