// Kernel launches. The shim compiles kernels for the host; they run when their stream reaches them.
#include "cuda_runtime.h"

#include "capture.hpp"
#include "runtime.hpp"

namespace fake_cuda {
namespace {

/// A kernel is loaded at its first use. Loading may require operations that a capture forbids.
cudaError_t load_kernel(const void* kernel, CUstream_st* capturing) {
  Runtime& runtime = Runtime::get();
  const int device = runtime.current_device();
  if (!runtime.device(device).loaded_kernels.insert({kernel, device}).second) return cudaSuccess;
  return capturing != nullptr ? invalidate(*capturing->capture, cudaErrorStreamCaptureUnsupported) : cudaSuccess;
}

}  // namespace
}  // namespace fake_cuda

using namespace fake_cuda;

cudaError_t cuda_shim::launch(const cudaLaunchConfig_t& config, std::shared_ptr<const KernelCall> kernel) {
  Call call("cudaLaunchKernelExC", kUsesContext);
  if (call.fails()) return call.result();
  if (!is_possible(config)) return call.result(cudaErrorInvalidConfiguration);
  Runtime& runtime = Runtime::get();
  CUstream_st* stream = runtime.stream(config.stream, call.name());
  if (stream == nullptr || stream->device != runtime.current_device()) {
    return call.result(cudaErrorInvalidResourceHandle);
  }
  if (stream == runtime.device(stream->device).legacy && conflicts_with_legacy(stream->device)) {
    return call.result(cudaErrorStreamCaptureImplicit);
  }
  if (stream->capture != nullptr && stream->capture->is_invalidated) {
    return call.result(cudaErrorStreamCaptureInvalidated);
  }
  const cudaError_t loaded = load_kernel(kernel->kernel(), stream->capture != nullptr ? stream : nullptr);
  if (loaded != cudaSuccess) return call.result(loaded);
  runtime.enqueue(*stream, "a kernel", call.name(), true,
                  [config, kernel] { static_cast<void>(cuda_shim::run_grid(config, *kernel)); });
  return call.result();
}
