// Which calls create a context, and on which device; devices that cannot have one; processes after fork().
#include <cuda.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <vector>

#include "probe.hpp"

using namespace fake_cuda;
using namespace fake_cuda::test;

namespace {

/// The devices that have a context.
std::vector<int> devices_with_context() {
  std::vector<int> devices;
  for (const Context& context : contexts()) devices.push_back(context.device);
  return devices;
}
const std::vector<int> kNone, kFirst{0}, kSecond{1};

/// Looks up a function of the driver.
template <typename Function>
Function* driver_function(const char* name) {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult status = cudaDriverEntryPointSymbolNotFound;
#if CUDART_VERSION >= 12050
  must(cudaGetDriverEntryPointByVersion(name, &function, 12000, cudaEnableDefault, &status));
#else
  must(cudaGetDriverEntryPoint(name, &function, cudaEnableDefault, &status));
#endif
  REQUIRE(status == cudaDriverEntryPointSuccess);
  return reinterpret_cast<Function*>(function);
}

CUcontext retained(int device) {
  CUcontext context = nullptr;
  REQUIRE(driver_function<CUresult(CUcontext*, CUdevice)>("cuDevicePrimaryCtxRetain")(&context, device) ==
          CUDA_SUCCESS);
  return context;
}
void push(CUcontext context) {
  REQUIRE(driver_function<CUresult(CUcontext)>("cuCtxPushCurrent")(context) == CUDA_SUCCESS);
}
CUcontext current() {
  CUcontext context = nullptr;
  REQUIRE(driver_function<CUresult(CUcontext*)>("cuCtxGetCurrent")(&context) == CUDA_SUCCESS);
  return context;
}
CUcontext popped() {
  CUcontext context = nullptr;
  REQUIRE(driver_function<CUresult(CUcontext*)>("cuCtxPopCurrent")(&context) == CUDA_SUCCESS);
  return context;
}

}  // namespace

TEST_CASE("querying devices creates no context", "[unit][cuda_runtime][cuda]") {
  int number = 0, is_active = 1;
  unsigned flags = 0;
  cudaDeviceProp properties{};
  must(cudaGetDeviceCount(&number));
  REQUIRE(number == 2);
  must(cudaGetDevice(&number));
  REQUIRE(number == 0);
  must(cudaDeviceGetAttribute(&number, cudaDevAttrComputeCapabilityMajor, 1));
  must(cudaGetDeviceProperties(&properties, 1));
  must(cudaDriverGetVersion(&number));
  REQUIRE(number == CUDART_VERSION);
  must(cudaRuntimeGetVersion(&number));
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  must(cudaThreadExchangeStreamCaptureMode(&mode));
  must(cudaThreadExchangeStreamCaptureMode(&mode));
  REQUIRE(driver_function<CUresult(CUdevice, unsigned*, int*)>("cuDevicePrimaryCtxGetState")(1, &flags, &is_active) ==
          CUDA_SUCCESS);
  REQUIRE(is_active == 0);
  REQUIRE(devices_with_context() == kNone);
}

