// The gather on the CPU: part of a batch, on the calling thread.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/cpu/scratch_parts.hpp"
#include "kernels/gather.hpp"

namespace octavo::kernels::cpu {

/// How stores go to memory. Affects only speed.
enum class Stores {
  cached,     ///< for a batch that fits in about half of the last-level cache, where its reader finds it
  streaming,  ///< bypasses the cache, for a larger batch: avoids reading the lines that are overwritten
};

/// Bytes of scratch memory that gather() needs per thread, aligned to kScratchAlignment. 0 for rows in place.
std::int64_t gather_scratch_bytes(const GatherArgs& args);
/// Gathers positions [first, last) of the batch. Different threads, with separate `scratch` (null if it has 0 bytes),
/// may gather different positions concurrently. The instruction set is chosen at run time; every choice gives the same
/// bits.
void gather(const GatherArgs& args, std::int64_t first, std::int64_t last, Stores stores, std::byte* scratch = nullptr);

/// The same for batches with an augmentation.
std::int64_t augment_scratch_bytes(const GatherArgs& args);
void gather_augmented(const GatherArgs& args, std::int64_t first, std::int64_t last, Stores stores, std::byte* scratch);

/// The instruction set that gather() uses on this machine, such as "AVX3_ZEN4" or "portable".
const char* gather_target_name();

/// Both gathers with the portable path on every machine: the reference for tests. `scratch` has
/// portable_scratch_bytes(args).
void gather_portable(const GatherArgs& args, std::int64_t first, std::int64_t last, std::byte* scratch = nullptr);
std::int64_t portable_scratch_bytes(const GatherArgs& args);

}  // namespace octavo::kernels::cpu
