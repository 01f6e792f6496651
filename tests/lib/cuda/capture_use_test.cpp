// The library during a stream capture: it neither ends the capture nor becomes part of it by accident.
#include <cuda_runtime_api.h>

#include <memory>
#include <optional>
#include <thread>

#include <octavo/batch_maker.hpp>
#include <octavo/errors.hpp>
#include <octavo/graph_loader.hpp>
#include <octavo/loader.hpp>

#include "catch.hpp"
#include "cuda_scenarios.hpp"
#include "device_tensor.hpp"
#include "fake_cuda.hpp"
#include "small_store.hpp"

using namespace octavo;
using namespace octavo::test;

namespace {

/// A capturing stream, in the mode that frameworks use.
class GlobalCapture {
 public:
  GlobalCapture() {
    REQUIRE(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking) == cudaSuccess);
    REQUIRE(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal) == cudaSuccess);
  }
  ~GlobalCapture() {
    static_cast<void>(end());
    static_cast<void>(cudaStreamDestroy(stream_));
  }
  GlobalCapture(const GlobalCapture&) = delete;
  StreamRef stream() const { return StreamRef(stream_); }
  cudaStreamCaptureStatus status() const {
    cudaStreamCaptureStatus status{};
    REQUIRE(cudaStreamIsCapturing(stream_, &status) == cudaSuccess);
    return status;
  }
  cudaError_t end() {
    cudaGraph_t graph = nullptr;
    const cudaError_t result = cudaStreamEndCapture(stream_, &graph);
    if (graph != nullptr) static_cast<void>(cudaGraphDestroy(graph));
    return result;
  }

 private:
  cudaStream_t stream_ = nullptr;
};

}  // namespace

TEST_CASE("library calls on another thread do not end a capture", "[unit][cuda]") {
  for (const Scenario& scenario : scenarios()) {
    if (scenario.name.find("captured") != std::string::npos) continue;
    GlobalCapture capture;
    std::thread([&] { scenario.run(Device::cuda(0)); }).join();
    INFO(scenario.name);
    CHECK(capture.status() == cudaStreamCaptureStatusActive);
    CHECK(capture.end() == cudaSuccess);
  }
}

TEST_CASE("library calls on the capturing thread on other streams do not end a capture", "[unit][cuda]") {
  for (const Scenario& scenario : scenarios()) {
    if (scenario.name.find("captured") != std::string::npos) continue;
    GlobalCapture capture;
    scenario.run(Device::cuda(0));
    INFO(scenario.name);
    CHECK(capture.status() == cudaStreamCaptureStatusActive);
    CHECK(capture.end() == cudaSuccess);
  }
}

TEST_CASE("a prefetching loader does not end a capture that begins meanwhile", "[unit][cuda]") {
  const PackedFixture fixture = small_fixture();
  for (const Residency residency : kServedResidencies) {
    const Store store = small_store(fixture, residency);
    LoaderOptions options{.batch_size = 4};
    options.prefetch = 3;
    Loader loader(store, options);
    auto place = loader.epoch(0).begin();
    GlobalCapture capture;
    for (int step = 0; step < 5; ++step) ++place;
    CHECK(capture.status() == cudaStreamCaptureStatusActive);
    CHECK(capture.end() == cudaSuccess);
  }
}

TEST_CASE("destroying a store during a capture does not end the capture", "[unit][cuda]") {
  const PackedFixture fixture = small_fixture();
  for (const Residency residency : kServedResidencies) {
    for (const bool on_another_thread : {false, true}) {
      std::optional<Store> store = small_store(fixture, residency);
      auto loader = std::make_unique<Loader>(*store, LoaderOptions{.batch_size = 4});
      auto place = loader->epoch(0).begin();
      ++place;
      GlobalCapture capture;
      const auto destroy = [&] {
        loader.reset();
        store.reset();
      };
      if (on_another_thread)
        std::thread(destroy).join();
      else
        destroy();
      CHECK(capture.end() == cudaSuccess);
    }
  }
}

