// How the fake runtime detects unordered work, and when each schedule runs work.
#include <sys/mman.h>

#include <algorithm>
#include <vector>

#include "probe.hpp"
#include "probe_kernels.hpp"

using namespace fake_cuda;
using namespace fake_cuda::test;

TEST_CASE("a race between two streams is reported under every schedule", "[unit][cuda_runtime][cuda]") {
  for (const Config& config : every_schedule()) {
    reset(config);
    const TestStream writer, reader;
    const DeviceBytes memory(100), copy(100);
    const Reports reports;
    must(launch_fill(memory.data(), 0, 100, 7, writer));
    must(launch_copy(copy.data(), memory.data(), 100, reader));
    finish_all();
    REQUIRE(reports.are_one("race: a kernel"));
  }
}

TEST_CASE("two writers race but two readers do not", "[unit][cuda_runtime][cuda]") {
  for (const Config& config : every_schedule()) {
    reset(config);
    const TestStream one, two;
    const DeviceBytes memory(100), copy_one(100), copy_two(100);
    must(cudaMemset(memory.data(), 1, 100));
    must(cudaDeviceSynchronize());
    must(launch_copy(copy_one.data(), memory.data(), 100, one));
    must(launch_copy(copy_two.data(), memory.data(), 100, two));
    must(cudaDeviceSynchronize());
    const Reports reports;
    must(cudaMemsetAsync(memory.data(), 1, 50, one));
    must(cudaMemsetAsync(memory.data() + 50, 1, 50, two));  // different bytes
    finish_all();
    REQUIRE(reports.empty());
    must(cudaMemsetAsync(memory.data() + 49, 1, 2, one));
    finish_all();
    REQUIRE(reports.are_one("race: a fill writes what a fill writes"));
  }
}

TEST_CASE("an event or a host wait orders two streams", "[unit][cuda_runtime][cuda]") {
  for (const Config& config : every_schedule()) {
    for (const bool by_event : {true, false}) {
      reset(config);
      const TestStream writer, reader;
      const TestEvent written;
      const DeviceBytes memory(100), copy(100);
      must(launch_fill(memory.data(), 0, 100, 7, writer));
      must(cudaEventRecord(written, writer));
      must(by_event ? cudaStreamWaitEvent(reader, written, 0) : cudaEventSynchronize(written));
      must(launch_copy(copy.data(), memory.data(), 100, reader));
      REQUIRE(byte_at(copy.data() + 99) == 7);
    }
  }
}

TEST_CASE("a stream waits for the last record of the event before the call", "[unit][cuda_runtime][cuda]") {
  for (const Config& config : every_schedule()) {
    reset(config);
    const TestStream writer, reader;
    const TestEvent written;
    const DeviceBytes first(100), second(100), copy(100);
    must(launch_fill(first.data(), 0, 100, 7, writer));
    must(cudaEventRecord(written, writer));
    must(cudaStreamWaitEvent(reader, written, 0));
    must(launch_fill(second.data(), 0, 100, 8, writer));
    must(cudaEventRecord(written, writer));
    must(launch_copy(copy.data(), first.data(), 100, reader));
    REQUIRE(byte_at(copy.data()) == 7);
  }
  for (const Config& config : every_schedule()) {
    reset(config);
    const TestStream writer, reader;
    const TestEvent written;
    const DeviceBytes memory(100), copy(100);
    const Reports reports;
    must(cudaStreamWaitEvent(reader, written, 0));  // never recorded, so waits for nothing
    must(cudaEventRecord(written, writer));
    must(cudaStreamWaitEvent(reader, written, 0));
    must(launch_fill(memory.data(), 0, 100, 7, writer));
    must(cudaEventRecord(written, writer));
    must(launch_copy(copy.data(), memory.data(), 100, reader));
    finish_all();
    REQUIRE(reports.are_one("race: a kernel"));
  }
}

TEST_CASE("the default stream and blocking streams wait for each other", "[unit][cuda_runtime][cuda]") {
  for (const Config& config : every_schedule()) {
    reset(config);
    const TestStream blocking(cudaStreamDefault);
    const DeviceBytes memory(100), copy(100);
    must(launch_fill(memory.data(), 0, 100, 7, blocking));
    must(launch_copy(copy.data(), memory.data(), 100, nullptr));
    must(launch_fill(copy.data(), 0, 100, 9, blocking));
    REQUIRE(byte_at(copy.data()) == 9);
  }
}

