// The CUDA driver functions that the library requests from the runtime by name.
#include <cuda.h>
#include <cuda_runtime_api.h>

#include <cstring>

#include "runtime.hpp"

namespace fake_cuda {
namespace {

CUresult driver_error(cudaError_t error) {
  // Both use the same error numbers.
  return static_cast<CUresult>(error);
}

CUresult get_state(CUdevice device, unsigned* flags, int* is_active) {
  Call call("cuDevicePrimaryCtxGetState", kPlain);
  if (call.fails()) return driver_error(call.result());
  *flags = 0;
  *is_active = Runtime::get().device(device).has_context ? 1 : 0;
  return CUDA_SUCCESS;
}

CUresult retain(CUcontext* context, CUdevice device) {
  Call call("cuDevicePrimaryCtxRetain", kPlain);
  if (call.fails()) return driver_error(call.result());
  if (device < 0 || device >= Runtime::get().config.device_count) return CUDA_ERROR_INVALID_DEVICE;
  const cudaError_t error = Runtime::get().use_context(device, call.name());
  if (error == cudaSuccess) *context = &Runtime::get().device(device).primary;
  return driver_error(call.result(error));
}

CUresult push_context(CUcontext context) {
  Call call("cuCtxPushCurrent", kPlain);
  if (call.fails()) return driver_error(call.result());
  // Includes the context of a device that has failed.
  static_cast<void>(Runtime::get().use_context(context->device, call.name()));
  this_thread().pushed.push_back(context);
  return driver_error(call.result());
}

CUresult pop_context(CUcontext* context) {
  Call call("cuCtxPopCurrent", kReleases);
  if (call.is_impossible()) return driver_error(call.result());
  ThreadState& thread = this_thread();
  if (thread.pushed.empty()) return CUDA_ERROR_INVALID_CONTEXT;
  *context = thread.pushed.back();
  thread.pushed.pop_back();
  return driver_error(call.result());
}

CUresult current_context(CUcontext* context) {
  Call call("cuCtxGetCurrent", kPlain);
  if (call.fails()) return driver_error(call.result());
  ThreadState& thread = this_thread();
  DeviceState& device = Runtime::get().device(thread.device);
  *context = !thread.pushed.empty()                  ? thread.pushed.back()
             : thread.is_bound && device.has_context ? &device.primary
                                                     : nullptr;
  return CUDA_SUCCESS;
}

void* entry_point(const char* symbol) {
  struct Entry {
    const char* name;
    void* function;
  };
  static const Entry entries[] = {
      {"cuDevicePrimaryCtxGetState", reinterpret_cast<void*>(&get_state)},
      {"cuDevicePrimaryCtxRetain", reinterpret_cast<void*>(&retain)},
      {"cuCtxPushCurrent", reinterpret_cast<void*>(&push_context)},
      {"cuCtxPopCurrent", reinterpret_cast<void*>(&pop_context)},
      {"cuCtxGetCurrent", reinterpret_cast<void*>(&current_context)},
  };
  for (const Entry& entry : entries) {
    if (std::strcmp(entry.name, symbol) == 0) return entry.function;
  }
  return nullptr;
}

cudaError_t find_entry_point(const char* call_name, const char* symbol, void** function,
                             cudaDriverEntryPointQueryResult* status) {
  Call call(call_name, kPlain);
  if (call.fails()) return call.result();
  *function = entry_point(symbol);
  if (status != nullptr)
    *status = *function != nullptr ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
  return call.result();
}

}  // namespace
}  // namespace fake_cuda

extern "C" {

#if CUDART_VERSION >= 12050
cudaError_t cudaGetDriverEntryPointByVersion(const char* symbol, void** function, unsigned, unsigned long long,
                                             cudaDriverEntryPointQueryResult* status) {
  return fake_cuda::find_entry_point("cudaGetDriverEntryPointByVersion", symbol, function, status);
}
#endif

cudaError_t cudaGetDriverEntryPoint(const char* symbol, void** function, unsigned long long,
                                    cudaDriverEntryPointQueryResult* status) {
  return fake_cuda::find_entry_point("cudaGetDriverEntryPoint", symbol, function, status);
}

}  // extern "C"
