// Failures that tests inject, and the counters of the fake runtime.
#include <vector>

#include "probe.hpp"
#include "probe_kernels.hpp"

using namespace fake_cuda;
using namespace fake_cuda::test;

namespace {

cudaError_t try_allocation(std::size_t bytes = 1) {
  void* memory = nullptr;
  const cudaError_t status = cudaMalloc(&memory, bytes);
  return status != cudaSuccess ? status : cudaFree(memory);
}

}  // namespace

TEST_CASE("only the chosen call fails", "[unit][cuda_runtime][cuda]") {
  fail_call("cudaMalloc", 3, cudaErrorUnknown);
  must(try_allocation());
  must(try_allocation());
  REQUIRE(try_allocation() == cudaErrorUnknown);
  REQUIRE(cudaPeekAtLastError() == cudaErrorUnknown);
  REQUIRE(cudaGetLastError() == cudaErrorUnknown);
  must(cudaGetLastError());
  must(try_allocation());
}

TEST_CASE("a failure that has not happened yet can be cancelled", "[unit][cuda_runtime][cuda]") {
  fail_call("cudaMalloc", 1, cudaErrorUnknown);
  fail_call("cudaMalloc", 2, cudaErrorUnknown);
  fail_kernel(1, cudaErrorUnknown);
  REQUIRE(try_allocation() == cudaErrorUnknown);
  REQUIRE(forget_failures() == 2);
  REQUIRE(forget_failures() == 0);
  must(try_allocation());
}

TEST_CASE("any function can be made to fail", "[unit][cuda_runtime][cuda]") {
  fail_call("*", 2, cudaErrorUnknown);
  int device = 0;
  must(cudaGetDevice(&device));
  REQUIRE(cudaGetDevice(&device) == cudaErrorUnknown);
  must(cudaGetDevice(&device));
}

