// Stream capture: what can be captured, which calls each mode forbids, and how a launched graph behaves.
#include <functional>
#include <vector>

#include "probe.hpp"
#include "probe_kernels.hpp"

using namespace fake_cuda;
using namespace fake_cuda::test;

namespace {

constexpr cudaStreamCaptureMode kModes[] = {cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal,
                                            cudaStreamCaptureModeRelaxed};

/// An unsafe call that leaves no allocation behind.
cudaError_t allocate_and_free() {
  void* memory = nullptr;
  const cudaError_t status = cudaMalloc(&memory, 1);
  return status != cudaSuccess ? status : cudaFree(memory);
}

/// Ends a capture and destroys the graph.
cudaError_t end_capture(cudaStream_t stream) {
  cudaGraph_t graph = nullptr;
  const cudaError_t status = cudaStreamEndCapture(stream, &graph);
  if (graph != nullptr) must(cudaGraphDestroy(graph));
  return status;
}

cudaStreamCaptureStatus status_of(cudaStream_t stream) {
  cudaStreamCaptureStatus status{};
  must(cudaStreamIsCapturing(stream, &status));
  return status;
}

/// A finished capture, ready to be launched.
class Replayable {
 public:
  explicit Replayable(cudaStream_t capturing) {
    cudaGraph_t graph = nullptr;
    must(cudaStreamEndCapture(capturing, &graph));
    must(cudaGraphInstantiate(&graph_, graph, 0));
    must(cudaGraphDestroy(graph));
  }
  ~Replayable() { static_cast<void>(cudaGraphExecDestroy(graph_)); }
  Replayable(const Replayable&) = delete;
  operator cudaGraphExec_t() const { return graph_; }

 private:
  cudaGraphExec_t graph_ = nullptr;
};

/// Loads the test kernels, so that first-time initialization does not happen during a capture.
void load_kernels() {
  const DeviceBytes memory(2);
  must(launch_fill(memory.data(), 0, 1, 0, nullptr));
  must(launch_copy(memory.data() + 1, memory.data(), 1, nullptr));
  must(launch_increment(memory.data(), nullptr));
  must(cudaDeviceSynchronize());
}

}  // namespace

TEST_CASE("captured work runs at each launch of the graph and not before", "[unit][cuda_runtime][cuda]") {
  for (const Config& config : every_schedule()) {
    reset(config);
    load_kernels();
    const TestStream stream;
    const DeviceBytes counter(1), copy(1);
    must(cudaMemset(counter.data(), 0, 1));
    must(cudaDeviceSynchronize());
    must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    must(launch_increment(counter.data(), stream));
    must(launch_copy(copy.data(), counter.data(), 1, stream));
    const Replayable graph(stream);
    REQUIRE(byte_at(counter.data()) == 0);
    for (int launch = 1; launch <= 3; ++launch) {
      must(cudaGraphLaunch(graph, stream));
      REQUIRE(byte_at(copy.data()) == launch);
    }
  }
}

TEST_CASE("a graph reads host memory again at each launch", "[unit][cuda_runtime][cuda]") {
  for (const Config& config : every_schedule()) {
    reset(config);
    const TestStream stream;
    const DeviceBytes memory(1);
    const PinnedBytes pinned(1);
    *pinned.data() = 1;
    must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    must(cudaMemcpyAsync(memory.data(), pinned.data(), 1, cudaMemcpyHostToDevice, stream));
    const Replayable graph(stream);
    for (const int value : {5, 6}) {
      *pinned.data() = static_cast<unsigned char>(value);
      must(cudaGraphLaunch(graph, stream));
      REQUIRE(byte_at(memory.data()) == value);
    }
  }
}

TEST_CASE("launching a graph whose memory was freed is reported", "[unit][cuda_runtime][cuda]") {
  load_kernels();
  const TestStream stream;
  void* memory = nullptr;
  must(cudaMalloc(&memory, 1));
  must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  must(launch_fill(static_cast<unsigned char*>(memory), 0, 1, 7, stream));
  const Replayable graph(stream);
  must(cudaFree(memory));
  const Reports reports;
  must(cudaGraphLaunch(graph, stream));
  must(cudaStreamSynchronize(stream));
  REQUIRE(reports.are_one("uses memory that is freed"));
}

