// Replaces cuda_backend.cpp and cuda_devices.cpp in a build without CUDA.
#include <octavo/errors.hpp>

#include "backend/cuda_devices.hpp"

namespace octavo::backend {

int cuda_device_count() { return 0; }

std::optional<CudaProblem> find_cuda_problem() {
  return CudaProblem{"this build has no CUDA backend; build with -DOCTAVO_CUDA=ON", false};
}

std::vector<DeviceInfo> list_cuda_devices() { return {}; }

void require_cuda_device(int ordinal) {
  throw Unavailable("use device cuda:" + std::to_string(ordinal) + ": " + find_cuda_problem()->text +
                    ", or use the device cpu");
}

std::shared_ptr<Backend> make_cuda_backend(int ordinal) {
  require_cuda_device(ordinal);
  return nullptr;
}

std::optional<std::string> cuda_backend_name() { return std::nullopt; }

}  // namespace octavo::backend
