// How the fake runtime detects wrong uses of memory.
#include <algorithm>
#include <vector>

#include "probe.hpp"
#include "probe_kernels.hpp"

using namespace fake_cuda;
using namespace fake_cuda::test;

namespace {

[[gnu::noinline]] void host_writes(unsigned char* place) { *static_cast<volatile unsigned char*>(place) = 1; }

}  // namespace

TEST_CASE("the host must not touch device memory", "[unit][cuda_runtime][cuda]") {
  const DeviceBytes memory(100);
  const Reports reports;
  host_writes(memory.data());
  REQUIRE(reports.are_one("the host touches memory of a device: 100 bytes allocated by cudaMalloc"));
}

TEST_CASE("the host must not touch freed memory", "[unit][cuda_runtime][cuda]") {
  for (const bool is_pinned : {false, true}) {
    void* memory = nullptr;
    must(is_pinned ? cudaHostAlloc(&memory, 100, cudaHostAllocDefault) : cudaMalloc(&memory, 100));
    must(is_pinned ? cudaFreeHost(memory) : cudaFree(memory));
    const Reports reports;
    host_writes(static_cast<unsigned char*>(memory));
    REQUIRE(reports.are_one("the host touches memory that is freed"));
  }
}

TEST_CASE("a report names source lines of the program", "[unit][cuda_runtime][cuda]") {
  const DeviceBytes memory(100);
  const Reports reports;
  host_writes(memory.data());
  REQUIRE_THAT(reports.joined(), ContainsSubstring("host_writes"));
}

TEST_CASE("freeing memory that a pending kernel uses is reported", "[unit][cuda_runtime][cuda]") {
  for (const Config& config : every_schedule()) {
    reset(config);
    const TestStream stream;
    void* memory = nullptr;
    must(cudaMalloc(&memory, 100));
    const Reports reports;
    must(launch_fill(static_cast<unsigned char*>(memory), 0, 1, 7, stream));
    must(cudaFree(memory));
    must(cudaStreamSynchronize(stream));
    // Either before it ran, or after it ran but before the host could know.
    REQUIRE_THAT(reports.joined(),
                 ContainsSubstring("memory that is freed") || ContainsSubstring("memory is freed while"));
  }
}

TEST_CASE("freeing memory that a pending copy uses is reported", "[unit][cuda_runtime][cuda]") {
  for (const Config& config : every_schedule()) {
    for (const bool frees_pinned : {false, true}) {
      reset(config);
      const TestStream stream;
      void *memory = nullptr, *pinned = nullptr;
      must(cudaMalloc(&memory, 100));
      must(cudaHostAlloc(&pinned, 100, cudaHostAllocDefault));
      {
        const Reports reports;
        must(cudaMemcpyAsync(memory, pinned, 100, cudaMemcpyHostToDevice, stream));
        must(frees_pinned ? cudaFreeHost(pinned) : cudaFree(memory));
        must(cudaStreamSynchronize(stream));
        REQUIRE(!reports.empty());
      }
      must(frees_pinned ? cudaFree(memory) : cudaFreeHost(pinned));
    }
  }
}

TEST_CASE("memory can be freed after any wait for the work that uses it", "[unit][cuda_runtime][cuda]") {
  for (const Config& config : every_schedule()) {
    reset(config);
    const TestStream stream;
    const TestEvent event;
    for (int way = 0; way < 4; ++way) {
      void* memory = nullptr;
      must(cudaMalloc(&memory, 100));
      must(launch_fill(static_cast<unsigned char*>(memory), 0, 100, 7, stream));
      must(cudaEventRecord(event, stream));
      if (way == 0) must(cudaStreamSynchronize(stream));
      if (way == 1) must(cudaEventSynchronize(event));
      if (way == 2) must(cudaDeviceSynchronize());
      if (way == 3) {
        finish_all();
        must(cudaEventQuery(event));
      }
      must(cudaFree(memory));
    }
  }
}

TEST_CASE("freeing memory after unsynchronized work is reported even if the work has run",
          "[unit][cuda_runtime][cuda]") {
  const TestStream stream;
  void* memory = nullptr;
  must(cudaMalloc(&memory, 100));
  must(launch_fill(static_cast<unsigned char*>(memory), 0, 100, 7, stream));
  finish_all();
  const Reports reports;
  must(cudaFree(memory));
  REQUIRE(reports.are_one("memory is freed while work may still use it: 100 bytes"));
}

