// Counts and describes CUDA devices. Nothing here creates a context.
#include "backend/cuda_devices.hpp"

#include <cuda_runtime_api.h>
#include <unistd.h>

#include <cstdlib>

#include <octavo/errors.hpp>

#include "cuda/check.hpp"
#include "cuda/device_scope.hpp"

namespace octavo::backend {
namespace {

// Must match the values in cuda_problem.cpp.
static_assert(cudaSuccess == 0 && cudaErrorInitializationError == 3 && cudaErrorInsufficientDriver == 35 &&
              cudaErrorNoDevice == 100);

/// The process that loaded the library. A forked child inherits its CUDA state.
const pid_t loading_process = ::getpid();

std::string text_of(cudaError_t status) {
  return std::string(cudaGetErrorName(status)) + ", " + cudaGetErrorString(status);
}

CudaAnswer ask_cuda() {
  CudaAnswer answer;
  const cudaError_t status = cudaGetDeviceCount(&answer.device_count);
  answer.status = status;
  answer.status_text = text_of(status);
  if (cudaDriverGetVersion(&answer.driver_version) != cudaSuccess) answer.driver_version = 0;
  static_cast<void>(cudaGetLastError());  // so that the next call does not report this again
  answer.runtime_version = CUDART_VERSION;
  answer.is_forked_child = ::getpid() != loading_process;
  if (const char* visible = std::getenv("CUDA_VISIBLE_DEVICES")) answer.visible_devices = visible;
  return answer;
}

/// Returns the free memory of a device on which the process has a context, or nothing if CUDA fails.
std::optional<std::int64_t> ask_free_bytes(int ordinal) {
  try {
    const cuda::DeviceScope scope(cuda::primary_context(ordinal));
    std::size_t free_bytes = 0, total_bytes = 0;
    cuda::check(cudaMemGetInfo(&free_bytes, &total_bytes), "query the free device memory");
    return static_cast<std::int64_t>(free_bytes);
  } catch (const DeviceError&) {
    return std::nullopt;
  }
}

DeviceInfo describe_device(int ordinal) {
  DeviceInfo info;
  info.device = Device::cuda(ordinal);
  info.free_bytes = std::nullopt;
  cudaDeviceProp properties{};
  if (const cudaError_t status = cudaGetDeviceProperties(&properties, ordinal); status != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
    info.problem = "CUDA cannot describe this device (" + text_of(status) + "); check nvidia-smi";
    return info;
  }
  info.name = properties.name;
  info.total_bytes = static_cast<std::int64_t>(properties.totalGlobalMem);
  if (cuda::has_context(ordinal)) info.free_bytes = ask_free_bytes(ordinal);
  info.details = "compute capability " + std::to_string(properties.major) + "." + std::to_string(properties.minor) +
                 ", " + std::to_string(properties.multiProcessorCount) + " multiprocessors, " +
                 std::to_string(properties.l2CacheSize >> 20) + " MiB of L2";
  return info;
}

}  // namespace

int cuda_device_count() {
  int count = 0;
  if (cudaGetDeviceCount(&count) == cudaSuccess) return count;
  static_cast<void>(cudaGetLastError());  // so that the next call does not report this again
  return 0;
}

std::optional<CudaProblem> find_cuda_problem() { return describe_cuda_problem(ask_cuda()); }

std::vector<DeviceInfo> list_cuda_devices() {
  std::vector<DeviceInfo> devices;
  const int count = cuda_device_count();
  for (int ordinal = 0; ordinal < count; ++ordinal) devices.push_back(describe_device(ordinal));
  return devices;
}

void require_cuda_device(int ordinal) {
  const int count = cuda_device_count();
  if (ordinal < count) return;
  const std::string action = "use device cuda:" + std::to_string(ordinal) + ": ";
  if (const auto problem = find_cuda_problem()) throw Unavailable(action + problem->text + ", or use the device cpu");
  throw Unavailable(action + "this machine has " + std::to_string(count) + " CUDA device" + (count == 1 ? "" : "s") +
                    ", numbered from 0; use one of these or the device cpu (`octavo devices` lists them)");
}

std::optional<std::string> cuda_backend_name() { return "cuda (toolkit " + cuda_version_text(CUDART_VERSION) + ")"; }

}  // namespace octavo::backend
