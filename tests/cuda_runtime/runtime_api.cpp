// The CUDA runtime functions that the library, its tests and its benchmarks use.
#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <utility>

#include "capture.hpp"
#include "memory.hpp"
#include "runtime.hpp"

namespace fake_cuda {
namespace {

constexpr unsigned kUnsafe = kUsesContext | kUnsafeInCapture;

Runtime& runtime() { return Runtime::get(); }

// ---- Copies ----------------------------------------------------------------

/// A hash that changes when a byte changes.
std::uint64_t hash_of(const void* begin, std::size_t bytes) {
  std::uint64_t hash = 0xCBF29CE484222325u;
  for (std::size_t i = 0; i < bytes; ++i) {
    hash = (hash ^ static_cast<const unsigned char*>(begin)[i]) * 0x100000001B3u;
  }
  return hash;
}

bool is_device_memory(const void* address) {
  const Allocation* allocation = memory().find(address);
  return allocation != nullptr && allocation->kind == MemoryKind::device;
}

/// Reads host memory that may be unmapped by now. Returns false in that case instead of crashing.
bool read_host(void* to, const void* from, std::size_t bytes) {
  const iovec local{to, bytes}, remote{const_cast<void*>(from), bytes};
  return bytes == 0 || ::process_vm_readv(::getpid(), &local, 1, &remote, 1, 0) == static_cast<ssize_t>(bytes);
}

struct Rows {
  std::size_t row_bytes, row_count, to_stride, from_stride;
};

/// Copies when the stream reaches the operation. Host memory, even pageable, is read only then, because CUDA
/// documents no earlier time.
void copy_now(void* to, const void* from, Rows rows, const char* call) {
  for (std::size_t row = 0; row < rows.row_count; ++row) {
    std::byte* target = static_cast<std::byte*>(to) + row * rows.to_stride;
    const std::byte* source = static_cast<const std::byte*>(from) + row * rows.from_stride;
    if (!memory().open(source, rows.row_bytes, false) || !memory().open(target, rows.row_bytes, true)) return;
    if (is_device_memory(source)) {
      std::memcpy(target, source, rows.row_bytes);
    } else if (!read_host(target, source, rows.row_bytes)) {
      violation(std::string(call) + " reads host memory that is gone");
    }
  }
}

bool has_direction(cudaMemcpyKind kind, const void* to, const void* from) {
  const bool to_device = is_device_memory(to), from_device = is_device_memory(from);
  switch (kind) {
    case cudaMemcpyHostToHost:
      return !to_device && !from_device;
    case cudaMemcpyHostToDevice:
      return to_device && !from_device;
    case cudaMemcpyDeviceToHost:
      return !to_device && from_device;
    case cudaMemcpyDeviceToDevice:
      return to_device && from_device;
    case cudaMemcpyDefault:
      return true;
  }
  return false;
}

cudaError_t enqueue_copy(CUstream_st& stream, void* to, const void* from, Rows rows, cudaMemcpyKind kind,
                         const char* call) {
  if (rows.row_bytes == 0 || rows.row_count == 0) return cudaSuccess;
  if (!has_direction(kind, to, from)) return cudaErrorInvalidValue;
  const bool is_one = rows.row_count == 1;
  const std::size_t from_bytes = rows.from_stride * (rows.row_count - 1) + rows.row_bytes;
  if (stream.capture != nullptr) {
    // A replay reads host memory as it is at that time.
    runtime().enqueue(stream, "a copy", call, false, [=] { copy_now(to, from, rows, call); });
    return cudaSuccess;
  }
  if (is_one && !is_device_memory(to)) std::memset(to, 0xCD, rows.row_bytes);  // undefined until the copy has run
  const bool is_from_host = !is_device_memory(from);
  const std::uint64_t hash = is_from_host ? hash_of(from, from_bytes) : 0;
  const Site site = here(call);
  runtime().enqueue(stream, is_from_host ? "a copy to the device" : "a copy from the device", call, false, [=] {
    if (is_from_host) {
      std::vector<std::byte> now(from_bytes);
      if (!read_host(now.data(), from, from_bytes) || hash_of(now.data(), from_bytes) != hash) {
        violation("host memory has changed, or is gone, before it was copied\n    enqueued by " + describe(site));
      }
    }
    copy_now(to, from, rows, call);
  });
  return cudaSuccess;
}

// ---- Contexts and streams -----------------------------------------------------

/// The stream of a handle, if work can be enqueued on it now.
CUstream_st* usable_stream(cudaStream_t handle, const char* call, cudaError_t& error) {
  CUstream_st* stream = runtime().stream(handle, call);
  if (stream == nullptr) {
    error = cudaErrorInvalidResourceHandle;
    return nullptr;
  }
  const bool is_legacy = runtime().device(stream->device).legacy == stream;
  if (is_legacy && conflicts_with_legacy(stream->device)) {
    error = cudaErrorStreamCaptureImplicit;
    return nullptr;
  }
  if (stream->capture != nullptr && stream->capture->is_invalidated) {
    error = cudaErrorStreamCaptureInvalidated;
    return nullptr;
  }
  error = runtime().use_context(stream->device, call);
  return error == cudaSuccess ? stream : nullptr;
}

cudaError_t wait_for_stream(CUstream_st& stream) {
  if (stream.capture != nullptr) return invalidate(*stream.capture, cudaErrorStreamCaptureUnsupported);
  runtime().wait_for(runtime().end_of(stream));
  runtime().host_learns(stream.clock);
  return runtime().device(stream.device).sticky;
}

cudaError_t allocate(MemoryKind kind, void** out, std::size_t bytes, const char* call) {
  const int device = runtime().current_device();
  *out = nullptr;
  if (bytes == 0) return cudaSuccess;
  const std::size_t room =
      kind == MemoryKind::device
          ? runtime().free_bytes(device)
          : runtime().config.pinned_bytes - std::min(memory().live_bytes(kind, device), runtime().config.pinned_bytes);
  if (bytes > room) return cudaErrorMemoryAllocation;
  Allocation* allocation = memory().allocate(kind, device, bytes, here(call));
  if (allocation == nullptr) return cudaErrorMemoryAllocation;
  *out = allocation->begin;
  runtime().peak_pinned_bytes = std::max(runtime().peak_pinned_bytes, memory().live_bytes(MemoryKind::pinned, 0));
  return cudaSuccess;
}

cudaError_t release(MemoryKind kind, void* begin, const char* call) {
  if (begin == nullptr) return cudaSuccess;
  Allocation* allocation = memory().find_live(begin, kind);
  if (allocation == nullptr) {
    violation("what is freed is not allocated, or freed twice, at " + describe(here(call)));
    return cudaErrorInvalidValue;
  }
  memory().free(*allocation, here(call), runtime().host());
  return cudaSuccess;
}

cudaError_t begin_event(cudaEvent_t* out, unsigned flags) {
  auto event = std::make_unique<CUevent_st>();
  event->device = runtime().current_device();
  event->has_timing = (flags & cudaEventDisableTiming) == 0;
  *out = event.get();
  runtime().events[*out] = std::move(event);
  ++runtime().event_count;
  return cudaSuccess;
}

cudaError_t begin_stream(cudaStream_t* out, unsigned flags, int priority) {
  *out = runtime().new_stream(runtime().current_device(), (flags & cudaStreamNonBlocking) == 0, priority);
  return cudaSuccess;
}

std::string name_of(int device) { return "Fake CUDA device " + std::to_string(device); }

constexpr int kMultiprocessors = 2;
constexpr int kL2Bytes = 1 << 20;

}  // namespace
}  // namespace fake_cuda

