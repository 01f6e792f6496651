// The gather's kernels by shape. Each launcher does the same as launch_gather(), for a batch that is not empty.
#pragma once

#include <cuda_runtime_api.h>

#include "kernels/cache_policy.hpp"
#include "kernels/cuda/block/geometry.hpp"
#include "kernels/gather.hpp"

namespace octavo::kernels::cuda {

/// Whether a sample is gathered as planes. An image of one pixel is the same in every layout.
inline bool is_planar(const GatherArgs& args) { return keeps_order(args) || args.pixels == 1; }

/// Whether the values keep the order of the codes, and every row, channel and mean image is aligned to units of four
/// values, in the codes and in the output.
template <typename Value>
bool takes_planes(const GatherArgs& args);
template <typename Value>
cudaError_t launch_gather_planes(const GatherArgs& args, const CachePolicies& policies, const DeviceTraits& device,
                                 cudaStream_t stream);

/// Whether three or four channels are interleaved, with any alignment.
inline bool takes_pixels(const GatherArgs& args) {
  return !is_planar(args) && (args.sample.channels == 3 || args.sample.channels == 4);
}
template <typename Value>
cudaError_t launch_gather_pixels(const GatherArgs& args, const CachePolicies& policies, const DeviceTraits& device,
                                 cudaStream_t stream);

/// For batches with a program: augmented images of any shape, layout and alignment.
template <typename Value>
cudaError_t launch_gather_augmented(const GatherArgs& args, const CachePolicies& policies, const DeviceTraits& device,
                                    cudaStream_t stream);

/// For AugmentDemand::images, and for rows that are not in place. Needs GatherArgs::block_memory.
template <typename Value>
cudaError_t launch_gather_images(const GatherArgs& args, cudaStream_t stream);

/// For AugmentDemand::moves and erasing_moves: images of up to kMostMovedSide pixels per side and kMostMovedChannels
/// channels, if they are interleaved three or four, that become at least four pixels wide. Packed rows may have any
/// alignment, and the output that of four values.
template <typename Value>
bool takes_moved(const GatherArgs& args);
template <typename Value>
cudaError_t launch_gather_moved(const GatherArgs& args, const CachePolicies& policies, const DeviceTraits& device,
                                cudaStream_t stream);

/// For AugmentDemand::resizing: programs with a StoredResizing, unless more than kMostResizedChannels channels are
/// interleaved, or images shrink so much that the pixels of a few values do not fit in shared memory.
template <typename Value>
bool takes_resized(const GatherArgs& args);
template <typename Value>
cudaError_t launch_gather_resized(const GatherArgs& args, const CachePolicies& policies, cudaStream_t stream);

/// For LP8 rows without an augmentation whose values keep the order of their codes, and have whole tiles. The output is
/// aligned to 16 bytes.
template <typename Value>
bool takes_lp8(const GatherArgs& args);
template <typename Value>
cudaError_t launch_gather_lp8(const GatherArgs& args, const CachePolicies& policies, cudaStream_t stream);

/// The same for LC8 rows, whose strips must be whole.
template <typename Value>
bool takes_lc8(const GatherArgs& args);
template <typename Value>
cudaError_t launch_gather_lc8(const GatherArgs& args, const CachePolicies& policies, cudaStream_t stream);

/// Whether LP8 or LC8 rows of any shape can be decoded to codes by their lanes: unless a row or a batch is huge.
bool decodes_lp8(const GatherArgs& args);
bool decodes_lc8(const GatherArgs& args);
/// Write the codes of the rows of a batch to `values`, which is int8 [B, sample.values()], aligned to 8 bytes. Need no
/// maps.
cudaError_t launch_decode_lp8(const GatherArgs& args, cudaStream_t stream);
cudaError_t launch_decode_lc8(const GatherArgs& args, cudaStream_t stream);

/// Supports every shape, layout and alignment.
template <typename Value>
cudaError_t launch_gather_any(const GatherArgs& args, const CachePolicies& policies, const DeviceTraits& device,
                              cudaStream_t stream);

}  // namespace octavo::kernels::cuda
