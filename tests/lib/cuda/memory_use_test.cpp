// Checks how much memory the library pins and allocates, and when.
#include <octavo/batch_maker.hpp>
#include <octavo/loader.hpp>

#include "catch.hpp"
#include "device_tensor.hpp"
#include "fake_cuda.hpp"
#include "small_store.hpp"

using namespace octavo;
using namespace octavo::test;

namespace {

constexpr std::int64_t kMiB = std::int64_t{1} << 20;
/// Staging uses blocks of 4 MiB, two for each of at most 8 readers.
constexpr std::int64_t kMostPinned = 2 * 8 * 4 * kMiB;

/// 40 MiB of repeated samples, and 20 MiB of masks.
PlainSplit large_split() {
  PlainSplit split = masked_split("train", 16, {2, 512, 640});
  const std::vector<std::uint8_t> values = split.values, masks = split.masks;
  for (int copy = 0; copy < 3; ++copy) {
    split.values.insert(split.values.end(), values.begin(), values.end());
    split.masks.insert(split.masks.end(), masks.begin(), masks.end());
  }
  for (std::int32_t row = 16; row < 64; ++row) split.labels.push_back(row % 10);
  return split;
}
const PackedFixture& large_fixture() {
  static const PackedFixture one({large_split()});
  return one;
}

std::int64_t calls_of(const std::string& name) {
  const auto calls = fake_cuda::calls();
  const auto found = calls.find(name);
  return found == calls.end() ? 0 : found->second;
}

/// The number of calls that allocate memory, a stream or an event.
std::int64_t allocations() {
  return calls_of("cudaMalloc") + calls_of("cudaMallocAsync") + calls_of("cudaHostAlloc") +
         calls_of("cudaStreamCreateWithPriority") + calls_of("cudaEventCreateWithFlags");
}

}  // namespace

TEST_CASE("little memory is pinned for any number of reading threads", "[unit][cuda]") {
  for (const Residency residency : {Residency::device, Residency::hybrid}) {
    for (const int thread_count : {1, 2, 64}) {
      fake_cuda::reset();
      LoadOptions options;
      options.residency = residency;
      options.thread_count = thread_count;
      const Store store = Store::load(large_fixture().dataset().split("train"), Device::cuda(0), options);
      INFO(to_string(residency) << " with " << thread_count << " threads");
      CHECK(fake_cuda::peak_pinned_bytes() >= static_cast<std::size_t>(4 * kMiB));
      CHECK(fake_cuda::peak_pinned_bytes() <= static_cast<std::size_t>(kMostPinned));
      CHECK(fake_cuda::peak_pinned_bytes() <= static_cast<std::size_t>(2 * thread_count * 4 * kMiB));
    }
  }
}

TEST_CASE("each block of a window is copied while the next one is read", "[unit][cuda]") {
  fake_cuda::reset();
  LoadOptions options;
  options.residency = Residency::window;
  options.window_samples = 32;  // 30 MiB
  const Store store = Store::load(large_fixture().dataset().split("train"), Device::cuda(0), options);
  Loader loader(store, {.batch_size = 16});
  std::int64_t served = 0;
  for (const Batch& batch : loader.epoch(0)) served += batch.size();
  CHECK(served == 64);
  // Two windows of 30 MiB in blocks of 4 MiB.
  CHECK(calls_of("cudaMemcpyAsync") >= 2 * 8);
  CHECK(fake_cuda::peak_pinned_bytes() <= static_cast<std::size_t>(2 * 2 * 4 * kMiB));
}

TEST_CASE("batches of given rows allocate only for pending batches", "[unit][cuda]") {
  // Pinned memory, device memory and an event for each of at most 16 pending batches, and an event for the stream. The
  // schedule determines how many are pending at a time.
  constexpr std::int64_t kMost = 3 * 16 + 1;
  const PackedFixture fixture = small_fixture();
  for (const Residency residency : kServedResidencies) {
    const Store store = small_store(fixture, residency);
    const PreparedSpec spec = store.prepare({});
    const DeviceTensor images(Device::cuda(0), DType::float32, {4, 1, 2, 3}),
        labels(Device::cuda(0), DType::int32, {4});
    const auto gather_some = [&](int count) {
      for (std::int64_t i = 0; i < count; ++i) {
        const std::vector<std::int64_t> rows = {i % 40, (i + 7) % 40, 39 - i % 40, 0};
        store.gather(rows, spec, images.view(), labels.view());
      }
    };
    const std::int64_t before = allocations();
    gather_some(200);
    INFO(to_string(residency));
    CHECK(allocations() - before <= kMost);
    static_cast<void>(images.to_host<float>());  // waits
  }
}

TEST_CASE("a batch maker allocates nothing after its first batches", "[unit][cuda]") {
  const PackedFixture fixture = small_fixture();
  for (const Residency residency : {Residency::device, Residency::streamed}) {
    const Store store = small_store(fixture, residency);
    const BatchMaker maker(store, {.batch_size = 4});
    const DeviceTensor images(Device::cuda(0), DType::float32, {4, 1, 2, 3});
    const auto make_epochs = [&](std::int64_t first, std::int64_t end) {
      for (std::int64_t epoch = first; epoch < end; ++epoch) {
        for (std::int64_t step = 0; step < 10; ++step) maker.make(epoch, step, images.view());
      }
    };
    make_epochs(0, 2);
    const std::int64_t before = allocations();
    make_epochs(2, 10);
    INFO(to_string(residency));
    CHECK(allocations() == before);
    static_cast<void>(images.to_host<float>());  // waits
  }
}
