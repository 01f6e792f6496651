#include "runtime.hpp"

#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "capture.hpp"

namespace fake_cuda {
namespace {

/// Device memory that a context uses.
constexpr std::size_t kContextBytes = std::size_t{8} << 20;

std::uint64_t number_of(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  if (error == std::errc() && unit.empty()) return number;
  if (error == std::errc() && unit == "MiB") return number << 20;
  if (error == std::errc() && unit == "GiB") return number << 30;
  throw std::invalid_argument("FAKE_CUDA: \"" + std::string(text) + "\" is not a number");
}

void set_option(Config& config, std::string_view name, std::string_view value) {
  if (name == "devices") {
    config.device_count = static_cast<int>(number_of(value));
  } else if (name == "memory") {
    config.memory_bytes = number_of(value);
  } else if (name == "pinned") {
    config.pinned_bytes = number_of(value);
  } else if (name == "seed") {
    config.seed = number_of(value);
  } else if (name == "driver") {
    config.driver_version = static_cast<int>(number_of(value));
  } else if (name == "busy") {
    config.faults[static_cast<int>(number_of(value))] = DeviceFault::busy;
  } else if (name == "broken") {
    config.faults[static_cast<int>(number_of(value))] = DeviceFault::broken;
  } else if (name == "schedule" && (value == "eager" || value == "lazy" || value == "random")) {
    config.schedule = value == "eager" ? Schedule::eager : value == "lazy" ? Schedule::lazy : Schedule::random;
  } else if (name != "fail" && name != "fail-kernel") {
    throw std::invalid_argument("FAKE_CUDA: unknown option " + std::string(name) + "=" + std::string(value));
  }
}

/// Handles an option such as "fail=cudaMalloc:3:2": the third cudaMalloc fails with error 2.
void add_failures(Runtime& runtime, std::string_view text) {
  std::istringstream options{std::string(text)};
  for (std::string option; std::getline(options, option, ',');) {
    if (!option.starts_with("fail=")) continue;
    std::istringstream parts(option.substr(5));
    std::string name, nth, error;
    std::getline(parts, name, ':');
    std::getline(parts, nth, ':');
    std::getline(parts, error, ':');
    runtime.failures.push_back(
        {name, static_cast<int>(number_of(nth)), static_cast<cudaError_t>(number_of(error)), false});
  }
}

std::string plural(std::int64_t count, const char* one, const char* many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

}  // namespace

Config parse_config(std::string_view text) {
  Config config;
  std::istringstream options{std::string(text)};
  for (std::string option; std::getline(options, option, ',');) {
    const std::size_t equals = option.find('=');
    if (equals == std::string::npos) throw std::invalid_argument("FAKE_CUDA: \"" + option + "\" has no value");
    set_option(config, std::string_view(option).substr(0, equals), std::string_view(option).substr(equals + 1));
  }
  return config;
}

ThreadState& this_thread() {
  thread_local ThreadState state;
  return state;
}

Runtime& Runtime::get() {
  // Never destroyed: the destructors of other static objects may still call it.
  static Runtime* one = new Runtime;
  return *one;
}

std::unique_lock<std::recursive_mutex> Runtime::lock() { return std::unique_lock(get().mutex_); }

Runtime::Runtime() : process(::getpid()) {
  const char* text = std::getenv("FAKE_CUDA");
  const char* path = std::getenv("FAKE_CUDA_LOG");
  if (path != nullptr) log_path_ = path;
  first_config = parse_config(text == nullptr ? "" : text);
  restart(first_config);
  if (text != nullptr) add_failures(*this, text);
}

/// Called when all work is done and the host knows. Forgets destroyed streams and restarts the clocks of the others;
/// otherwise clocks would grow with every stream ever created.
void Runtime::forget_history() {
  std::vector<std::unique_ptr<CUstream_st>> kept;
  for (auto& stream : streams_) {
    stream->capture.reset();
    if (stream->is_destroyed) {
      std::erase(blocking_, stream.get());
      stream_ids_.erase(stream.get());
      continue;
    }
    stream->id = stream_ids_[stream.get()] = kept.size();
    stream->last_number = stream->done_number = 0;
    stream->clock = {};
    kept.push_back(std::move(stream));
  }
  streams_ = std::move(kept);
  std::erase_if(events, [](const auto& event) { return event.second->is_destroyed; });
  for (auto& [handle, event] : events) {
    event->point = {};
    event->clock = {};
    event->capture.reset();
  }
  host_ = {};
  memory().forget_accesses();
}

void Runtime::restart(const Config& next) {
  forget_history();
  config = next;
  random_.seed(next.seed);
  call_counts.clear();
  contexts.clear();
  failures.clear();
  kernel_failure.reset();
  captures.clear();
  for (auto& [ordinal, device] : devices_) {
    device.has_context = false;
    device.sticky = cudaSuccess;
    device.loaded_kernels.clear();
  }
  for (int ordinal = 0; ordinal < config.device_count; ++ordinal) {
    DeviceState& device = devices_[ordinal];
    device.primary.device = ordinal;
    if (device.legacy == nullptr) {
      device.legacy = new_stream(ordinal, false, 0);
      --stream_count;
    }
  }
  peak_pinned_bytes = memory().live_bytes(MemoryKind::pinned, 0);
}

void Runtime::log(const std::string& line) const {
  if (!log_path_.empty()) std::ofstream(log_path_, std::ios::app) << line << '\n';
}

int Runtime::current_device() const {
  const ThreadState& thread = this_thread();
  return thread.pushed.empty() ? thread.device : thread.pushed.back()->device;
}

cudaError_t Runtime::use_context(int ordinal, const char* call) {
  DeviceState& state = devices_[ordinal];
  if (state.has_context) return state.sticky;
  const auto fault = config.faults.find(ordinal);
  if (fault != config.faults.end() && fault->second == DeviceFault::busy) return cudaErrorDevicesUnavailable;
  if (fault != config.faults.end() && fault->second == DeviceFault::broken) return cudaErrorUnknown;
  state.has_context = true;
  contexts.push_back({ordinal, call});
  log("context " + std::to_string(ordinal) + " " + call);
  return cudaSuccess;
}

std::size_t Runtime::free_bytes(int ordinal) const {
  const std::size_t used =
      memory().live_bytes(MemoryKind::device, ordinal) + (devices_.at(ordinal).has_context ? kContextBytes : 0);
  return used < config.memory_bytes ? config.memory_bytes - used : 0;
}

CUstream_st* Runtime::new_stream(int ordinal, bool is_blocking, int priority) {
  auto stream = std::make_unique<CUstream_st>();
  stream->id = streams_.size();
  stream->number = ++last_stream_number_;
  stream->device = ordinal;
  stream->is_blocking = is_blocking;
  stream->priority = priority;
  CUstream_st* handle = stream.get();
  stream_ids_[handle] = stream->id;
  // The legacy stream of a device is its first stream.
  if (is_blocking || devices_[ordinal].legacy == nullptr) blocking_.push_back(handle);
  streams_.push_back(std::move(stream));
  ++stream_count;
  return handle;
}

CUstream_st* Runtime::stream(cudaStream_t handle, const char* call) {
  if (handle == nullptr || handle == cudaStreamLegacy) return devices_[current_device()].legacy;
  if (stream_ids_.contains(handle)) {
    if (!handle->is_destroyed) return handle;
    violation("a stream is used after it was destroyed, at " + describe(here(call)));
    return nullptr;
  }
  violation("an invalid stream handle is used, at " + describe(here(call)));
  return nullptr;
}

std::vector<CUstream_st*> Runtime::streams_in(const Capture& capture) const {
  std::vector<CUstream_st*> found;
  for (const auto& stream : streams_) {
    if (stream->capture.get() == &capture) found.push_back(stream.get());
  }
  return found;
}

CUevent_st* Runtime::event(cudaEvent_t handle, const char* call) {
  if (events.contains(handle)) {
    if (!handle->is_destroyed) return handle;
    violation("an event is used after it was destroyed, at " + describe(here(call)));
    return nullptr;
  }
  violation("an invalid event handle is used, at " + describe(here(call)));
  return nullptr;
}

void Runtime::break_device(int ordinal, cudaError_t error) {
  devices_[ordinal].sticky = error;
  for (const auto& stream : streams_) {
    if (stream->device == ordinal) host_.join(stream->clock);
  }
}

std::optional<cudaError_t> Runtime::injected(const char* call) {
  for (auto failure = failures.begin(); failure != failures.end(); ++failure) {
    if (failure->name != "*" && failure->name != call) continue;
    if (--failure->calls_left > 0) continue;
    const cudaError_t error = failure->error;
    if (failure->is_sticky) break_device(current_device(), error);
    failures.erase(failure);
    return error;
  }
  return std::nullopt;
}

Call::Call(const char* name, unsigned traits) : name_(name), traits_(traits) {
  Runtime& runtime = Runtime::get();
  if (runtime.process != ::getpid()) {
    // The lock may be held by a thread that does not exist in this process.
    error_ = cudaErrorInitializationError;
    is_impossible_ = true;
    return;
  }
  lock_ = Runtime::lock();
  was_in_runtime_ = is_in_runtime();
  is_in_runtime() = true;
  if (++runtime.call_counts[name] == 1) runtime.log(std::string("call ") + name);
  const bool asks_versions = (traits & kUsesContext) == 0 && std::string_view(name).ends_with("Version");
  if (runtime.config.driver_version < CUDART_VERSION / 1000 * 1000 && !asks_versions) {
    error_ = cudaErrorInsufficientDriver;
    is_impossible_ = true;
    return;
  }
  if (runtime.config.device_count == 0 && !asks_versions) {
    error_ = cudaErrorNoDevice;
    is_impossible_ = true;
    return;
  }
  runtime.make_progress();
  if (const auto injected = runtime.injected(name)) {
    error_ = *injected;
    return;
  }
  if ((traits & kUnsafeInCapture) != 0 && !may_be_unsafe(name)) {
    error_ = cudaErrorStreamCaptureUnsupported;
    return;
  }
  if ((traits & kUsesContext) == 0) return;
  if (this_thread().pushed.empty()) this_thread().is_bound = true;
  error_ = runtime.use_context(runtime.current_device(), name);
}

Call::~Call() {
  if (lock_.owns_lock()) is_in_runtime() = was_in_runtime_;
}

cudaError_t Call::result(cudaError_t error) {
  if (error_ != cudaSuccess) error = error_;
  if (error != cudaSuccess) this_thread().last_error = error;
  return error;
}

// ---- Queries of tests ------------------------------------------------------

void reset(const Config& next) {
  const auto lock = Runtime::lock();
  is_in_runtime() = true;
  Runtime::get().finish_all();
  Runtime::get().restart(next);
  is_in_runtime() = false;
}
void reset() { reset(Runtime::get().first_config); }
Config config() { return Runtime::get().config; }

void fail_call(const std::string& name, int nth, cudaError_t error, bool sticky) {
  const auto lock = Runtime::lock();
  Runtime::get().failures.push_back({name, nth, error, sticky});
}
void fail_kernel(int nth, cudaError_t error) {
  const auto lock = Runtime::lock();
  Runtime::get().kernel_failure = {nth, error};
}

int forget_failures() {
  const auto lock = Runtime::lock();
  Runtime& runtime = Runtime::get();
  const auto count = static_cast<int>(runtime.failures.size()) + (runtime.kernel_failure ? 1 : 0);
  runtime.failures.clear();
  runtime.kernel_failure.reset();
  return count;
}

std::map<std::string, std::int64_t> calls() {
  const auto lock = Runtime::lock();
  return Runtime::get().call_counts;
}
std::vector<Context> contexts() {
  const auto lock = Runtime::lock();
  return Runtime::get().contexts;
}
std::size_t peak_pinned_bytes() {
  const auto lock = Runtime::lock();
  return Runtime::get().peak_pinned_bytes;
}

Counts counts() {
  const auto lock = Runtime::lock();
  const Runtime& runtime = Runtime::get();
  Counts counts;
  counts.device_allocations = memory().live_count(MemoryKind::device);
  counts.pinned_allocations = memory().live_count(MemoryKind::pinned);
  counts.streams = runtime.stream_count;
  counts.events = runtime.event_count;
  counts.graphs = runtime.graph_count;
  counts.cublas_handles = runtime.cublas_count;
  for (int device = 0; device < runtime.config.device_count; ++device) {
    counts.device_bytes += memory().live_bytes(MemoryKind::device, device);
  }
  counts.pinned_bytes = memory().live_bytes(MemoryKind::pinned, 0);
  return counts;
}

std::string describe(const Counts& counts) {
  std::string text;
  const auto add = [&](std::int64_t count, const char* one, const char* many) {
    if (count != 0) text += (text.empty() ? "" : ", ") + plural(count, one, many);
  };
  add(counts.device_allocations, "device allocation", "device allocations");
  add(counts.pinned_allocations, "pinned allocation", "pinned allocations");
  add(counts.streams, "stream", "streams");
  add(counts.events, "event", "events");
  add(counts.graphs, "graph", "graphs");
  add(counts.cublas_handles, "cuBLAS handle", "cuBLAS handles");
  return text.empty() ? text : text + memory().describe_live();
}

void finish_all() {
  const auto lock = Runtime::lock();
  is_in_runtime() = true;
  Runtime::get().run_all();
  is_in_runtime() = false;
}

}  // namespace fake_cuda