TEST_CASE("a non-blocking stream and the default stream do not wait for each other", "[unit][cuda_runtime][cuda]") {
  for (const Config& config : every_schedule()) {
    for (const bool default_first : {true, false}) {
      reset(config);
      const TestStream other;
      const DeviceBytes memory(100), copy(100);
      const Reports reports;
      must(launch_fill(memory.data(), 0, 100, 7, default_first ? nullptr : static_cast<cudaStream_t>(other)));
      must(launch_copy(copy.data(), memory.data(), 100, default_first ? static_cast<cudaStream_t>(other) : nullptr));
      finish_all();
      REQUIRE(reports.are_one("race: a kernel"));
    }
  }
}

TEST_CASE("two blocking streams do not wait for each other", "[unit][cuda_runtime][cuda]") {
  for (const Config& config : every_schedule()) {
    reset(config);
    const TestStream one(cudaStreamDefault), two(cudaStreamDefault);
    const DeviceBytes memory(100), copy(100);
    const Reports reports;
    must(launch_fill(memory.data(), 0, 100, 7, one));
    must(launch_copy(copy.data(), memory.data(), 100, two));
    finish_all();
    REQUIRE(reports.are_one("race: a kernel"));
  }
}

TEST_CASE("the default streams of two devices do not wait for each other", "[unit][cuda_runtime][cuda]") {
  for (const Config& config : every_schedule()) {
    reset(config);
    const DeviceBytes memory(100), copy(100);
    const Reports reports;
    must(launch_fill(memory.data(), 0, 100, 7, nullptr));
    must(cudaSetDevice(1));
    must(cudaMemcpyAsync(copy.data(), memory.data(), 100, cudaMemcpyDeviceToDevice, nullptr));
    finish_all();
    REQUIRE(reports.are_one("race: a copy"));
    must(cudaDeviceSynchronize());
    must(cudaSetDevice(0));
  }
}

TEST_CASE("changing pinned or pageable memory before it is copied is reported", "[unit][cuda_runtime][cuda]") {
  reset(with_schedule(Schedule::lazy));
  const TestStream stream;
  const DeviceBytes memory(100);
  const PinnedBytes pinned(100);
  std::vector<unsigned char> pageable(100);
  for (unsigned char* source : {pinned.data(), pageable.data()}) {
    std::fill_n(source, 100, static_cast<unsigned char>(3));
    must(cudaMemcpyAsync(memory.data(), source, 100, cudaMemcpyHostToDevice, stream));
    must(cudaStreamSynchronize(stream));
    source[99] = 4;  // the copy is done, so the host may write again
    const Reports reports;
    must(cudaMemcpyAsync(memory.data(), source, 100, cudaMemcpyHostToDevice, stream));
    source[99] = 5;
    must(cudaStreamSynchronize(stream));
    REQUIRE(reports.are_one("host memory has changed, or is gone, before it was copied"));
  }
}

TEST_CASE("host memory that is unmapped before it is copied is reported", "[unit][cuda_runtime][cuda]") {
  reset(with_schedule(Schedule::lazy));
  const TestStream stream;
  const DeviceBytes memory(100);
  void* map = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const Reports reports;
  must(cudaMemcpyAsync(memory.data(), map, 100, cudaMemcpyHostToDevice, stream));
  ::munmap(map, 4096);
  must(cudaStreamSynchronize(stream));
  REQUIRE_THAT(reports.joined(), ContainsSubstring("is gone"));
}

