// The state of the fake runtime: devices with their contexts, streams with their queues, events. One lock guards all of
// it; operations run under it, on the thread whose call makes them run.
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "clock.hpp"
#include "fake_cuda.hpp"
#include "memory.hpp"
#include "site.hpp"

namespace fake_cuda {

struct Capture;

/// A point in a stream, reached when the stream has done its operations up to that number.
struct Point {
  std::size_t stream = 0;
  std::uint64_t number = 0;
};

/// Work in a queue.
struct Queued {
  Operation info;
  std::vector<Point> after;  ///< points in other streams to wait for
  std::function<void()> work;
};

}  // namespace fake_cuda

/// What a cudaStream_t points to. Kept after it is destroyed, so that later uses are detected.
struct CUstream_st {
  std::size_t id;        ///< its index in clocks
  std::uint64_t number;  ///< unique among all streams, including destroyed ones
  int device;
  bool is_blocking;  ///< ordered with the legacy default stream of its device
  bool is_destroyed = false;
  int priority = 0;
  std::deque<fake_cuda::Queued> queue;
  std::uint64_t last_number = 0, done_number = 0;
  fake_cuda::VectorClock clock;  ///< the operations before its next one
  std::shared_ptr<fake_cuda::Capture> capture;
  std::vector<std::size_t> capture_ends;  ///< nodes that the next captured node depends on
};

/// What a cudaEvent_t points to.
struct CUevent_st {
  int device;
  bool is_destroyed = false;
  bool has_timing = false;
  bool is_recorded = false;
  fake_cuda::Point point;
  fake_cuda::VectorClock clock;
  std::shared_ptr<fake_cuda::Capture> capture;  ///< set if its last record was in a capture
  std::vector<std::size_t> capture_ends;
};

/// What a CUcontext points to: the primary context of a device.
struct CUctx_st {
  int device;
};

namespace fake_cuda {

struct DeviceState {
  bool has_context = false;
  CUctx_st primary{};
  cudaError_t sticky = cudaSuccess;
  CUstream_st* legacy = nullptr;
  std::set<std::pair<const void*, int>> loaded_kernels;
};

/// State of the calling thread.
struct ThreadState {
  int device = 0;
  bool is_bound = false;          ///< the runtime has made the context of `device` the thread's current one
  std::vector<CUctx_st*> pushed;  ///< contexts pushed through the driver API
  cudaError_t last_error = cudaSuccess;
  cudaStreamCaptureMode capture_mode = cudaStreamCaptureModeGlobal;
};
ThreadState& this_thread();

class Runtime {
 public:
  static Runtime& get();
  static std::unique_lock<std::recursive_mutex> lock();

  // Devices.
  int current_device() const;
  /// Creates the context of a device if it has none.
  cudaError_t use_context(int device, const char* call);
  DeviceState& device(int ordinal) { return devices_[ordinal]; }
  std::size_t free_bytes(int device) const;

  // Streams and events.
  CUstream_st* new_stream(int device, bool is_blocking, int priority);
  /// The stream of a handle; for null, the legacy stream of the current device. Reports a violation and returns null if
  /// the handle is destroyed or invalid.
  CUstream_st* stream(cudaStream_t handle, const char* call);
  CUevent_st* event(cudaEvent_t handle, const char* call);
  std::vector<CUstream_st*> streams_in(const Capture& capture) const;

  // Work.
  /// Enqueues work on a stream, or adds it to the graph if the stream is capturing.
  void enqueue(CUstream_st& stream, std::string what, const char* call, bool is_kernel, std::function<void()> work,
               std::vector<Point> after = {});
  /// The point after all work enqueued on `stream` so far.
  Point end_of(const CUstream_st& stream) const { return {stream.id, stream.last_number}; }
  bool is_done(Point point) const { return streams_[point.stream]->done_number >= point.number; }
  /// Runs work until `point` is reached, and orders the host after it.
  void wait_for(Point point);
  void host_learns(const VectorClock& clock) { host_.join(clock); }
  const VectorClock& host() const { return host_; }
  /// Runs some of the runnable work, as the schedule chooses.
  void make_progress();
  void run_all();
  /// Runs all work and orders the host after it.
  void finish_all();
  void finish_device(int device);

  // Failures.
  /// Makes the device fail permanently: each later call returns `error`. It uses no memory anymore.
  void break_device(int device, cudaError_t error);
  /// The error to inject into this call, if any.
  std::optional<cudaError_t> injected(const char* call);

  // Captures.
  std::vector<std::shared_ptr<Capture>> captures;

  Config config;
  Config first_config;
  pid_t process = 0;
  std::map<std::string, std::int64_t> call_counts;
  std::vector<Context> contexts;
  std::size_t peak_pinned_bytes = 0;
  std::int64_t stream_count = 0, event_count = 0, graph_count = 0, cublas_count = 0;
  struct Failure {
    std::string name;
    int calls_left;
    cudaError_t error;
    bool is_sticky;
  };
  std::vector<Failure> failures;
  std::optional<std::pair<int, cudaError_t>> kernel_failure;
  void restart(const Config& next);
  void log(const std::string& line) const;

 private:
  Runtime();
  bool can_run(const CUstream_st& stream) const;
  void run_next(CUstream_st& stream);
  void require(Point point);
  void run_any_until(Point point);

  void forget_history();
  std::vector<CUstream_st*> runnable() const;

  std::recursive_mutex mutex_;
  std::map<int, DeviceState> devices_;
  std::vector<std::unique_ptr<CUstream_st>> streams_;  ///< by id
  std::uint64_t last_stream_number_ = 0;
  std::set<std::size_t> busy_;          ///< streams with work
  std::vector<CUstream_st*> blocking_;  ///< blocking streams and the legacy streams
  std::map<cudaStream_t, std::size_t> stream_ids_;
  VectorClock host_;
  std::mt19937_64 random_;
  std::string log_path_;

 public:
  std::map<cudaEvent_t, std::unique_ptr<CUevent_st>> events;
};

/// Properties of a CUDA function that every call needs.
enum CallTraits : unsigned {
  kPlain = 0,
  kUsesContext = 1,      ///< creates the context of the current device
  kUnsafeInCapture = 2,  ///< a potentially unsafe API call, in the terms of CUDA's stream capture documentation
  kReleases = 4,         ///< does its work even if it returns an error
};

/// One call of a CUDA function. Takes the lock, runs some work, and determines whether the call fails immediately.
class Call {
 public:
  Call(const char* name, unsigned traits);
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  /// Whether the function must return result() without doing anything.
  bool fails() const { return error_ != cudaSuccess && (traits_ & kReleases) == 0; }
  /// Whether even a function that releases resources can do nothing: in a child of fork(), or without a driver.
  bool is_impossible() const { return is_impossible_; }
  /// The status of the call; an earlier error wins.
  cudaError_t result(cudaError_t error = cudaSuccess);
  const char* name() const { return name_; }

 private:
  const char* name_;
  unsigned traits_;
  cudaError_t error_ = cudaSuccess;
  bool is_impossible_ = false;
  bool was_in_runtime_ = false;
  std::unique_lock<std::recursive_mutex> lock_;
};

}  // namespace fake_cuda
