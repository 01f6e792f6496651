// What the rest of the library asks of CUDA; implemented by cuda_backend.cpp, or by no_cuda_backend.cpp without it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <octavo/device.hpp>

#include "backend/backend.hpp"

namespace octavo::backend {

/// The CUDA devices of this machine; empty if there is none, or no driver, or no CUDA in this build.
std::vector<DeviceInfo> list_cuda_devices();

/// Throws Unavailable with the remedy if there is no such device.
std::shared_ptr<Backend> make_cuda_backend(int ordinal);

/// "cuda (toolkit 13.0)", or nothing if this build has no CUDA.
std::optional<std::string> cuda_backend_name();

}  // namespace octavo::backend