using namespace fake_cuda;

extern "C" {

// ---- Devices -----------------------------------------------------------------

cudaError_t cudaDriverGetVersion(int* version) {
  Call call("cudaDriverGetVersion", kPlain);
  if (call.fails()) return call.result();
  *version = runtime().config.driver_version;
  return call.result();
}

cudaError_t cudaRuntimeGetVersion(int* version) {
  Call call("cudaRuntimeGetVersion", kPlain);
  if (call.fails()) return call.result();
  *version = CUDART_VERSION;
  return call.result();
}

cudaError_t cudaGetDeviceCount(int* count) {
  Call call("cudaGetDeviceCount", kPlain);
  *count = 0;
  if (call.fails()) return call.result();
  *count = runtime().config.device_count;
  return call.result();
}

cudaError_t cudaGetDevice(int* device) {
  Call call("cudaGetDevice", kPlain);
  if (call.fails()) return call.result();
  *device = runtime().current_device();
  return call.result();
}

cudaError_t cudaSetDevice(int device) {
  Call call("cudaSetDevice", kPlain);
  if (call.fails()) return call.result();
  if (device < 0 || device >= runtime().config.device_count) return call.result(cudaErrorInvalidDevice);
  ThreadState& thread = this_thread();
  if (thread.pushed.empty())
    thread.device = device;
  else
    thread.pushed.back() = &runtime().device(device).primary;
  thread.is_bound = true;
  // Since CUDA 12 this initializes the context.
  return call.result(runtime().use_context(device, call.name()));
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  Call call("cudaDeviceGetAttribute", kPlain);
  if (call.fails()) return call.result();
  if (device < 0 || device >= runtime().config.device_count) return call.result(cudaErrorInvalidDevice);
  switch (attribute) {
    case cudaDevAttrMultiProcessorCount:
      *value = kMultiprocessors;
      return call.result();
    case cudaDevAttrL2CacheSize:
      *value = kL2Bytes;
      return call.result();
    case cudaDevAttrComputeCapabilityMajor:
      *value = 9;
      return call.result();
    case cudaDevAttrComputeCapabilityMinor:
      *value = 0;
      return call.result();
    default:
      return call.result(cudaErrorInvalidValue);
  }
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  Call call("cudaGetDeviceProperties", kPlain);
  if (call.fails()) return call.result();
  if (device < 0 || device >= runtime().config.device_count) return call.result(cudaErrorInvalidDevice);
  const auto fault = runtime().config.faults.find(device);
  if (fault != runtime().config.faults.end() && fault->second == DeviceFault::broken) {
    return call.result(cudaErrorUnknown);
  }
  *properties = {};
  const std::string name = name_of(device);
  std::copy(name.begin(), name.end(), properties->name);
  properties->totalGlobalMem = runtime().config.memory_bytes;
  properties->major = 9;
  properties->minor = 0;
  properties->multiProcessorCount = kMultiprocessors;
  properties->l2CacheSize = kL2Bytes;
  return call.result();
}

cudaError_t cudaDeviceGetPCIBusId(char* text, int length, int device) {
  Call call("cudaDeviceGetPCIBusId", kPlain);
  if (call.fails()) return call.result();
  std::snprintf(text, static_cast<std::size_t>(length), "0000:%02x:00.0", device + 1);
  return call.result();
}

cudaError_t cudaMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes) {
  Call call("cudaMemGetInfo", kUsesContext);
  if (call.fails()) return call.result();
  *total_bytes = runtime().config.memory_bytes;
  *free_bytes = runtime().free_bytes(runtime().current_device());
  return call.result();
}

