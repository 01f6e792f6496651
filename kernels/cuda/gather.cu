// Chooses the kernel that gathers a batch.
#include "kernels/cuda/gather.hpp"

#include <algorithm>

#include "kernels/cuda/batch_decoding.hpp"
#include "kernels/cuda/gather_variants.hpp"
#include "kernels/stages/load.hpp"

namespace octavo::kernels::cuda {
namespace {

CachePolicies policies_of(const GatherArgs& args, const DeviceTraits& device) {
  return cache_policies(args.selection.row_count * args.packed.row_stride_bytes, args.batch_count * args.batch.bytes(),
                        device.l2_bytes);
}

template <typename Value>
cudaError_t launch_in_place(const GatherArgs& args, const DeviceTraits& device, cudaStream_t stream) {
  const CachePolicies policies = policies_of(args, device);
  if (args.augment.program != nullptr) return launch_gather_augmented<Value>(args, policies, device, stream);
  if (takes_planes<Value>(args)) return launch_gather_planes<Value>(args, policies, device, stream);
  if (takes_pixels(args)) return launch_gather_pixels<Value>(args, policies, device, stream);
  return launch_gather_any<Value>(args, policies, device, stream);
}

/// Decodes samples, then gathers them, part by part.
template <typename Value>
cudaError_t launch_decoded(const GatherArgs& args, std::int64_t at_once, const DeviceTraits& device,
                           cudaStream_t stream) {
  for (std::int64_t first = 0; first < args.batch_count; first += at_once) {
    GatherArgs part;
    cudaError_t status = launch_batch_decoding(args, first, std::min(at_once, args.batch_count - first), stream, part);
    if (status == cudaSuccess) status = launch_in_place<Value>(part, device, stream);
    if (status != cudaSuccess) return status;
  }
  return cudaSuccess;
}

template <typename Value>
cudaError_t launch_as(const GatherArgs& args, const DeviceTraits& device, cudaStream_t stream) {
  if (is_in_place(args.packed.coding)) return launch_in_place<Value>(args, device, stream);
  if (args.augment.program == nullptr) {
    if (takes_lp8<Value>(args)) return launch_gather_lp8<Value>(args, policies_of(args, device), stream);
    if (takes_lc8<Value>(args)) return launch_gather_lc8<Value>(args, policies_of(args, device), stream);
  }
  if (const std::int64_t at_once = samples_decoded_at_once(args); at_once > 0) {
    return launch_decoded<Value>(args, at_once, device, stream);
  }
  return launch_gather_images<Value>(args, stream);
}

}  // namespace

cudaError_t launch_gather(const GatherArgs& args, const DeviceTraits& device, cudaStream_t stream) {
  if (args.batch_count == 0) return cudaSuccess;
  cudaError_t status = cudaErrorInvalidValue;
  visit_value_type(args.batch.dtype, [&](auto value) { status = launch_as<decltype(value)>(args, device, stream); });
  return status;
}

}  // namespace octavo::kernels::cuda
