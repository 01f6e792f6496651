#include "cuda_scenarios.hpp"

#include <cuda_runtime_api.h>

#include <bit>
#include <numeric>
#include <optional>

#include <octavo/batch_maker.hpp>
#include <octavo/graph_loader.hpp>
#include <octavo/loader.hpp>
#include <octavo/report.hpp>
#include <octavo/train.hpp>

#include "cuda/check.hpp"
#include "device_tensor.hpp"
#include "packed_fixture.hpp"

namespace octavo::test {
namespace {

using cuda::check;

constexpr std::int64_t kSamples = 60, kBatch = 16;
const SampleShape kShape{2, 3, 5};

const PackedFixture& fixture() {
  static const PackedFixture one({random_split("train", kSamples, kShape, 1), random_split("test", 20, kShape, 2)});
  return one;
}
Split split() { return fixture().dataset().split("train"); }

LoadOptions with_residency(Residency residency) {
  LoadOptions options;
  options.residency = residency;
  options.thread_count = 2;
  if (residency == Residency::hybrid) options.resident_count = kSamples / 3;
  if (residency == Residency::window) options.window_samples = kSamples / 3;
  return options;
}

/// The same samples in host memory.
struct InMemory {
  std::vector<std::int8_t> codes;
  HostSamples samples;
  InMemory() {
    const PlainSplit& plain = fixture().plain();
    for (const std::uint8_t value : plain.values) codes.push_back(static_cast<std::int8_t>(value - 128));
    samples = {kShape, {LabelKind::class_index, 1}, codes, std::as_bytes(std::span(plain.labels))};
  }
};

/// Waits for the device in its destructor, so that tensors declared before it are not freed while work is pending, even
/// if an exception is thrown. Callers must ensure this.
struct WaitAtEnd {
  Device device;
  explicit WaitAtEnd(Device of) : device(of) {}
  ~WaitAtEnd() {
    if (!device.is_cpu()) backend::finish(*backend_, StreamRef());
  }
  WaitAtEnd(const WaitAtEnd&) = delete;

 private:
  std::shared_ptr<backend::Backend> backend_ = backend::make_backend(device);
};

void add(Seen& seen, const TensorView& tensor) {
  const auto bits = DeviceTensor::read<std::uint32_t>(tensor);
  seen.insert(seen.end(), bits.begin(), bits.end());
}

/// Gathers 7 given rows, with a prepared spec and with a plain one.
Seen gather_from(const Store& store) {
  Seen seen;
  const std::vector<std::int64_t> rows = {59, 0, 20, 19, 33, 33, 1};
  const DeviceTensor images(store.device(), DType::float32, {7, 2, 3, 5}), labels(store.device(), DType::int32, {7});
  const WaitAtEnd wait(store.device());
  const PreparedSpec spec = store.prepare({});
  store.gather(rows, spec, images.view(), labels.view());
  add(seen, images.view());
  add(seen, labels.view());
  store.gather(rows, BatchSpec{}, images.view());
  add(seen, images.view());
  return seen;
}

Seen serve_epochs(const Store& store, int prefetch) {
  LoaderOptions options{.batch_size = kBatch};
  options.prefetch = prefetch;
  Loader loader(store, options);
  Seen seen;
  for (const std::int64_t epoch : {0, 1}) {
    for (const Batch& batch : loader.epoch(epoch)) {
      add(seen, batch.images());
      add(seen, batch.labels());
    }
  }
  return seen;
}

Seen make_batches(const Store& store) {
  const BatchMaker maker(store, {.batch_size = kBatch});
  Seen seen;
  for (const std::int64_t step : {0, 1, 3}) {
    const std::int64_t B = maker.batch_count(0, step);
    const DeviceTensor images(store.device(), DType::float32, {B, 2, 3, 5}), labels(store.device(), DType::int32, {B});
    const WaitAtEnd wait(store.device());
    maker.make(0, step, images.view(), labels.view());
    add(seen, images.view());
    add(seen, labels.view());
  }
  return seen;
}

/// A stream that captures work and then launches the graph.
class Capturing {
 public:
  Capturing() {
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "create a stream");
    const cudaError_t status = cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal);
    if (status != cudaSuccess) static_cast<void>(cudaStreamDestroy(stream_));
    check(status, "begin to capture");
  }
  ~Capturing() {
    static_cast<void>(cudaStreamEndCapture(stream_, graph_ == nullptr ? &graph_ : &ignored_));
    for (int attempt = 0; attempt < 2; ++attempt) static_cast<void>(cudaStreamSynchronize(stream_));
    static_cast<void>(cudaStreamDestroy(stream_));
    if (executable_ != nullptr) static_cast<void>(cudaGraphExecDestroy(executable_));
    if (graph_ != nullptr) static_cast<void>(cudaGraphDestroy(graph_));
  }
  Capturing(const Capturing&) = delete;
  StreamRef stream() const { return StreamRef(stream_); }
  void end() {
    check(cudaStreamEndCapture(stream_, &graph_), "end a capture");
    check(cudaGraphInstantiate(&executable_, graph_, 0), "instantiate a graph");
  }
  void launch() {
    check(cudaGraphLaunch(executable_, stream_), "launch a graph");
    check(cudaStreamSynchronize(stream_), "wait for a graph");
  }