cudaError_t cudaDeviceSynchronize() {
  Call call("cudaDeviceSynchronize", kUnsafe);
  if (call.fails()) return call.result();
  const int device = runtime().current_device();
  // Waiting for a device is forbidden while one of its streams captures, in any mode.
  if (invalidate_captures(device)) return call.result(cudaErrorStreamCaptureUnsupported);
  runtime().finish_device(device);
  return call.result(runtime().device(device).sticky);
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  Call call("cudaDeviceGetStreamPriorityRange", kUsesContext);
  if (call.fails()) return call.result();
  *least = 0;
  *greatest = -5;
  return call.result();
}

// ---- Errors --------------------------------------------------------------------

cudaError_t cudaGetLastError() { return std::exchange(this_thread().last_error, cudaSuccess); }
cudaError_t cudaPeekAtLastError() { return this_thread().last_error; }

const char* cudaGetErrorName(cudaError_t error) {
  switch (error) {
    case cudaSuccess:
      return "cudaSuccess";
    case cudaErrorInvalidValue:
      return "cudaErrorInvalidValue";
    case cudaErrorMemoryAllocation:
      return "cudaErrorMemoryAllocation";
    case cudaErrorInitializationError:
      return "cudaErrorInitializationError";
    case cudaErrorInsufficientDriver:
      return "cudaErrorInsufficientDriver";
    case cudaErrorNoDevice:
      return "cudaErrorNoDevice";
    case cudaErrorInvalidDevice:
      return "cudaErrorInvalidDevice";
    case cudaErrorDevicesUnavailable:
      return "cudaErrorDevicesUnavailable";
    case cudaErrorIllegalAddress:
      return "cudaErrorIllegalAddress";
    case cudaErrorLaunchFailure:
      return "cudaErrorLaunchFailure";
    case cudaErrorStreamCaptureUnsupported:
      return "cudaErrorStreamCaptureUnsupported";
    case cudaErrorStreamCaptureInvalidated:
      return "cudaErrorStreamCaptureInvalidated";
    case cudaErrorStreamCaptureImplicit:
      return "cudaErrorStreamCaptureImplicit";
    default:
      return "cudaErrorUnknown";
  }
}
const char* cudaGetErrorString(cudaError_t error) {
  return error == cudaSuccess ? "no error" : "the fake runtime's words for this error";
}

