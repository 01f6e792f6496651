// The mean of a minibatch on the CPU.
#pragma once

#include "kernels/batch_mean.hpp"

namespace octavo::kernels::cpu {

/// Adds the codes + 128 of places [first, last) of the batch to sums[C], which the caller has zeroed. Integers, so
/// that the split of a batch among threads, each with sums of its own, changes no bit.
void add_batch_sums(const BatchMeanArgs& args, std::int64_t first, std::int64_t last, std::int64_t* sums);

/// Writes args.maps from args.sums.
void fold_batch_maps(const BatchMeanArgs& args);

}  // namespace octavo::kernels::cpu
