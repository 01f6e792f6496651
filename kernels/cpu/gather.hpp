// The gather on the CPU: a stretch of a batch on the calling thread.
#pragma once

#include "kernels/gather.hpp"

namespace octavo::kernels::cpu {

/// How stores go to memory. A change of speed only.
enum class Stores {
  cached,     ///< for a batch that fits in about half of the last cache level: its reader finds it there
  streaming,  ///< past the cache, for a larger one: saves reading the lines that are overwritten
};

/// Gathers places [first, last) of the batch. Different places may be gathered by different threads at once.
/// The instruction set is chosen at run time; every choice gives the same bits.
void gather(const GatherArgs& args, std::int64_t first, std::int64_t last, Stores stores);

/// The instruction set that gather() uses on this machine, such as "AVX3_ZEN4" or "portable".
const char* gather_target_name();

/// The same by the portable path, whatever the machine has: the reference for tests.
void gather_portable(const GatherArgs& args, std::int64_t first, std::int64_t last);

}  // namespace octavo::kernels::cpu
