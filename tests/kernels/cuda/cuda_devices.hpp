// Devices for which tests launch CUDA kernels.
#pragma once

#include <cstdint>

#include "kernels/cuda/block/geometry.hpp"

namespace octavo::test {

inline constexpr std::int64_t kL2Bytes = 1 << 16;  // some stores and batches are larger, some are not
/// Blocks serve several samples, warps take many steps.
inline constexpr kernels::cuda::DeviceTraits kSmallDevice{1, kL2Bytes};
inline constexpr kernels::cuda::DeviceTraits kMiddleDevice{5, kL2Bytes};
/// Each warp takes one step.
inline constexpr kernels::cuda::DeviceTraits kLargeDevice{132, kL2Bytes};

}  // namespace octavo::test
