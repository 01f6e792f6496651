// The mean of a batch on the CPU.
#pragma once

#include "kernels/batch_mean.hpp"

namespace octavo::kernels::cpu {

/// Adds the codes + 128 of positions [first, last) of the batch to sums[C], which the caller has zeroed. The sums are
/// integers, so dividing a batch among threads, each with its own sums, does not change the result.
void add_batch_sums(const BatchMeanArgs& args, std::int64_t first, std::int64_t last, std::int64_t* sums);

/// Computes args.maps from args.sums.
void fold_batch_maps(const BatchMeanArgs& args);

}  // namespace octavo::kernels::cpu
