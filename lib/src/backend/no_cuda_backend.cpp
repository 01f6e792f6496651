// Stands in for cuda_backend.cpp in a build without CUDA.
#include <octavo/errors.hpp>

#include "backend/cuda_devices.hpp"

namespace octavo::backend {

std::vector<DeviceInfo> list_cuda_devices() { return {}; }

std::shared_ptr<Backend> make_cuda_backend(int ordinal) {
  throw Unavailable("use device cuda:" + std::to_string(ordinal) +
                    ": this build has no CUDA back end; build with -DOCTAVO_CUDA=ON, or use the device cpu");
}

std::optional<std::string> cuda_backend_name() { return std::nullopt; }

}  // namespace octavo::backend
