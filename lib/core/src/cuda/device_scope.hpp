// The device that a thread works on for a while.
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

namespace octavo::cuda {

/// The primary context of a device, which all libraries of the process share. The first call creates it if nobody has,
/// and keeps it until the process ends. Throws DeviceError.
CUcontext primary_context(int ordinal);

/// Whether this process has a context on a device, whoever created it. Creates none.
bool has_context(int ordinal) noexcept;

/// Makes a context the calling thread's current one, and the one before it again at the end, even if there was none:
/// which device is current is the caller's business. Every call of CUDA that we make, on whatever thread, is made within
/// one: a fresh thread would otherwise work on device 0, and create a context there.
///
/// Meanwhile the thread's capture mode is relaxed: what we allocate, free or wait for is no part of a graph that
/// somebody captures, on this thread or another, and must not end its capture.
class DeviceScope {
 public:
  /// Throws DeviceError.
  explicit DeviceScope(CUcontext context);
  ~DeviceScope();
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;

 private:
  cudaStreamCaptureMode capture_mode_ = cudaStreamCaptureModeRelaxed;  ///< while it lives: the one before
};

}  // namespace octavo::cuda
