// Kernels as the code that nvcc generates. ctest runs these cases with DEVICE_CODE set to the PTX of the probe kernels.
#include "probe.hpp"
#include "probe_kernels.hpp"

using namespace fake_cuda;
using namespace fake_cuda::test;

TEST_CASE("generated code runs when its stream reaches it", "[.generated]") {
  for (const Config& config : every_schedule()) {
    reset(config);
    const TestStream stream;
    const DeviceBytes from(300), to(300);
    must(launch_fill(from.data(), 0, 300, 7, stream));
    must(launch_increment(from.data() + 299, stream));
    must(launch_copy(to.data(), from.data(), 300, stream));
    CHECK(byte_at(to.data()) == 7);
    CHECK(byte_at(to.data() + 299) == 8);
  }
}

TEST_CASE("generated code that leaves its memory by a byte is reported", "[.generated]") {
  const DeviceBytes memory(100);
  const Reports reports;
  must(launch_fill(memory.data(), 0, 101, 7, nullptr));
  CHECK(byte_at(memory.data() + 99) == 7);
  CHECK(reports.are_one("enqueued by cudaLaunchKernelExC"));
  CHECK_THAT(reports.joined(), ContainsSubstring("out of bounds") && ContainsSubstring("fill"));
}

TEST_CASE("generated code that reads memory of the host is reported", "[.generated]") {
  const DeviceBytes memory(100);
  const std::vector<unsigned char> pageable(100);
  const Reports reports;
  must(launch_copy(memory.data(), pageable.data(), 100, nullptr));
  must(cudaDeviceSynchronize());
  CHECK(reports.are_one("out of bounds"));
}

TEST_CASE("generated code that uses memory of a pending copy is reported", "[.generated]") {
  reset(with_schedule(Schedule::lazy));
  const TestStream one, other;
  const DeviceBytes memory(100);
  const PinnedBytes pinned(100);
  const Reports reports;
  must(cudaMemcpyAsync(memory.data(), pinned.data(), 100, cudaMemcpyHostToDevice, one));
  must(launch_fill(memory.data(), 0, 100, 7, other));
  must(cudaDeviceSynchronize());
  CHECK_THAT(reports.joined(), ContainsSubstring("race: a kernel writes what a copy"));
}

TEST_CASE("generated code that uses freed memory is reported", "[.generated]") {
  reset(with_schedule(Schedule::lazy));
  const TestStream stream;
  void* memory = nullptr;
  must(cudaMalloc(&memory, 100));
  const Reports reports;
  must(launch_fill(static_cast<unsigned char*>(memory), 0, 1, 7, stream));
  must(cudaFree(memory));
  must(cudaStreamSynchronize(stream));
  CHECK_THAT(reports.joined(), ContainsSubstring("memory that is freed"));
}
