// The mean of a batch on the CPU.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/batch_mean.hpp"

namespace octavo::kernels::cpu {

/// Adds the codes + 128 of positions [first, last) of the batch to sums[C], which the caller has zeroed. The sums are
/// integers, so dividing a batch among threads, each with its own sums and `scratch`, does not change the result.
void add_batch_sums(const BatchMeanArgs& args, std::int64_t first, std::int64_t last, std::int64_t* sums,
                    std::byte* scratch);
/// Bytes of scratch memory that add_batch_sums() needs per thread, aligned to kScratchAlignment. 0 for rows in place.
std::int64_t mean_scratch_bytes(const BatchMeanArgs& args);

/// Computes args.maps from args.sums.
void fold_batch_maps(const BatchMeanArgs& args);

}  // namespace octavo::kernels::cpu
