#include "backend/cuda_problem.hpp"

namespace octavo::backend {
namespace {

// Values of cudaError_t, which are part of CUDA's ABI. A build with CUDA checks them against the header.
constexpr int kSuccess = 0;
constexpr int kInitializationError = 3;
constexpr int kInsufficientDriver = 35;
constexpr int kNoDevice = 100;

std::string describe_old_driver(const CudaAnswer& answer) {
  return "the NVIDIA driver supports CUDA " + cuda_version_text(answer.driver_version) + " and this build needs " +
         cuda_version_text(answer.runtime_version) + "; update the driver or install a build for CUDA " +
         std::to_string(answer.driver_version / 1000);
}

std::string describe_no_device(const CudaAnswer& answer) {
  if (!answer.visible_devices) return "CUDA finds no device; check nvidia-smi";
  return "CUDA finds no device, and CUDA_VISIBLE_DEVICES is \"" + *answer.visible_devices +
         "\", which may hide all of them; unset it or name a device";
}

}  // namespace

std::string cuda_version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::optional<CudaProblem> describe_cuda_problem(const CudaAnswer& answer) {
  if (answer.status == kSuccess && answer.device_count > 0) return std::nullopt;
  if (answer.status == kSuccess || answer.status == kNoDevice) return CudaProblem{describe_no_device(answer), false};
  // The runtime returns "insufficient driver" both if the driver is too old and if there is none.
  if (answer.status == kInsufficientDriver && answer.driver_version == 0) {
    return CudaProblem{"there is no NVIDIA driver; install one if this machine has an NVIDIA GPU", false};
  }
  if (answer.status == kInsufficientDriver) return CudaProblem{describe_old_driver(answer), true};
  if (answer.status == kInitializationError && answer.is_forked_child) {
    return CudaProblem{
        "this process was forked from one that uses CUDA, and CUDA does not work after fork(); start it with spawn, "
        "or use CUDA only after the fork",
        true};
  }
  return CudaProblem{"CUDA does not start (" + answer.status_text + "); check nvidia-smi and the driver", true};
}

}  // namespace octavo::backend