TEST_CASE("batches that a replay could not repeat are refused and the capture continues", "[unit][cuda]") {
  const PackedFixture fixture = small_fixture();
  for (const Residency residency : kServedResidencies) {
    const Store store = small_store(fixture, residency);
    const DeviceTensor images(Device::cuda(0), DType::float32, {4, 1, 2, 3});
    const std::vector<std::int64_t> rows = {0, 1, 2, 3};
    const PreparedSpec spec = store.prepare({});
    const BatchMaker maker(store, {.batch_size = 4});
    Loader loader(store, {.batch_size = 4});
    GlobalCapture capture;
    CHECK_THROWS_WITH(store.gather(rows, spec, images.view(), {}, capture.stream()),
                      ContainsSubstring("use a GraphLoader"));
    CHECK_THROWS_WITH(store.gather(rows, BatchSpec{}, images.view(), {}, capture.stream()),
                      ContainsSubstring("use a GraphLoader"));
    CHECK_THROWS_WITH(maker.make(0, 1, images.view(), {}, capture.stream()), ContainsSubstring("use a GraphLoader"));
    CHECK_THROWS_WITH(loader.epoch(0, capture.stream()), ContainsSubstring("use a GraphLoader"));
    CHECK(capture.status() == cudaStreamCaptureStatusActive);
    CHECK(capture.end() == cudaSuccess);
    // Outside the capture, all of them work.
    store.gather(rows, spec, images.view());
    maker.make(0, 1, images.view());
    CHECK(loader.epoch(0).begin()->size() == 4);
  }
}

TEST_CASE("a thread's capture mode is what it was after any call", "[unit][cuda]") {
  const PackedFixture fixture = small_fixture();
  for (const cudaStreamCaptureMode mode : {cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal}) {
    cudaStreamCaptureMode exchanged = mode;
    REQUIRE(cudaThreadExchangeStreamCaptureMode(&exchanged) == cudaSuccess);
    {
      const Store store = small_store(fixture, Residency::device);
      const DeviceTensor images(Device::cuda(0), DType::float32, {4, 1, 2, 3});
      store.gather(std::vector<std::int64_t>{1, 2, 3, 4}, BatchSpec{}, images.view());
      images.to_host<float>();
    }
    REQUIRE(cudaThreadExchangeStreamCaptureMode(&exchanged) == cudaSuccess);
    CHECK(exchanged == mode);
  }
}

TEST_CASE("a graph loader's position can be neither set nor queried during a capture", "[unit][cuda]") {
  const PackedFixture fixture = small_fixture();
  const Store store = small_store(fixture, Residency::device);
  GraphLoader loader(store, {.batch_size = 4, .drop_last = true});
  GlobalCapture capture;
  CHECK_THROWS_WITH(loader.seek(0, 1, capture.stream()), ContainsSubstring("capture"));
  CHECK_THROWS_WITH(loader.state(capture.stream()), ContainsSubstring("capture"));
  CHECK(capture.status() == cudaStreamCaptureStatusActive);
  CHECK(capture.end() == cudaSuccess);
  CHECK(loader.state().step == 0);
}

TEST_CASE("the next batch refuses a capture that begins on its stream during an epoch", "[unit][cuda]") {
  const PackedFixture fixture = small_fixture();
  for (const Residency residency : kServedResidencies) {
    const Store store = small_store(fixture, residency);
    for (const int prefetch : {0, 2}) {
      cudaStream_t stream = nullptr;
      REQUIRE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
      {
        LoaderOptions options{.batch_size = 4};
        options.prefetch = prefetch;
        Loader loader(store, options);
        auto place = loader.epoch(0, StreamRef(stream)).begin();
        REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
        CHECK_THROWS_WITH(++place, ContainsSubstring("use a GraphLoader"));
        cudaGraph_t graph = nullptr;
        CHECK(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
        if (graph != nullptr) static_cast<void>(cudaGraphDestroy(graph));
      }
      static_cast<void>(cudaStreamDestroy(stream));
    }
  }
}