 private:
  cudaStream_t stream_ = nullptr;
  cudaGraph_t graph_ = nullptr, ignored_ = nullptr;
  cudaGraphExec_t executable_ = nullptr;
};

Seen serve_from_graph(Device device, bool captures) {
  const Store store = Store::load(split(), device, with_residency(Residency::device));
  GraphLoader loader(store, {.batch_size = kBatch, .shuffle = true, .seed = 3, .drop_last = true});
  const DeviceTensor images(device, DType::float32, {kBatch, 2, 3, 5}), labels(device, DType::int32, {kBatch});
  const WaitAtEnd wait(device);
  std::optional<Capturing> graph;
  if (captures && !device.is_cpu()) {
    graph.emplace();
    loader.next(images.view(), labels.view(), graph->stream());
    graph->end();
  }
  Seen seen;
  for (int step = 0; step < 5; ++step) {
    if (graph)
      graph->launch();
    else
      loader.next(images.view(), labels.view());
    add(seen, images.view());
    add(seen, labels.view());
  }
  return seen;
}

Seen train_a_little(Device device, ModelKind model, SampleForm form = SampleForm::int8) {
  TrainOptions options;
  options.form = form;
  options.model = model;
  options.hidden_units = 4;
  options.epochs = 1;
  options.batch_size = kBatch;
  options.device = device;
  Seen seen;
  for (const EpochResult& epoch : train(fixture().dataset(), options).epochs) {
    for (const float loss : epoch.batch_losses) seen.push_back(std::bit_cast<std::uint32_t>(loss));
  }
  return seen;
}

Seen report_on(Device device) {
  ReportOptions options;
  options.device = device;
  options.batch_size = 8;
  const MemoryReport report = measure_report(fixture().dataset(), options);
  return {static_cast<std::uint32_t>(report.residencies.size())};
}

std::vector<Scenario> all_scenarios() {
  std::vector<Scenario> all;
  for (const Residency residency :
       {Residency::automatic, Residency::device, Residency::hybrid, Residency::streamed, Residency::window}) {
    const std::string name = to_string(residency);
    all.push_back({"gather from " + name, [=](Device device) {
                     return gather_from(Store::load(split(), device, with_residency(residency)));
                   }});
    for (const int prefetch : {0, 2}) {
      all.push_back({"load batches from " + name + ", prefetch " + std::to_string(prefetch),
                     [=](Device device) {
                       return serve_epochs(Store::load(split(), device, with_residency(residency)), prefetch);
                     },
                     true, prefetch == 0});
    }
  }
  for (const HostMemory memory : {HostMemory::copy, HostMemory::borrow}) {
    for (const Residency residency : {Residency::device, Residency::hybrid}) {
      all.push_back({std::string("gather from host memory, ") + to_string(residency) +
                         (memory == HostMemory::copy ? ", copied" : ", borrowed"),
                     [=](Device device) {
                       const InMemory in_memory;
                       return gather_from(Store::load(in_memory.samples, memory, device, with_residency(residency)));
                     }});
    }
  }
  for (const Residency residency : {Residency::device, Residency::streamed}) {
    all.push_back({std::string("make batches from ") + to_string(residency),
                   [=](Device device) { return make_batches(Store::load(split(), device, with_residency(residency))); },
                   true, residency == Residency::device});
  }
  all.push_back({"a graph loader, eager", [](Device device) { return serve_from_graph(device, false); }});
  all.push_back({"a graph loader, captured", [](Device device) { return serve_from_graph(device, true); }});
  all.push_back({"train softmax", [](Device device) { return train_a_little(device, ModelKind::softmax); }, false});
  all.push_back({"train an mlp", [](Device device) { return train_a_little(device, ModelKind::mlp); }, false});
  all.push_back({"train on float32 samples",
                 [](Device device) { return train_a_little(device, ModelKind::softmax, SampleForm::float32); }, false});
  all.push_back({"train from the file",
                 [](Device device) { return train_a_little(device, ModelKind::softmax, SampleForm::one_by_one); },
                 false});
  all.push_back({"report", report_on, true, false});
  return all;
}

}  // namespace

const std::vector<Scenario>& scenarios() {
  static const std::vector<Scenario> all = all_scenarios();
  return all;
}

}  // namespace octavo::test
