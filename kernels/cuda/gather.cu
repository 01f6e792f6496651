// Chooses the kernel that gathers a batch.
#include "kernels/cuda/gather.hpp"
#include "kernels/cuda/gather_variants.hpp"
#include "kernels/stages/load.hpp"

namespace octavo::kernels::cuda {
namespace {

template <typename Value>
cudaError_t launch_as(const GatherArgs& args, const DeviceTraits& device, cudaStream_t stream) {
  const CachePolicies policies = cache_policies(
      args.selection.row_count * args.packed.row_stride_bytes,
      args.batch_count * args.batch.values() * static_cast<std::int64_t>(sizeof(Value)), device.l2_bytes);
  if (!is_in_place(args.packed.coding)) {
    if (args.augment.program == nullptr) {
      if (takes_lp8<Value>(args)) return launch_gather_lp8<Value>(args, policies, stream);
      if (takes_lc8<Value>(args)) return launch_gather_lc8<Value>(args, policies, stream);
    }
    return launch_gather_images<Value>(args, stream);
  }
  if (args.augment.program != nullptr) return launch_gather_augmented<Value>(args, policies, device, stream);
  if (takes_planes<Value>(args)) return launch_gather_planes<Value>(args, policies, device, stream);
  if (takes_pixels(args)) return launch_gather_pixels<Value>(args, policies, device, stream);
  return launch_gather_any<Value>(args, policies, device, stream);
}

}  // namespace

cudaError_t launch_gather(const GatherArgs& args, const DeviceTraits& device, cudaStream_t stream) {
  if (args.batch_count == 0) return cudaSuccess;
  cudaError_t status = cudaErrorInvalidValue;
  visit_value_type(args.batch.dtype, [&](auto value) { status = launch_as<decltype(value)>(args, device, stream); });
  return status;
}

}  // namespace octavo::kernels::cuda