TEST_CASE("a graph is ordered on the stream it is launched on", "[unit][cuda_runtime][cuda]") {
  load_kernels();
  for (const Config& config : every_schedule()) {
    reset(config);
    load_kernels();
    const TestStream stream, other;
    const DeviceBytes memory(1);
    must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    must(launch_increment(memory.data(), stream));
    const Replayable graph(stream);
    const Reports reports;
    must(launch_fill(memory.data(), 0, 1, 7, stream));
    must(cudaGraphLaunch(graph, stream));
    finish_all();
    REQUIRE(reports.empty());
    must(cudaGraphLaunch(graph, other));
    finish_all();
    REQUIRE(!reports.empty());
  }
}

TEST_CASE("the capturing thread may make an unsafe call only in relaxed mode", "[unit][cuda_runtime][cuda]") {
  const TestStream stream, other;
  const TestEvent event;
  must(cudaEventRecord(event, other));
  const std::vector<std::function<cudaError_t()>> unsafe_calls = {
      allocate_and_free,
      [] {
        void* memory = nullptr;
        const cudaError_t status = cudaHostAlloc(&memory, 1, cudaHostAllocDefault);
        return status != cudaSuccess ? status : cudaFreeHost(memory);
      },
      [] { return cudaFree(nullptr); },
      [&] { return cudaStreamSynchronize(other); },
      [&] { return cudaEventSynchronize(event); },
      [&] { return cudaEventQuery(event); },
  };
  for (const auto& call : unsafe_calls) {
    for (const cudaStreamCaptureMode mode : kModes) {
      const bool is_allowed = mode == cudaStreamCaptureModeRelaxed;
      finish_all();
      must(cudaStreamBeginCapture(stream, mode));
      REQUIRE(call() == (is_allowed ? cudaSuccess : cudaErrorStreamCaptureUnsupported));
      REQUIRE(status_of(stream) == (is_allowed ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusInvalidated));
      REQUIRE(end_capture(stream) == (is_allowed ? cudaSuccess : cudaErrorStreamCaptureInvalidated));
      must(call());
    }
  }
}

TEST_CASE("an unsafe call on another thread invalidates only a global capture", "[unit][cuda_runtime][cuda]") {
  const TestStream stream;
  for (const cudaStreamCaptureMode mode : kModes) {
    const bool is_allowed = mode != cudaStreamCaptureModeGlobal;
    must(cudaStreamBeginCapture(stream, mode));
    REQUIRE(on_another_thread(allocate_and_free) == (is_allowed ? cudaSuccess : cudaErrorStreamCaptureUnsupported));
    REQUIRE(end_capture(stream) == (is_allowed ? cudaSuccess : cudaErrorStreamCaptureInvalidated));
  }
}

TEST_CASE("a thread can change which calls captures forbid it", "[unit][cuda_runtime][cuda]") {
  const TestStream stream;
  const auto allocate_as = [](cudaStreamCaptureMode mode) {
    return on_another_thread([&] {
      cudaStreamCaptureMode own = mode;
      must(cudaThreadExchangeStreamCaptureMode(&own));
      const cudaError_t status = allocate_and_free();
      must(cudaThreadExchangeStreamCaptureMode(&own));
      return own == mode ? status : cudaErrorUnknown;
    });
  };
  must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  must(allocate_as(cudaStreamCaptureModeRelaxed));
  must(allocate_as(cudaStreamCaptureModeThreadLocal));
  must(end_capture(stream));
  must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  REQUIRE(allocate_as(cudaStreamCaptureModeGlobal) == cudaErrorStreamCaptureUnsupported);
  REQUIRE(end_capture(stream) == cudaErrorStreamCaptureInvalidated);
  // On the capturing thread, only relaxed mode permits it.
  for (const cudaStreamCaptureMode mode : kModes) {
    const bool is_allowed = mode == cudaStreamCaptureModeRelaxed;
    must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    cudaStreamCaptureMode own = mode;
    must(cudaThreadExchangeStreamCaptureMode(&own));
    REQUIRE(allocate_and_free() == (is_allowed ? cudaSuccess : cudaErrorStreamCaptureUnsupported));
    must(cudaThreadExchangeStreamCaptureMode(&own));
    REQUIRE(end_capture(stream) == (is_allowed ? cudaSuccess : cudaErrorStreamCaptureInvalidated));
  }
}

