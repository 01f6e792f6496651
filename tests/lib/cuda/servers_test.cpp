// Every batch server does its work on the given stream.
#include <functional>
#include <memory>

#include <octavo/graph_loader.hpp>
#include <octavo/loader.hpp>

#include "catch.hpp"
#include "comparisons/float32_server.hpp"
#include "comparisons/float32_window_server.hpp"
#include "comparisons/one_batch_server.hpp"
#include "comparisons/one_by_one_server.hpp"
#include "device_tensor.hpp"
#include "own_stream.hpp"
#include "small_store.hpp"
#include "store/stored_samples.hpp"

using namespace octavo;
using namespace octavo::test;

namespace {

/// The first and last batches of two epochs, each as values and then labels.
std::vector<std::vector<std::uint32_t>> serve_batches(const loader::BatchServer& server, Device device,
                                                      StreamRef stream) {
  std::vector<DeviceTensor> tensors;
  for (const std::int64_t epoch : {0, 1}) {
    for (const std::int64_t step : {0, 1, 2, 9}) {
      const DeviceTensor& images = tensors.emplace_back(device, DType::float32, std::vector<std::int64_t>{4, 1, 2, 3});
      void* values = images.view().data;
      const DeviceTensor& labels = tensors.emplace_back(device, DType::int32, std::vector<std::int64_t>{4});
      server.serve(epoch, step, {values, {labels.view().data}}, stream);
    }
  }
  std::vector<std::vector<std::uint32_t>> seen;
  for (const DeviceTensor& tensor : tensors) seen.push_back(tensor.to_host<std::uint32_t>(stream));
  return seen;
}

}  // namespace

TEST_CASE("every batch server works on the given stream", "[unit][cuda]") {
  const PackedFixture fixture = small_fixture();
  const Split split = fixture.dataset().split("train");
  LoaderOptions windows{.batch_size = 4}, global{.batch_size = 4, .shuffle = true};
  windows.shuffle = Shuffle::windows(10);
  using MakeServer = std::function<std::shared_ptr<loader::BatchServer>(const Store&)>;
  const auto packed = [](const Store& store, const LoaderOptions& options) {
    return std::make_shared<loader::PackedServer>(store.samples(), options);
  };
  const std::pair<Residency, MakeServer> ways[] = {
      {Residency::device, [&](const Store& store) { return packed(store, global); }},
      {Residency::streamed, [&](const Store& store) { return packed(store, global); }},
      {Residency::hybrid, [&](const Store& store) { return packed(store, global); }},
      {Residency::window, [&](const Store& store) { return packed(store, windows); }},
      {Residency::device,
       [&](const Store& store) { return std::make_shared<comparisons::Float32Server>(*packed(store, global)); }},
      {Residency::device,
       [&](const Store& store) {
         return std::make_shared<comparisons::Float32WindowServer>(store.samples(), windows);
       }},
      {Residency::streamed,
       [&](const Store& store) {
         return std::make_shared<comparisons::Float32WindowServer>(store.samples(), windows);
       }},
      {Residency::device,
       [&](const Store& store) {
         return std::make_shared<comparisons::OneByOneServer>(split, store.samples(), global);
       }},
      {Residency::device,
       [&](const Store& store) { return std::make_shared<comparisons::OneBatchServer>(packed(store, global)); }},
  };
  int number = 0;
  for (const auto& [residency, make_server] : ways) {
    INFO("server " << number++);
    const OwnStream stream;
    const auto server = make_server(small_store(fixture, residency));
    const auto on_cpu = make_server(small_store(fixture, residency, Device::cpu()));
    CHECK(serve_batches(*server, Device::cuda(0), stream) == serve_batches(*on_cpu, Device::cpu(), {}));
  }
}

TEST_CASE("a graph loader works on the given stream", "[unit][cuda]") {
  const PackedFixture fixture = small_fixture();
  LoaderOptions options{.batch_size = 4, .shuffle = true, .drop_last = true};
  const bool is_weighted = GENERATE(false, true);
  if (is_weighted) options.sampling.weights = std::vector<double>(40, 1.0);
  const auto third_batch = [&](Device device, StreamRef stream) {
    GraphLoader loader(small_store(fixture, Residency::device, device), options);
    const DeviceTensor images(device, DType::float32, {4, 1, 2, 3}), labels(device, DType::int32, {4});
    loader.next(images.view(), labels.view(), stream);  // still reads its place when it is changed
    loader.seek(1, 2, stream);
    loader.next(images.view(), labels.view(), stream);
    CHECK(loader.state(stream).step == 3);
    return std::pair(images.to_host<std::uint32_t>(stream), labels.to_host<std::int32_t>(stream));
  };
  const OwnStream stream;
  CHECK(third_batch(Device::cuda(0), stream) == third_batch(Device::cpu(), {}));
}
