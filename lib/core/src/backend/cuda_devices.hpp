// Interface to CUDA for the rest of the library. Implemented by cuda_devices.cpp and cuda_backend.cpp, or by
// no_cuda_backend.cpp in a build without CUDA.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <octavo/device.hpp>

#include "backend/backend.hpp"
#include "backend/cuda_problem.hpp"

namespace octavo::backend {

/// Returns the number of CUDA devices, or 0 if CUDA is not usable (find_cuda_problem() has the reason). Creates no
/// context.
int cuda_device_count();

/// Returns why no CUDA device is usable, or nothing if one is. Checks again at each call. Creates no context.
std::optional<CudaProblem> find_cuda_problem();

/// Lists the CUDA devices of this machine; empty if CUDA is not usable. Creates no context, so `free_bytes` is known
/// only for devices that the process already uses. A device that cannot be described is listed with its problem.
std::vector<DeviceInfo> list_cuda_devices();

/// Throws Unavailable with the reason and what to do if the device does not exist. Creates no context.
void require_cuda_device(int ordinal);

/// Throws Unavailable like require_cuda_device().
std::shared_ptr<Backend> make_cuda_backend(int ordinal);

/// Returns a name such as "cuda (toolkit 13.0)", or nothing if this build has no CUDA backend.
std::optional<std::string> cuda_backend_name();

}  // namespace octavo::backend
