// A CUDA runtime for tests: it needs no GPU, keeps only the promises of NVIDIA's documentation, and reports every use
// that relies on more. This header is how tests choose what it does and ask what happened.
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

/// When work runs that was enqueued on a stream. All three are legal on a device.
enum class Schedule {
  eager,   ///< as soon as it is enqueued
  lazy,    ///< only when the host waits for it
  random,  ///< any runnable work at any call, by the seed
};

/// What is wrong with a device.
enum class DeviceFault {
  none,
  busy,    ///< in exclusive mode, and another process uses it: no context can be created
  broken,  ///< not even its properties can be read
};

struct Config {
  int device_count = 2;
  std::size_t memory_bytes = std::size_t{1} << 30;  ///< of each device
  std::size_t pinned_bytes = std::size_t{1} << 30;  ///< of host memory that can be pinned, in all
  Schedule schedule = Schedule::eager;
  std::uint64_t seed = 1;
  int driver_version = CUDART_VERSION;  ///< the newest CUDA that the driver supports
  std::map<int, DeviceFault> faults;    ///< by device
};

/// The configuration in a text such as "schedule=random,seed=3,devices=1,memory=64MiB,driver=12020,busy=0". The
/// environment variable FAKE_CUDA gives the one that a process begins with. Throws std::invalid_argument.
Config parse_config(std::string_view text);

/// Resets the runtime when all pending work has run: forgets contexts, failures, errors and counts of calls.
void reset(const Config& config);
/// As reset() with the configuration that the process began with.
void reset();
/// The current configuration.
Config config();

/// The call number `nth` from now (1: the next one) of the function `name`, or of any function for "*", fails with
/// `error`. Functions that release something do so all the same. A sticky error stays with the device: each later call
/// that needs its context returns it too.
void fail_call(const std::string& name, int nth, cudaError_t error, bool sticky = false);
/// Kernel launch number `nth` from now fails while it runs: calls that come after it has run return `error`, for ever.
void fail_kernel(int nth, cudaError_t error);

/// Forgets failures that were asked for and have not happened yet; returns how many there were.
int forget_failures();

/// How often each function was called since the last reset().
std::map<std::string, std::int64_t> calls();

/// A context that was created, and by which call.
struct Context {
  int device;
  std::string call;
};
std::vector<Context> contexts();

/// What exists now.
struct Counts {
  std::int64_t device_allocations = 0;
  std::int64_t pinned_allocations = 0;
  std::int64_t streams = 0;
  std::int64_t events = 0;
  std::int64_t graphs = 0;  ///< graphs and executable graphs
  std::int64_t cublas_handles = 0;
  std::size_t device_bytes = 0;
  std::size_t pinned_bytes = 0;
  bool operator==(const Counts&) const = default;
};
Counts counts();
/// "3 streams, 1 event": what exists now; empty if nothing does.
std::string describe(const Counts& counts);

/// The most pinned memory that there was at any time since the last reset().
std::size_t peak_pinned_bytes();

/// Runs all pending work, whatever stream it is on. The host has not waited for it: what needs a wait still does.
void finish_all();

/// What a program must not do, with the places in it. Without a handler a violation is printed and the process aborted.
using ViolationHandler = std::function<void(const std::string& report)>;
/// Returns the handler before.
ViolationHandler on_violation(ViolationHandler handler);

}  // namespace fake_cuda
