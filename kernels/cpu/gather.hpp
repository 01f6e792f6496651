// The gather on the CPU: part of a batch, on the calling thread.
#pragma once

#include "kernels/gather.hpp"

namespace octavo::kernels::cpu {

/// How stores go to memory. Affects only speed.
enum class Stores {
  cached,     ///< for a batch that fits in about half of the last-level cache, where its reader finds it
  streaming,  ///< bypasses the cache, for a larger batch: avoids reading the lines that are overwritten
};

/// Gathers positions [first, last) of the batch. Different threads may gather different positions concurrently.
/// The instruction set is chosen at run time; every choice gives the same bits.
void gather(const GatherArgs& args, std::int64_t first, std::int64_t last, Stores stores);

/// The instruction set that gather() uses on this machine, such as "AVX3_ZEN4" or "portable".
const char* gather_target_name();

/// The same with the portable path on every machine: the reference for tests.
void gather_portable(const GatherArgs& args, std::int64_t first, std::int64_t last);

}  // namespace octavo::kernels::cpu