// ---- Memory ---------------------------------------------------------------------

cudaError_t cudaMalloc(void** out, std::size_t bytes) {
  Call call("cudaMalloc", kUnsafe);
  return call.fails() ? call.result() : call.result(allocate(MemoryKind::device, out, bytes, call.name()));
}

/// Does not wait: according to the documentation, cudaFree only may wait.
cudaError_t cudaFree(void* begin) {
  Call call("cudaFree", kUnsafe | kReleases);
  return call.is_impossible() ? call.result() : call.result(release(MemoryKind::device, begin, call.name()));
}

cudaError_t cudaHostAlloc(void** out, std::size_t bytes, unsigned) {
  Call call("cudaHostAlloc", kUnsafe);
  return call.fails() ? call.result() : call.result(allocate(MemoryKind::pinned, out, bytes, call.name()));
}

cudaError_t cudaFreeHost(void* begin) {
  Call call("cudaFreeHost", kUnsafe | kReleases);
  return call.is_impossible() ? call.result() : call.result(release(MemoryKind::pinned, begin, call.name()));
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t handle) {
  Call call("cudaMemcpyAsync", kUsesContext);
  if (call.fails()) return call.result();
  cudaError_t error = cudaSuccess;
  CUstream_st* stream = usable_stream(handle, call.name(), error);
  if (stream == nullptr) return call.result(error);
  return call.result(enqueue_copy(*stream, to, from, {bytes, 1, bytes, bytes}, kind, call.name()));
}

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  Call call("cudaMemcpy", kUnsafe);
  if (call.fails()) return call.result();
  cudaError_t error = cudaSuccess;
  CUstream_st* stream = usable_stream(nullptr, call.name(), error);
  if (stream == nullptr) return call.result(error);
  error = enqueue_copy(*stream, to, from, {bytes, 1, bytes, bytes}, kind, call.name());
  // A device-to-device copy returns before it is done.
  if (error == cudaSuccess && !(is_device_memory(to) && is_device_memory(from))) error = wait_for_stream(*stream);
  return call.result(error);
}

cudaError_t cudaMemsetAsync(void* begin, int value, std::size_t bytes, cudaStream_t handle) {
  Call call("cudaMemsetAsync", kUsesContext);
  if (call.fails()) return call.result();
  cudaError_t error = cudaSuccess;
  CUstream_st* stream = usable_stream(handle, call.name(), error);
  if (stream == nullptr) return call.result(error);
  if (bytes != 0 && !is_device_memory(begin)) return call.result(cudaErrorInvalidValue);
  runtime().enqueue(*stream, "a fill", call.name(), false, [=] {
    if (memory().open(begin, bytes, true)) std::memset(begin, value, bytes);
  });
  return call.result();
}

cudaError_t cudaMemset(void* begin, int value, std::size_t bytes) {
  return cudaMemsetAsync(begin, value, bytes, nullptr);
}

// ---- Streams --------------------------------------------------------------------

