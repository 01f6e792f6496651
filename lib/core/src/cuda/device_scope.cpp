#include "cuda/device_scope.hpp"

#include <map>
#include <mutex>
#include <string>

#include <octavo/errors.hpp>

#include "cuda/check.hpp"

namespace octavo::cuda {
namespace {

/// The runtime cannot restore "no device", because cudaSetDevice() creates a context. The driver's context stack can.
struct Driver {
  CUresult (*primary_state)(CUdevice, unsigned* flags, int* is_active);
  CUresult (*retain_primary)(CUcontext*, CUdevice);
  CUresult (*push)(CUcontext);
  CUresult (*pop)(CUcontext*);
};

/// Finds a driver function through the runtime, so that nothing links libcuda. `version` is the CUDA version that
/// introduced it.
template <typename Function>
void find(Function*& function, const char* name, [[maybe_unused]] unsigned version) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult status = cudaDriverEntryPointSymbolNotFound;
#if CUDART_VERSION >= 12050
  cuda::check(cudaGetDriverEntryPointByVersion(name, &found, version, cudaEnableDefault, &status),
              "find a driver function");
#else
  cuda::check(cudaGetDriverEntryPoint(name, &found, cudaEnableDefault, &status), "find a driver function");
#endif
  if (status != cudaDriverEntryPointSuccess || found == nullptr) {
    throw DeviceError(std::string("find a driver function: the CUDA driver has no ") + name + "; update the driver");
  }
  function = reinterpret_cast<Function*>(found);
}

const Driver& driver() {
  static const Driver one = [] {
    Driver found{};
    find(found.primary_state, "cuDevicePrimaryCtxGetState", 7000);
    find(found.retain_primary, "cuDevicePrimaryCtxRetain", 7000);
    find(found.push, "cuCtxPushCurrent", 4000);
    find(found.pop, "cuCtxPopCurrent", 4000);
    return found;
  }();
  return one;
}

/// Runtime and driver use the same error numbers.
void check(CUresult status, std::string_view doing) { cuda::check(static_cast<cudaError_t>(status), doing); }

}  // namespace

CUcontext primary_context(int ordinal) {
  static std::mutex mutex;
  static std::map<int, CUcontext> contexts;
  const std::lock_guard lock(mutex);
  CUcontext& context = contexts[ordinal];
  if (context == nullptr) {
    CUcontext fresh = nullptr;
    check(driver().retain_primary(&fresh, ordinal), "start device cuda:" + std::to_string(ordinal));
    context = fresh;
  }
  return context;
}

bool has_context(int ordinal) noexcept {
  try {
    unsigned flags = 0;
    int is_active = 0;
    return driver().primary_state(ordinal, &flags, &is_active) == CUDA_SUCCESS && is_active != 0;
  } catch (const DeviceError&) {
    return false;  // no driver, so no context
  }
}

DeviceScope::DeviceScope(CUcontext context) {
  check(driver().push(context), "select the device");
  static_cast<void>(cudaThreadExchangeStreamCaptureMode(&capture_mode_));
}

DeviceScope::~DeviceScope() {
  static_cast<void>(cudaThreadExchangeStreamCaptureMode(&capture_mode_));
  CUcontext popped = nullptr;
  static_cast<void>(driver().pop(&popped));
}

}  // namespace octavo::cuda