TEST_CASE("a call that uses a device creates the context of the current device", "[unit][cuda_runtime][cuda]") {
  std::size_t free_bytes = 0, total_bytes = 0;
  const std::vector<std::function<cudaError_t()>> calls = {
      [] { return cudaFree(nullptr); },
      [&] { return cudaMemGetInfo(&free_bytes, &total_bytes); },
      [] { return cudaDeviceSynchronize(); },
      [] { return cudaStreamSynchronize(nullptr); },
      [] { return cudaMemsetAsync(nullptr, 0, 0, nullptr); },
      [] {
        cudaEvent_t event = nullptr;
        must(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
        return cudaEventDestroy(event);
      },
      [] {
        cudaStream_t stream = nullptr;
        must(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
        return cudaStreamDestroy(stream);
      },
      [] {
        void* memory = nullptr;
        must(cudaHostAlloc(&memory, 1, cudaHostAllocDefault));
        return cudaFreeHost(memory);
      },
  };
  for (const auto& call : calls) {
    reset();
    must(call());
    REQUIRE(devices_with_context() == kFirst);
    must(call());
    REQUIRE(devices_with_context() == kFirst);
  }
}

TEST_CASE("selecting a device creates its context", "[unit][cuda_runtime][cuda]") {
  must(cudaSetDevice(1));
  REQUIRE(devices_with_context() == kSecond);
  REQUIRE(contexts().at(0).call == "cudaSetDevice");
  must(cudaFree(nullptr));
  REQUIRE(devices_with_context() == kSecond);
  REQUIRE(cudaSetDevice(2) == cudaErrorInvalidDevice);
  REQUIRE(cudaSetDevice(-1) == cudaErrorInvalidDevice);
  must(cudaSetDevice(0));
}

TEST_CASE("a new thread uses device 0", "[unit][cuda_runtime][cuda]") {
  must(cudaSetDevice(1));
  const int device = on_another_thread([] {
    int current_device = -1;
    static_cast<void>(cudaFree(nullptr));
    static_cast<void>(cudaGetDevice(&current_device));
    return current_device;
  });
  REQUIRE(device == 0);
  REQUIRE(devices_with_context() == std::vector<int>{1, 0});
  must(cudaSetDevice(0));
}

TEST_CASE("pushing and popping a context restores the previous one even if there was none",
          "[unit][cuda_runtime][cuda]") {
  const CUcontext context = retained(1);
  REQUIRE(on_another_thread(current) == nullptr);
  push(context);
  int device = -1;
  must(cudaGetDevice(&device));
  REQUIRE(device == 1);
  REQUIRE(current() == context);
  must(cudaFree(nullptr));
  REQUIRE(popped() == context);
  must(cudaGetDevice(&device));
  REQUIRE(device == 0);
  REQUIRE(devices_with_context() == kSecond);
}

TEST_CASE("a thread without CUDA calls has no context even if its device has one", "[unit][cuda_runtime][cuda]") {
  const CUcontext context = retained(0);
  REQUIRE(on_another_thread(current) == nullptr);
  const bool is_bound = on_another_thread([&] {
    static_cast<void>(cudaFree(nullptr));
    return current() == context;
  });
  REQUIRE(is_bound);
}

TEST_CASE("a device in use by another process reports its properties but gets no context",
          "[unit][cuda_runtime][cuda]") {
  Config config;
  config.faults[0] = DeviceFault::busy;
  reset(config);
  cudaDeviceProp properties{};
  must(cudaGetDeviceProperties(&properties, 0));
  void* memory = nullptr;
  REQUIRE(cudaMalloc(&memory, 1) == cudaErrorDevicesUnavailable);
  REQUIRE(cudaSetDevice(0) == cudaErrorDevicesUnavailable);
  must(cudaSetDevice(1));
  must(cudaMalloc(&memory, 1));
  must(cudaFree(memory));
  REQUIRE(devices_with_context() == kSecond);
  static_cast<void>(cudaSetDevice(0));
}

TEST_CASE("a broken device reports no properties but the next one does", "[unit][cuda_runtime][cuda]") {
  Config config;
  config.faults[0] = DeviceFault::broken;
  reset(config);
  int count = 0;
  must(cudaGetDeviceCount(&count));
  REQUIRE(count == 2);
  cudaDeviceProp properties{};
  REQUIRE(cudaGetDeviceProperties(&properties, 0) == cudaErrorUnknown);
  REQUIRE(cudaSetDevice(0) == cudaErrorUnknown);
  must(cudaGetDeviceProperties(&properties, 1));
  must(cudaSetDevice(1));
  static_cast<void>(cudaSetDevice(0));
}

TEST_CASE("a driver that is too old reports its version and nothing else", "[unit][cuda_runtime][cuda]") {
  Config config;
  config.driver_version = CUDART_VERSION / 1000 * 1000 - 1000;
  reset(config);
  int number = -1;
  REQUIRE(cudaGetDeviceCount(&number) == cudaErrorInsufficientDriver);
  void* memory = nullptr;
  REQUIRE(cudaMalloc(&memory, 1) == cudaErrorInsufficientDriver);
  must(cudaDriverGetVersion(&number));
  REQUIRE(number == config.driver_version);
}

TEST_CASE("any driver of the same major version works", "[unit][cuda_runtime][cuda]") {
  Config config;
  config.driver_version = CUDART_VERSION / 1000 * 1000;
  reset(config);
  must(cudaFree(nullptr));
}

TEST_CASE("without a device every call reports that there is none", "[unit][cuda_runtime][cuda]") {
  Config config;
  config.device_count = 0;
  reset(config);
  int count = -1;
  REQUIRE(cudaGetDeviceCount(&count) == cudaErrorNoDevice);
  REQUIRE(cudaFree(nullptr) == cudaErrorNoDevice);
}

TEST_CASE("a child of fork() gets errors from CUDA and does not hang", "[unit][cuda_runtime][cuda]") {
  const DeviceBytes memory(1);
  const TestStream stream;
  const pid_t child = ::fork();
  if (child == 0) {
    int count = 0;
    void* more = nullptr;
    const bool refuses = cudaGetDeviceCount(&count) == cudaErrorInitializationError &&
                         cudaMalloc(&more, 1) == cudaErrorInitializationError &&
                         cudaStreamSynchronize(stream) == cudaErrorInitializationError &&
                         cudaFree(memory.data()) == cudaErrorInitializationError &&
                         cudaStreamDestroy(stream) == cudaErrorInitializationError;
    ::_exit(refuses ? 0 : 1);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  REQUIRE(WEXITSTATUS(status) == 0);
  must(cudaDeviceSynchronize());  // the parent still works
}

TEST_CASE("an option string is parsed and an unknown option is rejected", "[unit][cuda_runtime][cuda]") {
  const Config config = parse_config("schedule=random,seed=3,devices=1,memory=64MiB,pinned=2GiB,driver=12020,busy=0");
  REQUIRE(config.schedule == Schedule::random);
  REQUIRE(config.seed == 3);
  REQUIRE(config.device_count == 1);
  REQUIRE(config.memory_bytes == std::size_t{64} << 20);
  REQUIRE(config.pinned_bytes == std::size_t{2} << 30);
  REQUIRE(config.driver_version == 12020);
  REQUIRE(config.faults.at(0) == DeviceFault::busy);
  for (const char* text : {"schedule=slow", "sched", "seed=x", "memory=64KB", "what=1"}) {
    REQUIRE_THROWS_AS(parse_config(text), std::invalid_argument);
  }
}