cudaError_t cudaStreamCreate(cudaStream_t* out) {
  Call call("cudaStreamCreate", kUsesContext);
  return call.fails() ? call.result() : call.result(begin_stream(out, cudaStreamDefault, 0));
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* out, unsigned flags) {
  Call call("cudaStreamCreateWithFlags", kUsesContext);
  return call.fails() ? call.result() : call.result(begin_stream(out, flags, 0));
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* out, unsigned flags, int priority) {
  Call call("cudaStreamCreateWithPriority", kUsesContext);
  return call.fails() ? call.result() : call.result(begin_stream(out, flags, priority));
}

cudaError_t cudaStreamDestroy(cudaStream_t handle) {
  Call call("cudaStreamDestroy", kUsesContext | kReleases);
  if (call.is_impossible()) return call.result();
  CUstream_st* stream = runtime().stream(handle, call.name());
  if (stream == nullptr || handle == nullptr) return call.result(cudaErrorInvalidResourceHandle);
  if (stream->capture != nullptr) abandon(std::shared_ptr(stream->capture));
  // Enqueued work still runs.
  stream->is_destroyed = true;
  --runtime().stream_count;
  return call.result();
}

cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
  Call call("cudaStreamSynchronize", kUnsafe);
  if (call.fails()) return call.result();
  cudaError_t error = cudaSuccess;
  CUstream_st* stream = usable_stream(handle, call.name(), error);
  return call.result(stream == nullptr ? error : wait_for_stream(*stream));
}

cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t event_handle, unsigned) {
  Call call("cudaStreamWaitEvent", kUsesContext);
  if (call.fails()) return call.result();
  cudaError_t error = cudaSuccess;
  CUstream_st* stream = usable_stream(handle, call.name(), error);
  if (stream == nullptr) return call.result(error);
  CUevent_st* event = runtime().event(event_handle, call.name());
  if (event == nullptr) return call.result(cudaErrorInvalidResourceHandle);
  if (event->capture != nullptr) {
    const auto& captures = runtime().captures;
    if (std::find(captures.begin(), captures.end(), event->capture) == captures.end()) {
      return call.result(stream->capture == nullptr ? cudaErrorCapturedEvent
                                                    : invalidate(*stream->capture, cudaErrorCapturedEvent));
    }
    if (runtime().device(stream->device).legacy == stream) {
      return call.result(invalidate(*event->capture, cudaErrorStreamCaptureImplicit));
    }
    // The stream joins the capture, unless it is already part of another one.
    if (stream->capture == nullptr) stream->capture = event->capture;
    if (stream->capture != event->capture) {
      return call.result(invalidate(*stream->capture, cudaErrorStreamCaptureMerge));
    }
    stream->capture_ends.insert(stream->capture_ends.end(), event->capture_ends.begin(), event->capture_ends.end());
    return call.result();
  }
  if (!event->is_recorded) return call.result();
  if (stream->capture != nullptr) return call.result(invalidate(*stream->capture, cudaErrorStreamCaptureIsolation));
  stream->clock.join(event->clock);
  runtime().enqueue(*stream, "a wait for an event", call.name(), false, [] {}, {event->point});
  return call.result();
}

cudaError_t cudaStreamGetId(cudaStream_t handle, unsigned long long* id) {
  Call call("cudaStreamGetId", kUsesContext);
  if (call.fails()) return call.result();
  CUstream_st* stream = runtime().stream(handle, call.name());
  if (stream == nullptr) return call.result(cudaErrorInvalidResourceHandle);
  *id = stream->number;
  return call.result();
}

cudaError_t cudaStreamQuery(cudaStream_t handle) {
  Call call("cudaStreamQuery", kUnsafe);
  if (call.fails()) return call.result();
  cudaError_t error = cudaSuccess;
  CUstream_st* stream = usable_stream(handle, call.name(), error);
  if (stream == nullptr) return call.result(error);
  if (stream->capture != nullptr) {
    return call.result(invalidate(*stream->capture, cudaErrorStreamCaptureUnsupported));
  }
  if (!runtime().is_done(runtime().end_of(*stream))) return cudaErrorNotReady;
  runtime().host_learns(stream->clock);
  return call.result(runtime().device(stream->device).sticky);
}