TEST_CASE("waiting for or querying a capturing stream invalidates the capture in any mode",
          "[unit][cuda_runtime][cuda]") {
  const TestStream stream;
  const std::vector<std::function<cudaError_t()>> calls = {
      [&] { return cudaStreamSynchronize(stream); },
      [&] { return cudaStreamQuery(stream); },
      [] { return cudaDeviceSynchronize(); },
  };
  for (const auto& call : calls) {
    must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    REQUIRE(call() == cudaErrorStreamCaptureUnsupported);
    REQUIRE(end_capture(stream) == cudaErrorStreamCaptureInvalidated);
  }
}

TEST_CASE("waiting for or querying an event recorded in a capture is an error", "[unit][cuda_runtime][cuda]") {
  const TestStream stream, other;
  for (const bool queries : {true, false}) {
    const TestEvent event;
    const auto ask = [&] { return queries ? cudaEventQuery(event) : cudaEventSynchronize(event); };
    must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    must(cudaEventRecord(event, stream));
    REQUIRE(ask() == cudaErrorCapturedEvent);
    REQUIRE(end_capture(stream) == cudaErrorStreamCaptureInvalidated);
    REQUIRE(ask() == cudaErrorCapturedEvent);
    // The capture is over: no stream can join it anymore.
    REQUIRE(cudaStreamWaitEvent(other, event, 0) == cudaErrorCapturedEvent);
    REQUIRE(status_of(other) == cudaStreamCaptureStatusNone);
    must(cudaEventRecord(event, stream));
    must(cudaEventSynchronize(event));
  }
}

TEST_CASE("a stream joins a capture through an event and must be joined back", "[unit][cuda_runtime][cuda]") {
  load_kernels();
  const TestStream stream, side;
  const TestEvent forked, joined;
  const DeviceBytes memory(1), copy(1);
  for (const bool comes_back : {true, false}) {
    must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    must(cudaEventRecord(forked, stream));
    must(cudaStreamWaitEvent(side, forked, 0));
    REQUIRE(status_of(side) == cudaStreamCaptureStatusActive);
    must(launch_fill(memory.data(), 0, 1, 7, side));
    must(cudaEventRecord(joined, side));
    if (comes_back) {
      must(cudaStreamWaitEvent(stream, joined, 0));
      must(launch_copy(copy.data(), memory.data(), 1, stream));
      const Replayable graph(stream);
      must(cudaGraphLaunch(graph, stream));
      REQUIRE(byte_at(copy.data()) == 7);
    } else {
      REQUIRE(end_capture(stream) == cudaErrorStreamCaptureUnjoined);
    }
    REQUIRE(status_of(side) == cudaStreamCaptureStatusNone);
  }
}

TEST_CASE("work enqueued after a stream was joined back must be joined back too", "[unit][cuda_runtime][cuda]") {
  load_kernels();
  const TestStream stream, side;
  const TestEvent forked, joined;
  const DeviceBytes memory(1);
  must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  must(cudaEventRecord(forked, stream));
  must(cudaStreamWaitEvent(side, forked, 0));
  must(launch_fill(memory.data(), 0, 1, 7, side));
  must(cudaEventRecord(joined, side));
  must(cudaStreamWaitEvent(stream, joined, 0));
  must(launch_increment(memory.data(), side));
  REQUIRE(end_capture(stream) == cudaErrorStreamCaptureUnjoined);
}

TEST_CASE("a capture must end on the stream and the thread where it began", "[unit][cuda_runtime][cuda]") {
  const TestStream stream, side;
  const TestEvent forked;
  must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  must(cudaEventRecord(forked, stream));
  must(cudaStreamWaitEvent(side, forked, 0));
  REQUIRE(end_capture(side) == cudaErrorStreamCaptureUnmatched);
  static_cast<void>(end_capture(stream));
  REQUIRE(end_capture(stream) == cudaErrorIllegalState);

  must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  REQUIRE(on_another_thread([&] { return end_capture(stream); }) == cudaErrorStreamCaptureWrongThread);
  static_cast<void>(end_capture(stream));
  must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  must(on_another_thread([&] { return end_capture(stream); }));
}

TEST_CASE("only stream order crosses the boundary of a capture", "[unit][cuda_runtime][cuda]") {
  const TestStream stream, other;
  const TestEvent before, within;
  must(cudaEventRecord(before, other));
  must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  REQUIRE(cudaStreamWaitEvent(stream, before, 0) == cudaErrorStreamCaptureIsolation);
  REQUIRE(end_capture(stream) == cudaErrorStreamCaptureInvalidated);

  must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  must(cudaStreamBeginCapture(other, cudaStreamCaptureModeGlobal));
  must(cudaEventRecord(within, other));
  REQUIRE(cudaStreamWaitEvent(stream, within, 0) == cudaErrorStreamCaptureMerge);
  static_cast<void>(end_capture(stream));
  static_cast<void>(end_capture(other));
}

