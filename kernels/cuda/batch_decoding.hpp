// Decodes the samples of a batch before they are gathered: for gathers that are not fused with a decoder.
#pragma once

#include <cuda_runtime_api.h>

#include "kernels/gather.hpp"

namespace octavo::kernels::cuda {

/// How many samples of the batch can be decoded at once, in GatherArgs::decoded_memory. 0: the batch cannot be decoded
/// first.
std::int64_t samples_decoded_at_once(const GatherArgs& args);

/// Enqueues the decoding of `count` samples from position `first` of the batch on. `part` becomes the arguments of
/// their gather, whose rows are in place. With the last samples of the batch, the selection's cursor advances here, and
/// not in their gather.
cudaError_t launch_batch_decoding(const GatherArgs& args, std::int64_t first, std::int64_t count, cudaStream_t stream,
                                  GatherArgs& part);

}  // namespace octavo::kernels::cuda
