// Helpers for the tests of the fake runtime: collected reports, schedules, and memory that frees itself.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "fake_cuda.hpp"

namespace fake_cuda::test {

/// While alive, collects violations instead of aborting.
class Reports {
 public:
  Reports() : before_(on_violation([this](const std::string& report) { all_.push_back(report); })) {}
  ~Reports() { on_violation(std::move(before_)); }
  Reports(const Reports&) = delete;

  bool empty() const { return all_.empty(); }
  /// Whether there is exactly one report and it contains `text`.
  bool are_one(const std::string& text) const { return all_.size() == 1 && all_[0].find(text) != std::string::npos; }
  std::string joined() const {
    std::string text;
    for (const std::string& report : all_) text += report + "\n";
    return text;
  }

 private:
  std::vector<std::string> all_;
  ViolationHandler before_;
};

inline void must(cudaError_t status) {
  INFO("returned " << cudaGetErrorName(status));
  REQUIRE(status == cudaSuccess);
}

inline Config with_schedule(Schedule schedule, std::uint64_t seed = 1) {
  Config config;
  config.schedule = schedule;
  config.seed = seed;
  return config;
}
inline std::vector<Config> every_schedule() {
  return {with_schedule(Schedule::eager), with_schedule(Schedule::lazy), with_schedule(Schedule::random, 1),
          with_schedule(Schedule::random, 2), with_schedule(Schedule::random, 3)};
}

/// Runs `work` on a new thread and returns its result.
template <typename Work>
auto on_another_thread(const Work& work) {
  decltype(work()) result{};
  std::thread([&] { result = work(); }).join();
  return result;
}

/// Device memory. The destructor finishes all work before it frees the memory.
class DeviceBytes {
 public:
  explicit DeviceBytes(std::size_t bytes) { must(cudaMalloc(&memory_, bytes)); }
  ~DeviceBytes() {
    finish_all();
    static_cast<void>(cudaDeviceSynchronize());
    static_cast<void>(cudaFree(memory_));
  }
  DeviceBytes(const DeviceBytes&) = delete;
  unsigned char* data() const { return static_cast<unsigned char*>(memory_); }

 private:
  void* memory_ = nullptr;
};

class PinnedBytes {
 public:
  explicit PinnedBytes(std::size_t bytes) { must(cudaHostAlloc(&memory_, bytes, cudaHostAllocDefault)); }
  ~PinnedBytes() {
    finish_all();
    static_cast<void>(cudaDeviceSynchronize());
    static_cast<void>(cudaFreeHost(memory_));
  }
  PinnedBytes(const PinnedBytes&) = delete;
  unsigned char* data() const { return static_cast<unsigned char*>(memory_); }

 private:
  void* memory_ = nullptr;
};

class TestStream {
 public:
  explicit TestStream(unsigned flags = cudaStreamNonBlocking) { must(cudaStreamCreateWithFlags(&stream_, flags)); }
  ~TestStream() { static_cast<void>(cudaStreamDestroy(stream_)); }
  TestStream(const TestStream&) = delete;
  operator cudaStream_t() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

class TestEvent {
 public:
  TestEvent() { must(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming)); }
  ~TestEvent() { static_cast<void>(cudaEventDestroy(event_)); }
  TestEvent(const TestEvent&) = delete;
  operator cudaEvent_t() const { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

/// Reads a byte of device memory after all work of the device is done.
inline int byte_at(const unsigned char* place) {
  must(cudaDeviceSynchronize());
  unsigned char byte = 0;
  must(cudaMemcpy(&byte, place, 1, cudaMemcpyDeviceToHost));
  return byte;
}

}  // namespace fake_cuda::test