TEST_CASE("data copied to the host is undefined until the host has waited", "[unit][cuda_runtime][cuda]") {
  reset(with_schedule(Schedule::lazy));
  const TestStream stream;
  const DeviceBytes memory(100);
  const PinnedBytes pinned(100);
  std::vector<unsigned char> pageable(100);
  must(cudaMemset(memory.data(), 7, 100));
  must(cudaDeviceSynchronize());
  for (unsigned char* target : {pinned.data(), pageable.data()}) {
    std::fill_n(target, 100, static_cast<unsigned char>(7));  // as if from an earlier copy
    must(cudaMemcpyAsync(target, memory.data(), 100, cudaMemcpyDeviceToHost, stream));
    REQUIRE(std::count(target, target + 100, 7) == 0);
    must(cudaStreamSynchronize(stream));
    REQUIRE(std::count(target, target + 100, 7) == 100);
  }
}

TEST_CASE("the eager schedule runs work immediately and the lazy one only at a wait", "[unit][cuda_runtime][cuda]") {
  for (const Schedule schedule : {Schedule::eager, Schedule::lazy}) {
    reset(with_schedule(schedule));
    const cudaError_t expected = schedule == Schedule::eager ? cudaSuccess : cudaErrorNotReady;
    const TestStream stream, other;
    const TestEvent event, other_event;
    const DeviceBytes memory(100);
    must(launch_fill(memory.data(), 0, 100, 7, stream));
    must(cudaEventRecord(event, stream));
    must(cudaEventRecord(other_event, other));
    must(cudaStreamSynchronize(other));  // does not affect the first stream
    REQUIRE(cudaStreamQuery(stream) == expected);
    REQUIRE(cudaEventQuery(event) == expected);
    must(cudaEventSynchronize(event));
    must(cudaStreamQuery(stream));
    must(cudaEventQuery(event));
  }
}

TEST_CASE("\"not ready\" is not a lasting error", "[unit][cuda_runtime][cuda]") {
  reset(with_schedule(Schedule::lazy));
  const TestStream stream;
  const DeviceBytes memory(100);
  must(launch_fill(memory.data(), 0, 100, 7, stream));
  REQUIRE(cudaStreamQuery(stream) == cudaErrorNotReady);
  must(cudaStreamSynchronize(stream));
}

namespace {

/// The stream states that a program sees while kernels run on three streams.
std::vector<cudaError_t> history(std::uint64_t seed) {
  reset(with_schedule(Schedule::random, seed));
  const TestStream streams[3];
  const DeviceBytes memory[3]{DeviceBytes(1), DeviceBytes(1), DeviceBytes(1)};
  std::vector<cudaError_t> seen;
  for (int i = 0; i < 60; ++i) {
    must(launch_fill(memory[i % 3].data(), 0, 1, 7, streams[i % 3]));
    for (const TestStream& stream : streams) seen.push_back(cudaStreamQuery(stream));
  }
  return seen;
}

}  // namespace

TEST_CASE("the random schedule depends on the seed alone", "[unit][cuda_runtime][cuda]") {
  const std::vector<cudaError_t> one = history(1);
  REQUIRE(history(1) == one);
  REQUIRE(history(2) != one);
  REQUIRE(std::count(one.begin(), one.end(), cudaSuccess) > 0);
  REQUIRE(std::count(one.begin(), one.end(), cudaErrorNotReady) > 0);
}

TEST_CASE("a destroyed stream finishes its work", "[unit][cuda_runtime][cuda]") {
  for (const Config& config : every_schedule()) {
    reset(config);
    const DeviceBytes memory(100);
    cudaStream_t stream = nullptr;
    must(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    must(launch_fill(memory.data(), 0, 100, 7, stream));
    must(cudaStreamDestroy(stream));
    REQUIRE(byte_at(memory.data()) == 7);
  }
}

TEST_CASE("using a destroyed stream or event is reported", "[unit][cuda_runtime][cuda]") {
  cudaStream_t stream = nullptr;
  must(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  must(cudaStreamDestroy(stream));
  cudaEvent_t event = nullptr;
  must(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  must(cudaEventDestroy(event));
  {
    const Reports reports;
    REQUIRE(cudaStreamSynchronize(stream) == cudaErrorInvalidResourceHandle);
    REQUIRE(reports.are_one("a stream is used after it was destroyed"));
  }
  {
    const Reports reports;
    REQUIRE(cudaEventRecord(event, nullptr) == cudaErrorInvalidResourceHandle);
    REQUIRE(reports.are_one("an event is used after it was destroyed"));
  }
}
