// What the rest of the library asks of CUDA; implemented by cuda_devices.cpp and cuda_backend.cpp, or by
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

/// The number of CUDA devices; 0 if CUDA is not usable, for which find_cuda_problem() has the reason. Creates no
/// context.
int cuda_device_count();

/// Why there are no CUDA devices, asked again at each call; nothing if there are some. Creates no context.
std::optional<CudaProblem> find_cuda_problem();

/// The CUDA devices of this machine; empty if CUDA is not usable. Creates no context: `free_bytes` is known for those
/// devices that the process already uses. A device that cannot be described is listed with its problem.
std::vector<DeviceInfo> list_cuda_devices();

/// Throws Unavailable with the reason and the remedy if there is no such device. Creates no context.
void require_cuda_device(int ordinal);

/// Throws Unavailable as require_cuda_device() does.
std::shared_ptr<Backend> make_cuda_backend(int ordinal);

/// "cuda (toolkit 13.0)", or nothing if this build has no CUDA.
std::optional<std::string> cuda_backend_name();

}  // namespace octavo::backend
