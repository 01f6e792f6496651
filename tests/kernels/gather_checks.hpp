// Launches of the CUDA gather, and checks of what they write.
#pragma once

#include <cstdint>
#include <vector>

#include "catch.hpp"
#include "gather_cases.hpp"
#include "kernels/cuda/gather.hpp"
#include "unwritten.hpp"

namespace octavo::test {

/// Launches the CUDA gather, which must write all values and labels.
inline void require_gather(const kernels::GatherArgs& args, const kernels::cuda::DeviceTraits& device) {
  mark_unwritten(args);
  REQUIRE(kernels::cuda::launch_gather(args, device, nullptr) == cudaSuccess);
  REQUIRE(unwritten_bytes(args) == 0);
}

/// Launches the CUDA gather, which must write the values and labels of the definition. A cursor advances by
/// `cursor_batches`.
inline void require_defined_gather(GatherData& data, const kernels::cuda::DeviceTraits& device,
                                   std::int64_t cursor_batches = 0) {
  const std::vector<std::byte> values = data.expected_values();  // depend on the cursor before the launch
  const std::vector<std::uint32_t> labels = data.expected_labels();
  data.clear_outputs();
  kernels::GatherArgs args = data.args();
  args.cursor_batches = cursor_batches;
  require_gather(args, device);
  REQUIRE(data.values() == values);
  REQUIRE(data.out_labels() == labels);
}

}  // namespace octavo::test
