// Which devices the library uses, and that it preserves the caller's current device.
#include <cuda.h>
#include <cuda_runtime_api.h>

#include <optional>
#include <set>
#include <thread>

#include <octavo/store.hpp>

#include "catch.hpp"
#include "cuda_scenarios.hpp"
#include "fake_cuda.hpp"
#include "small_store.hpp"

using namespace octavo;
using namespace octavo::test;

namespace {

std::set<int> devices_with_context() {
  std::set<int> devices;
  for (const fake_cuda::Context& context : fake_cuda::contexts()) devices.insert(context.device);
  return devices;
}

/// The context of the calling thread, or null.
CUcontext current_context() {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult status{};
#if CUDART_VERSION >= 12050
  static_cast<void>(cudaGetDriverEntryPointByVersion("cuCtxGetCurrent", &function, 12000, cudaEnableDefault, &status));
#else
  static_cast<void>(cudaGetDriverEntryPoint("cuCtxGetCurrent", &function, cudaEnableDefault, &status));
#endif
  CUcontext context = nullptr;
  reinterpret_cast<CUresult (*)(CUcontext*)>(function)(&context);
  return context;
}

int current_device() {
  int device = -1;
  static_cast<void>(cudaGetDevice(&device));
  return device;
}

/// Scenarios that can run on any device.
std::vector<Scenario> placeable_scenarios() {
  std::vector<Scenario> found;
  for (const Scenario& scenario : scenarios()) {
    if (scenario.name.find("captured") == std::string::npos) found.push_back(scenario);
  }
  return found;
}

}  // namespace

TEST_CASE("work on one device creates only its context and leaves the thread without one", "[unit][cuda]") {
  for (const Scenario& scenario : placeable_scenarios()) {
    fake_cuda::reset();
    CUcontext left = nullptr;
    std::thread([&] {
      scenario.run(Device::cuda(1));
      left = current_context();
    }).join();
    INFO(scenario.name);
    CHECK(left == nullptr);
    CHECK(devices_with_context() == std::set<int>{1});
  }
}

TEST_CASE("the caller's current device stays selected", "[unit][cuda]") {
  for (const Scenario& scenario : placeable_scenarios()) {
    fake_cuda::reset();
    int left = -1;
    std::thread([&] {
      static_cast<void>(cudaSetDevice(1));
      scenario.run(Device::cuda(0));
      left = current_device();
    }).join();
    INFO(scenario.name);
    CHECK(left == 1);
  }
}

TEST_CASE("CPU work and listing devices create no context", "[unit][cuda]") {
  for (const Scenario& scenario : scenarios()) scenario.run(Device::cpu());
  static_cast<void>(list_devices());
  static_cast<void>(Device::best());
  static_cast<void>(cuda_problem());
  CHECK(devices_with_context().empty());
}

TEST_CASE("destroying a store on another thread needs no other context", "[unit][cuda]") {
  const PackedFixture fixture = small_fixture();
  for (const Residency residency : kServedResidencies) {
    fake_cuda::reset();
    std::optional<Store> store = small_store(fixture, residency, Device::cuda(1));
    std::thread([&] { store.reset(); }).join();
    CHECK(devices_with_context() == std::set<int>{1});
  }
}
