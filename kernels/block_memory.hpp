// Memory of the thread blocks of a CUDA device.
#pragma once

#include <cstddef>
#include <cstdint>

namespace octavo::kernels {

/// Memory in which blocks decode rows and make images: a slot for each block that runs at the same time.
struct BlockMemory {
  std::byte* memory = nullptr;
  std::int64_t slot_bytes = 0, slots = 0;
};

}  // namespace octavo::kernels