TEST_CASE("a function that releases a resource releases it even if it fails", "[unit][cuda_runtime][cuda]") {
  const Counts before = counts();
  void *memory = nullptr, *pinned = nullptr;
  cudaStream_t stream = nullptr;
  cudaEvent_t event = nullptr;
  must(cudaMalloc(&memory, 1));
  must(cudaHostAlloc(&pinned, 1, cudaHostAllocDefault));
  must(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  must(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  for (const char* name : {"cudaFree", "cudaFreeHost", "cudaStreamDestroy", "cudaEventDestroy"}) {
    fail_call(name, 1, cudaErrorUnknown);
  }
  REQUIRE(cudaFree(memory) == cudaErrorUnknown);
  REQUIRE(cudaFreeHost(pinned) == cudaErrorUnknown);
  REQUIRE(cudaStreamDestroy(stream) == cudaErrorUnknown);
  REQUIRE(cudaEventDestroy(event) == cudaErrorUnknown);
  REQUIRE(counts() == before);
}

TEST_CASE("a sticky error stays with its device", "[unit][cuda_runtime][cuda]") {
  const TestStream stream;
  void* memory = nullptr;
  must(cudaMalloc(&memory, 1));
  fail_call("cudaStreamSynchronize", 1, cudaErrorIllegalAddress, true);
  REQUIRE(cudaStreamSynchronize(stream) == cudaErrorIllegalAddress);
  REQUIRE(cudaStreamSynchronize(stream) == cudaErrorIllegalAddress);
  REQUIRE(try_allocation() == cudaErrorIllegalAddress);
  REQUIRE(cudaFree(memory) == cudaErrorIllegalAddress);  // freed all the same
  REQUIRE(cudaGetLastError() == cudaErrorIllegalAddress);
  int count = 0;
  must(cudaGetDeviceCount(&count));
  must(cudaSetDevice(1));
  must(try_allocation());
  static_cast<void>(cudaSetDevice(0));
}

TEST_CASE("calls after a failed kernel has run report the failure", "[unit][cuda_runtime][cuda]") {
  for (const Config& config : every_schedule()) {
    reset(config);
    const TestStream stream, other;
    void *memory = nullptr, *more = nullptr;
    must(cudaMalloc(&memory, 1));
    must(cudaMalloc(&more, 1));
    fail_kernel(2, cudaErrorIllegalAddress);
    must(launch_fill(static_cast<unsigned char*>(more), 0, 1, 7, other));
    must(launch_fill(static_cast<unsigned char*>(memory), 0, 1, 7, stream));
    if (config.schedule == Schedule::lazy) must(cudaEventQuery(TestEvent()));
    static_cast<void>(cudaStreamSynchronize(other));
    REQUIRE(cudaStreamSynchronize(stream) == cudaErrorIllegalAddress);
    REQUIRE(cudaMemset(memory, 0, 1) == cudaErrorIllegalAddress);
    // A device that has failed uses no memory anymore, on any stream.
    REQUIRE(cudaFree(memory) == cudaErrorIllegalAddress);
    REQUIRE(cudaFree(more) == cudaErrorIllegalAddress);
  }
}

TEST_CASE("a device has as much memory as configured", "[unit][cuda_runtime][cuda]") {
  Config config;
  config.memory_bytes = std::size_t{16} << 20;
  reset(config);
  std::size_t free_bytes = 0, total_bytes = 0;
  must(cudaMemGetInfo(&free_bytes, &total_bytes));
  REQUIRE(total_bytes == config.memory_bytes);
  REQUIRE(free_bytes == std::size_t{8} << 20);  // the context takes the other half
  REQUIRE(try_allocation(free_bytes + 1) == cudaErrorMemoryAllocation);
  static_cast<void>(cudaGetLastError());
  must(try_allocation(free_bytes));
  {
    const DeviceBytes all(free_bytes);
    REQUIRE(try_allocation(1) == cudaErrorMemoryAllocation);
    must(cudaMemGetInfo(&free_bytes, &total_bytes));
    REQUIRE(free_bytes == 0);
    must(cudaSetDevice(1));
    must(try_allocation(1));
    must(cudaSetDevice(0));
  }
  must(try_allocation(1));
}

TEST_CASE("pinned host memory stays within its limit and its peak is known", "[unit][cuda_runtime][cuda]") {
  Config config;
  config.pinned_bytes = 10000;
  reset(config);
  REQUIRE(peak_pinned_bytes() == 0);
  {
    const PinnedBytes one(5000);
    void* two = nullptr;
    REQUIRE(cudaHostAlloc(&two, 5001, cudaHostAllocDefault) == cudaErrorMemoryAllocation);
    REQUIRE(peak_pinned_bytes() == 5120);  // 10 times 512
    { const PinnedBytes three(1000); }
    REQUIRE(peak_pinned_bytes() == 6144);
  }
  REQUIRE(peak_pinned_bytes() == 6144);
  REQUIRE(counts().pinned_bytes == 0);
}

TEST_CASE("live objects and calls are counted", "[unit][cuda_runtime][cuda]") {
  REQUIRE(describe(counts()).empty());
  {
    const TestStream stream;
    const TestEvent one, two;
    const DeviceBytes memory(600);
    const PinnedBytes pinned(1);
    const Counts now = counts();
    REQUIRE(now.streams == 1);
    REQUIRE(now.events == 2);
    REQUIRE(now.device_allocations == 1);
    REQUIRE(now.device_bytes == 1024);
    REQUIRE(now.pinned_allocations == 1);
    REQUIRE_THAT(describe(now), ContainsSubstring("1 device allocation, 1 pinned allocation, 1 stream, 2 events"));
    REQUIRE_THAT(describe(now), ContainsSubstring("600 bytes allocated by cudaMalloc"));
  }
  REQUIRE(describe(counts()).empty());
  REQUIRE(calls().at("cudaEventCreateWithFlags") == 2);
  REQUIRE(calls().at("cudaMalloc") == 1);
  REQUIRE(calls().count("cudaMemcpy") == 0);
  reset();
  REQUIRE(calls().empty());
}