// ---- Events ---------------------------------------------------------------------

cudaError_t cudaEventCreate(cudaEvent_t* out) {
  Call call("cudaEventCreate", kUsesContext);
  return call.fails() ? call.result() : call.result(begin_event(out, cudaEventDefault));
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* out, unsigned flags) {
  Call call("cudaEventCreateWithFlags", kUsesContext);
  return call.fails() ? call.result() : call.result(begin_event(out, flags));
}

cudaError_t cudaEventDestroy(cudaEvent_t handle) {
  Call call("cudaEventDestroy", kUsesContext | kReleases);
  if (call.is_impossible()) return call.result();
  CUevent_st* event = runtime().event(handle, call.name());
  if (event == nullptr) return call.result(cudaErrorInvalidResourceHandle);
  event->is_destroyed = true;
  event->capture.reset();
  --runtime().event_count;
  return call.result();
}

cudaError_t cudaEventRecord(cudaEvent_t handle, cudaStream_t stream_handle) {
  Call call("cudaEventRecord", kUsesContext);
  if (call.fails()) return call.result();
  cudaError_t error = cudaSuccess;
  CUstream_st* stream = usable_stream(stream_handle, call.name(), error);
  if (stream == nullptr) return call.result(error);
  CUevent_st* event = runtime().event(handle, call.name());
  if (event == nullptr || event->device != stream->device) return call.result(cudaErrorInvalidResourceHandle);
  event->capture = stream->capture;
  if (stream->capture != nullptr) {
    event->capture_ends = stream->capture_ends;
    return call.result();
  }
  runtime().enqueue(*stream, "an event", call.name(), false, [] {});
  event->is_recorded = true;
  event->point = runtime().end_of(*stream);
  event->clock = stream->clock;
  return call.result();
}

cudaError_t cudaEventSynchronize(cudaEvent_t handle) {
  Call call("cudaEventSynchronize", kUnsafe);
  if (call.fails()) return call.result();
  CUevent_st* event = runtime().event(handle, call.name());
  if (event == nullptr) return call.result(cudaErrorInvalidResourceHandle);
  if (event->capture != nullptr) return call.result(invalidate(*event->capture, cudaErrorCapturedEvent));
  if (!event->is_recorded) return call.result();
  runtime().wait_for(event->point);
  runtime().host_learns(event->clock);
  return call.result(runtime().device(event->device).sticky);
}

cudaError_t cudaEventQuery(cudaEvent_t handle) {
  Call call("cudaEventQuery", kUnsafe);
  if (call.fails()) return call.result();
  CUevent_st* event = runtime().event(handle, call.name());
  if (event == nullptr) return call.result(cudaErrorInvalidResourceHandle);
  if (event->capture != nullptr) return call.result(invalidate(*event->capture, cudaErrorCapturedEvent));
  if (!event->is_recorded) return call.result();
  if (!runtime().is_done(event->point)) return cudaErrorNotReady;
  runtime().host_learns(event->clock);
  return call.result(runtime().device(event->device).sticky);
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
  Call call("cudaEventElapsedTime", kUsesContext);
  if (call.fails()) return call.result();
  CUevent_st *first = runtime().event(begin, call.name()), *last = runtime().event(end, call.name());
  if (first == nullptr || last == nullptr || !first->has_timing || !last->has_timing) {
    return call.result(cudaErrorInvalidResourceHandle);
  }
  if (!runtime().is_done(first->point) || !runtime().is_done(last->point)) return call.result(cudaErrorNotReady);
  *milliseconds = 1.0f;  // times are meaningless here
  return call.result();
}

// ---- Capture and graphs -----------------------------------------------------------

cudaError_t cudaStreamBeginCapture(cudaStream_t handle, cudaStreamCaptureMode mode) {
  Call call("cudaStreamBeginCapture", kUsesContext);
  if (call.fails()) return call.result();
  cudaError_t error = cudaSuccess;
  CUstream_st* stream = usable_stream(handle, call.name(), error);
  if (stream == nullptr) return call.result(error);
  const bool is_legacy = runtime().device(stream->device).legacy == stream;
  if (is_legacy || stream->capture != nullptr) return call.result(cudaErrorStreamCaptureUnsupported);
  stream->capture = std::make_shared<Capture>();
  stream->capture->mode = mode;
  stream->capture->origin = stream;
  stream->capture->thread = std::this_thread::get_id();
  stream->capture_ends.clear();
  runtime().captures.push_back(stream->capture);
  return call.result();
}

cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t* graph) {
  Call call("cudaStreamEndCapture", kUsesContext);
  *graph = nullptr;
  if (call.fails()) return call.result();
  CUstream_st* stream = runtime().stream(handle, call.name());
  if (stream == nullptr || stream->capture == nullptr) return call.result(cudaErrorIllegalState);
  const std::shared_ptr<Capture> capture = stream->capture;
  if (capture->origin != stream) return call.result(invalidate(*capture, cudaErrorStreamCaptureUnmatched));
  if (capture->mode != cudaStreamCaptureModeRelaxed && capture->thread != std::this_thread::get_id()) {
    return call.result(invalidate(*capture, cudaErrorStreamCaptureWrongThread));
  }
  // The origin stream must wait for all work that joined streams have captured.
  const std::vector<CUstream_st*> streams = runtime().streams_in(*capture);
  const bool is_joined = std::all_of(streams.begin(), streams.end(), [&](const CUstream_st* other) {
    return std::all_of(other->capture_ends.begin(), other->capture_ends.end(),
                       [&](std::size_t end) { return is_before(*capture, end, stream->capture_ends); });
  });
  abandon(capture);
  if (capture->is_invalidated) return call.result(cudaErrorStreamCaptureInvalidated);
  if (!is_joined) return call.result(cudaErrorStreamCaptureUnjoined);
  *graph = new CUgraph_st{capture->nodes};
  ++runtime().graph_count;
  return call.result();
}

cudaError_t cudaStreamIsCapturing(cudaStream_t handle, cudaStreamCaptureStatus* status) {
  Call call("cudaStreamIsCapturing", kUsesContext);
  if (call.fails()) return call.result();
  CUstream_st* stream = runtime().stream(handle, call.name());
  if (stream == nullptr) return call.result(cudaErrorInvalidResourceHandle);
  const bool is_legacy = runtime().device(stream->device).legacy == stream;
  if (is_legacy && forbids_legacy(stream->device)) return call.result(cudaErrorStreamCaptureImplicit);
  *status = stream->capture == nullptr        ? cudaStreamCaptureStatusNone
            : stream->capture->is_invalidated ? cudaStreamCaptureStatusInvalidated
                                              : cudaStreamCaptureStatusActive;
  return call.result();
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  Call call("cudaThreadExchangeStreamCaptureMode", kPlain);
  if (call.is_impossible()) return call.result();
  std::swap(*mode, this_thread().capture_mode);
  return call.result();
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* out, cudaGraph_t graph, unsigned long long) {
  Call call("cudaGraphInstantiate", kUsesContext);
  if (call.fails()) return call.result();
  *out = new CUgraphExec_st{graph->nodes};
  ++runtime().graph_count;
  return call.result();
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t handle) {
  Call call("cudaGraphLaunch", kUsesContext);
  if (call.fails()) return call.result();
  cudaError_t error = cudaSuccess;
  CUstream_st* stream = usable_stream(handle, call.name(), error);
  if (stream == nullptr) return call.result(error);
  runtime().enqueue(*stream, "a graph", call.name(), true, [nodes = graph->nodes] {
    for (const Node& node : nodes) node.work();
  });
  return call.result();
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graph) {
  Call call("cudaGraphExecDestroy", kUsesContext | kReleases);
  if (call.is_impossible()) return call.result();
  delete graph;
  --runtime().graph_count;
  return call.result();
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  Call call("cudaGraphDestroy", kUsesContext | kReleases);
  if (call.is_impossible()) return call.result();
  delete graph;
  --runtime().graph_count;
  return call.result();
}

// Nothing profiles the fake device.
cudaError_t cudaProfilerStart() { return Call("cudaProfilerStart", kUsesContext).result(); }
cudaError_t cudaProfilerStop() { return Call("cudaProfilerStop", kUsesContext).result(); }

}  // extern "C"