TEST_CASE("freeing memory twice or freeing what was never allocated is reported", "[unit][cuda_runtime][cuda]") {
  void* memory = nullptr;
  must(cudaMalloc(&memory, 100));
  {
    const Reports reports;
    REQUIRE(cudaFree(static_cast<unsigned char*>(memory) + 1) == cudaErrorInvalidValue);
    REQUIRE(reports.are_one("not allocated, or freed twice"));
  }
  {
    const Reports reports;
    REQUIRE(cudaFreeHost(memory) == cudaErrorInvalidValue);
    REQUIRE(reports.are_one("not allocated, or freed twice"));
  }
  must(cudaFree(memory));
  {
    const Reports reports;
    REQUIRE(cudaFree(memory) == cudaErrorInvalidValue);
    REQUIRE(reports.are_one("not allocated, or freed twice"));
  }
  must(cudaFree(nullptr));
  must(cudaFreeHost(nullptr));
}

TEST_CASE("a kernel that writes outside its memory is reported", "[unit][cuda_runtime][cuda]") {
  // 100 bytes end 156 bytes before the end of their page. A write there is found at cudaFree, one farther out
  // immediately.
  for (const std::ptrdiff_t place : {-4096, -1, 100, 255, 256, 4000}) {
    void* memory = nullptr;
    must(cudaMalloc(&memory, 100));
    const Reports reports;
    must(launch_fill(static_cast<unsigned char*>(memory), place, place + 1, 7, nullptr));
    must(cudaDeviceSynchronize());
    must(cudaFree(memory));
    INFO(place << ": " << reports.joined());
    const bool is_near = place == -1 || place == 100 || place == 255;
    REQUIRE(
        reports.are_one(is_near ? "something was written just outside of 100 bytes" : "a kernel leaves its memory"));
  }
}

TEST_CASE("a copy or fill outside its memory is reported", "[unit][cuda_runtime][cuda]") {
  const DeviceBytes memory(100);
  const PinnedBytes pinned(100);
  const std::vector<unsigned char> host(101);
  const TestStream stream;
  const auto reported = [&](cudaError_t status) {
    must(status);
    must(cudaStreamSynchronize(stream));
  };
  {
    const Reports reports;
    reported(cudaMemcpyAsync(memory.data(), host.data(), 101, cudaMemcpyHostToDevice, stream));
    REQUIRE(reports.are_one("a copy to the device leaves its memory: bytes 0 to 101 of 100 bytes"));
  }
  {
    const Reports reports;
    reported(cudaMemcpyAsync(memory.data() + 1, pinned.data(), 100, cudaMemcpyHostToDevice, stream));
    REQUIRE(reports.are_one("leaves its memory: bytes 1 to 101"));
  }
  {
    const Reports reports;
    reported(cudaMemcpyAsync(memory.data(), pinned.data() + 50, 51, cudaMemcpyHostToDevice, stream));
    REQUIRE(reports.are_one("leaves its memory: bytes 50 to 101"));
  }
  {
    const Reports reports;
    reported(cudaMemsetAsync(memory.data() + 99, 0, 2, stream));
    REQUIRE(reports.are_one("a fill leaves its memory: bytes 99 to 101"));
  }
}

TEST_CASE("fresh memory is poisoned and freed addresses are never reused", "[unit][cuda_runtime][cuda]") {
  std::vector<void*> places;
  for (int i = 0; i < 3; ++i) {
    void* memory = nullptr;
    must(cudaMalloc(&memory, 5000));
    std::vector<unsigned char> host(5000);
    must(cudaMemcpy(host.data(), memory, 5000, cudaMemcpyDeviceToHost));
    REQUIRE(std::count(host.begin(), host.end(), 0xAB) == 5000);
    must(cudaMemset(memory, 1, 5000));
    must(cudaDeviceSynchronize());
    must(cudaFree(memory));
    REQUIRE(std::find(places.begin(), places.end(), memory) == places.end());
    places.push_back(memory);
  }
}

TEST_CASE("allocations are aligned as on a device", "[unit][cuda_runtime][cuda]") {
  for (const std::size_t bytes : {1, 255, 256, 257, 4096, 4097, 100000}) {
    const DeviceBytes memory(bytes);
    REQUIRE(reinterpret_cast<std::uintptr_t>(memory.data()) % 256 == 0);
  }
}

TEST_CASE("a kernel that uses memory of another device is reported and a copy is not", "[unit][cuda_runtime][cuda]") {
  const DeviceBytes there(100);
  must(cudaSetDevice(1));
  {
    const DeviceBytes here(100);
    must(cudaMemcpy(here.data(), there.data(), 100, cudaMemcpyDeviceToDevice));
    must(cudaDeviceSynchronize());
    const Reports reports;
    must(launch_fill(there.data(), 0, 1, 7, nullptr));
    must(cudaDeviceSynchronize());
    REQUIRE(reports.are_one("a kernel on device 1 uses memory of device 0"));
  }
  must(cudaSetDevice(0));
}