TEST_CASE("the default stream cannot capture and is unusable while a blocking stream captures",
          "[unit][cuda_runtime][cuda]") {
  load_kernels();
  const DeviceBytes memory(1);
  const TestStream blocking(cudaStreamDefault), other;
  const TestEvent event;
  REQUIRE(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeRelaxed) != cudaSuccess);

  const std::vector<std::function<cudaError_t()>> calls = {
      [&] { return launch_fill(memory.data(), 0, 1, 7, nullptr); },
      [&] { return cudaMemsetAsync(memory.data(), 0, 1, nullptr); },
      [&] { return cudaEventRecord(event, nullptr); },
  };
  for (const auto& call : calls) {
    must(cudaStreamBeginCapture(blocking, cudaStreamCaptureModeRelaxed));
    REQUIRE(call() == cudaErrorStreamCaptureImplicit);
    REQUIRE(end_capture(blocking) == cudaErrorStreamCaptureInvalidated);
    // A non-blocking stream does not affect it.
    must(cudaStreamBeginCapture(other, cudaStreamCaptureModeRelaxed));
    must(call());
    must(end_capture(other));
  }
}

TEST_CASE("asking whether the default stream is capturing does not affect any capture", "[unit][cuda_runtime][cuda]") {
  const TestStream blocking(cudaStreamDefault);
  must(cudaStreamBeginCapture(blocking, cudaStreamCaptureModeGlobal));
  cudaStreamCaptureStatus status{};
  REQUIRE(cudaStreamIsCapturing(nullptr, &status) == cudaErrorStreamCaptureImplicit);
  REQUIRE(status_of(blocking) == cudaStreamCaptureStatusActive);
  must(end_capture(blocking));
  REQUIRE(status_of(nullptr) == cudaStreamCaptureStatusNone);
}

TEST_CASE("the default stream cannot join a capture", "[unit][cuda_runtime][cuda]") {
  const TestStream stream;
  const TestEvent event;
  must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  must(cudaEventRecord(event, stream));
  REQUIRE(cudaStreamWaitEvent(nullptr, event, 0) == cudaErrorStreamCaptureImplicit);
  REQUIRE(end_capture(stream) == cudaErrorStreamCaptureInvalidated);
  REQUIRE(status_of(nullptr) == cudaStreamCaptureStatusNone);
}

TEST_CASE("the first launch of a kernel cannot be captured", "[unit][cuda_runtime][cuda]") {
  const TestStream stream;
  const DeviceBytes memory(1);
  must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  REQUIRE(launch_increment(memory.data(), stream) == cudaErrorStreamCaptureUnsupported);
  REQUIRE(end_capture(stream) == cudaErrorStreamCaptureInvalidated);
  must(cudaMemset(memory.data(), 0, 1));
  must(cudaDeviceSynchronize());
  must(launch_increment(memory.data(), stream));
  must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  must(launch_increment(memory.data(), stream));
  must(end_capture(stream));
  REQUIRE(byte_at(memory.data()) == 1);
}

TEST_CASE("an invalidated capture stays invalid until it is ended", "[unit][cuda_runtime][cuda]") {
  load_kernels();
  const TestStream stream;
  const DeviceBytes memory(1);
  must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  REQUIRE(allocate_and_free() != cudaSuccess);
  REQUIRE(launch_fill(memory.data(), 0, 1, 7, stream) == cudaErrorStreamCaptureInvalidated);
  REQUIRE(cudaMemsetAsync(memory.data(), 0, 1, stream) == cudaErrorStreamCaptureInvalidated);
  REQUIRE(status_of(stream) == cudaStreamCaptureStatusInvalidated);
  REQUIRE(end_capture(stream) == cudaErrorStreamCaptureInvalidated);
  must(launch_fill(memory.data(), 0, 1, 7, stream));
  REQUIRE(byte_at(memory.data()) == 7);
}

TEST_CASE("destroying a capturing stream ends its capture", "[unit][cuda_runtime][cuda]") {
  cudaStream_t stream = nullptr;
  must(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  must(cudaStreamDestroy(stream));
  must(allocate_and_free());
}
