// Probes a CUDA device: its cache, and copies from device memory to device memory.
#include <cuda_runtime_api.h>

#include "cuda/check.hpp"
#include "cuda/device_scope.hpp"
#include "measuring/device_probe.hpp"

namespace octavo::measuring {

DeviceProbe probe_cuda(Device device) {
  int cache_bytes = 0;
  cuda::check(cudaDeviceGetAttribute(&cache_bytes, cudaDevAttrL2CacheSize, device.ordinal()), "query the cache size");
  CUcontext context = cuda::primary_context(device.ordinal());
  return {cache_bytes, {{"cudaMemcpy", [context](void* to, const void* from, std::size_t bytes) {
                           const cuda::DeviceScope scope(context);
                           cuda::check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, nullptr),
                                       "copy on the device");
                           cuda::check(cudaStreamSynchronize(nullptr), "copy on the device");
                         }}}};
}

}  // namespace octavo::measuring
