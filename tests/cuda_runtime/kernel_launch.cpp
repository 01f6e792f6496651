// Kernel launches. Kernels run when their stream reaches them, as compiled for the host or as the code that nvcc
// generates.
#include "cuda_runtime.h"

#include "capture.hpp"
#include "generated_code.hpp"
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

void run_kernel(const cudaLaunchConfig_t& config, const cuda_shim::KernelCall& kernel) {
  if (runs_generated_code())
    run_generated(config, kernel);
  else
    static_cast<void>(cuda_shim::run_grid(config, kernel));
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
  runtime.enqueue(*stream, "a kernel", call.name(), true, [config, kernel] { run_kernel(config, *kernel); });
  return call.result();
}
