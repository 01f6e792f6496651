// A CUDA runtime for tests. It needs no GPU, guarantees only what NVIDIA documents, and reports every use that relies
// on more. Tests use this header to configure it and to query what happened.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace fake_cuda {

/// When work that was enqueued on a stream runs. A real device may behave in any of these three ways.
enum class Schedule {
  eager,   ///< as soon as it is enqueued
  lazy,    ///< only when the host waits for it
  random,  ///< any runnable work at any call, chosen by the seed
};

/// How a device fails.
enum class DeviceFault {
  none,
  busy,    ///< in exclusive mode and used by another process: no context can be created
  broken,  ///< not even its properties can be read
};

struct Config {
  int device_count = 2;
  std::size_t memory_bytes = std::size_t{1} << 30;  ///< memory of each device
  std::size_t pinned_bytes = std::size_t{1} << 30;  ///< host memory that can be pinned, in total
  Schedule schedule = Schedule::eager;
  std::uint64_t seed = 1;
  int driver_version = CUDART_VERSION;  ///< the newest CUDA version that the driver supports
  std::map<int, DeviceFault> faults;    ///< by device
};

/// Parses a configuration such as "schedule=random,seed=3,devices=1,memory=64MiB,driver=12020,busy=0". The environment
/// variable FAKE_CUDA sets the initial configuration of a process. Throws std::invalid_argument.
Config parse_config(std::string_view text);

/// Runs all pending work, then resets the runtime: forgets contexts, failures, errors and call counts.
void reset(const Config& config);
/// Same as reset() with the initial configuration of the process.
void reset();
/// The current configuration.
Config config();

/// Makes the `nth` call from now (1: the next one) of the function `name`, or of any function for "*", fail with
/// `error`. Functions that release a resource still release it. A sticky error stays with the device: each later call
/// that needs its context returns it too.
void fail_call(const std::string& name, int nth, cudaError_t error, bool sticky = false);
/// Makes the `nth` kernel launch from now fail while it runs: all calls after it has run return `error`.
void fail_kernel(int nth, cudaError_t error);

/// Cancels the requested failures that have not happened yet. Returns how many there were.
int forget_failures();

/// How often each function was called since the last reset().
std::map<std::string, std::int64_t> calls();

/// A context, and the call that created it.
struct Context {
  int device;
  std::string call;
};
std::vector<Context> contexts();

/// The number of live objects of each kind.
struct Counts {
  std::int64_t device_allocations = 0;
  std::int64_t pinned_allocations = 0;
  std::int64_t streams = 0;
  std::int64_t events = 0;
  std::int64_t graphs = 0;  ///< both graphs and executable graphs
  std::int64_t cublas_handles = 0;
  std::size_t device_bytes = 0;
  std::size_t pinned_bytes = 0;
  bool operator==(const Counts&) const = default;
};
Counts counts();
/// The live objects as text, such as "3 streams, 1 event". Empty if there are none.
std::string describe(const Counts& counts);

/// The peak of pinned memory since the last reset().
std::size_t peak_pinned_bytes();

/// Runs all pending work on all streams. This does not count as a wait of the host: a missing wait is still reported.
void finish_all();

/// Handles a violation, given as text with its call sites. Without a handler, a violation is printed and the process
/// aborts.
using ViolationHandler = std::function<void(const std::string& report)>;
/// Returns the previous handler.
ViolationHandler on_violation(ViolationHandler handler);

}  // namespace fake_cuda
