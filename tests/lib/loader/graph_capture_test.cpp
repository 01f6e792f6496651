// CUDA graphs that make batches are captured once, replayed, and compared with a loader.
#include <cuda_runtime_api.h>

#include <octavo/graph_loader.hpp>

#include "catch.hpp"
#include "cuda/check.hpp"
#include "device_tensor.hpp"
#include "devices.hpp"
#include "packed_fixture.hpp"

using namespace octavo;
using namespace octavo::test;
using octavo::cuda::check;

TEST_CASE("each replay of a captured graph makes the next batch", "[unit][loader][cuda]") {
  const auto device = cuda_device();
  if (!device) OCTAVO_SKIP("no CUDA device");
  const PackedFixture fixture({random_split("train", 47, {2, 3, 5})});
  const Store store = Store::load(fixture.dataset().split("train"), *device);
  LoaderOptions options{.batch_size = 9, .shuffle = true, .seed = 9, .drop_last = true};
  for (const Center center : {Center::dataset, Center::batch}) {
    options.spec.center = center;
    GraphLoader graph_loader(store, options);
    const DeviceTensor images(*device, DType::float32, {9, 2, 3, 5});
    const DeviceTensor labels(*device, DType::int32, {9});
    cudaStream_t stream = nullptr;
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t replayable = nullptr;
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "create a stream");
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "begin to capture");
    graph_loader.next(images.view(), labels.view(), StreamRef(stream));
    check(cudaStreamEndCapture(stream, &graph), "end capturing");
    check(cudaGraphInstantiate(&replayable, graph, 0), "instantiate the graph");

    Loader loader(store, options);
    for (const std::int64_t epoch : {0, 1, 2}) {
      for (const Batch& batch : loader.epoch(epoch)) {
        check(cudaGraphLaunch(replayable, stream), "replay the graph");
        check(cudaStreamSynchronize(stream), "wait for the graph");
        REQUIRE(images.to_host<float>() == DeviceTensor::read<float>(batch.images()));
        REQUIRE(labels.to_host<std::int32_t>() == DeviceTensor::read<std::int32_t>(batch.labels()));
      }
    }
    check(cudaGraphExecDestroy(replayable), "destroy the graph");
    check(cudaGraphDestroy(graph), "destroy the graph");
    check(cudaStreamDestroy(stream), "destroy the stream");
  }
}
