// The gather of masks on the CPU: part of a batch, on the calling thread.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/mask_gather.hpp"

namespace octavo::kernels::cpu {

/// Bytes of scratch memory that gather_masks() needs per thread.
std::int64_t mask_scratch_bytes(const MaskGatherArgs& args);

/// Gathers the masks of positions [first, last) of the batch. Threads may gather different positions concurrently; they
/// need separate `scratch`, of mask_scratch_bytes(args), aligned to kScratchAlignment.
void gather_masks(const MaskGatherArgs& args, std::int64_t first, std::int64_t last, std::byte* scratch);

}  // namespace octavo::kernels::cpu
