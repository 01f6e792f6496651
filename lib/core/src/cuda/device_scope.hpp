// Sets the current device of a thread for a scope.
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

namespace octavo::cuda {

/// Returns the primary context of a device, which all libraries of the process share. The first call creates it if
/// necessary and retains it until the process ends. Throws DeviceError.
CUcontext primary_context(int ordinal);

/// Whether this process has a primary context on a device, whoever created it. Creates none.
bool has_context(int ordinal) noexcept;

/// Makes a context current on the calling thread, and restores the previous one (or none) at the end of the scope. The
/// caller's current device thus never changes. Every CUDA call of the library is made within such a scope; otherwise a
/// new thread would use device 0 and create a context there.
///
/// The scope also relaxes the thread's capture mode: allocations, frees and waits of the library are not part of a
/// graph that is being captured, on this thread or another, and must not invalidate the capture.
class DeviceScope {
 public:
  /// Throws DeviceError.
  explicit DeviceScope(CUcontext context);
  ~DeviceScope();
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;

 private:
  cudaStreamCaptureMode capture_mode_ = cudaStreamCaptureModeRelaxed;  ///< the previous mode, while the scope lives
};

}  // namespace octavo::cuda
