// Objects that may be destroyed while the device is still working: the library waits, or keeps what is needed.
#include <cuda_runtime_api.h>

#include <memory>
#include <optional>

#include <octavo/batch_maker.hpp>
#include <octavo/errors.hpp>
#include <octavo/graph_loader.hpp>
#include <octavo/loader.hpp>
#include <octavo/owned_tensor.hpp>

#include "catch.hpp"
#include "comparisons/float32_server.hpp"
#include "device_tensor.hpp"
#include "fake_cuda.hpp"
#include "own_stream.hpp"
#include "small_store.hpp"
#include "store/staging/upload.hpp"
#include "store/stored_samples.hpp"

using namespace octavo;
using namespace octavo::test;

namespace {

BatchSpec with_divisor(double divisor) {
  BatchSpec spec;
  spec.divisor_values = {divisor};
  return spec;
}

const std::vector<std::int64_t> kRows = {39, 0, 20, 19};

/// The expected result of gathering kRows, computed on the CPU.
std::vector<float> expected_images(const PackedFixture& fixture, const BatchSpec& spec) {
  const DeviceTensor images(Device::cpu(), DType::float32, {4, 1, 2, 3});
  small_store(fixture, Residency::device, Device::cpu()).gather(kRows, spec, images.view());
  return images.to_host<float>();
}

}  // namespace

TEST_CASE("a prepared spec may be replaced while gathers use it", "[unit][cuda]") {
  const PackedFixture fixture = small_fixture();
  for (const Residency residency : kServedResidencies) {
    const Store store = small_store(fixture, residency);
    const OwnStream stream;
    const DeviceTensor one(Device::cuda(0), DType::float32, {4, 1, 2, 3}),
        two(Device::cuda(0), DType::float32, {4, 1, 2, 3});
    PreparedSpec spec = store.prepare(with_divisor(2));
    store.gather(kRows, spec, one.view(), {}, stream);
    spec = store.prepare(with_divisor(3));
    store.gather(kRows, spec, two.view(), {}, stream);
    spec = store.prepare(with_divisor(4));
    stream.synchronize();
    CHECK(one.to_host<float>() == expected_images(fixture, with_divisor(2)));
    CHECK(two.to_host<float>() == expected_images(fixture, with_divisor(3)));
  }
}

TEST_CASE("row numbers may change or be destroyed as soon as gather returns", "[unit][cuda]") {
  const PackedFixture fixture = small_fixture();
  for (const Residency residency : kServedResidencies) {
    const Store store = small_store(fixture, residency);
    const OwnStream stream;
    const PreparedSpec spec = store.prepare({});
    const DeviceTensor images(Device::cuda(0), DType::float32, {4, 1, 2, 3});
    auto rows = std::make_unique<std::vector<std::int64_t>>(kRows);
    store.gather(*rows, spec, images.view(), {}, stream);
    *rows = {1, 1, 1, 1};
    rows.reset();
    stream.synchronize();
    CHECK(images.to_host<float>() == expected_images(fixture, {}));
  }
}

TEST_CASE("row numbers are not replaced before they are read even if an event cannot be recorded", "[unit][cuda]") {
  const PackedFixture fixture = small_fixture();
  const Store store = small_store(fixture, Residency::device);
  const PreparedSpec spec = store.prepare({});
  const OwnStream first, second;
  const DeviceTensor one(Device::cuda(0), DType::float32, {4, 1, 2, 3}),
      two(Device::cuda(0), DType::float32, {4, 1, 2, 3});
  store.gather(kRows, spec, one.view(), {}, first);  // makes the one-time allocations
  first.synchronize();
  // The second event of a gather marks that its row numbers have been read. Without it, the gather waits and succeeds.
  fake_cuda::fail_call("cudaEventRecord", 2, cudaErrorMemoryAllocation);
  store.gather(std::vector<std::int64_t>{1, 2, 3, 4}, spec, one.view(), {}, first);
  REQUIRE(fake_cuda::forget_failures() == 0);
  store.gather(kRows, spec, two.view(), {}, second);
  second.synchronize();
  CHECK(two.to_host<float>() == expected_images(fixture, {}));
}

TEST_CASE("a tensor's memory is not freed before work on it is done", "[unit][cuda]") {
  const auto backend = backend::make_backend(Device::cuda(0));
  for (int i = 0; i < 3; ++i) {
    const OwnedTensor tensor(DType::float32, {1000}, Device::cuda(0));
    backend->fill_zero(tensor.view().data, tensor.view().byte_count(), {});
  }
}

TEST_CASE("a pool's memory is not reused before work on its previous tensor is done", "[unit][cuda]") {
  const auto backend = backend::make_backend(Device::cuda(0));
  TensorPool pool(Device::cuda(0));
  const OwnStream stream;
  const std::vector<std::int32_t> numbers = {5, 6, 7, 8};
  void* memory = nullptr;
  {
    const OwnedTensor tensor = pool.take(DType::int32, {4});
    memory = tensor.view().data;
    backend->fill_zero(memory, tensor.view().byte_count(), {});
  }
  const OwnedTensor next = pool.take(DType::int32, {4}, stream);
  REQUIRE(next.view().data == memory);
  backend->copy_to_device(memory, numbers.data(), next.view().byte_count(), stream);
  stream.synchronize();
  CHECK(DeviceTensor::read<std::int32_t>(next.view()) == numbers);
}

TEST_CASE("a store and its specs may be destroyed while gathers are pending on several streams", "[unit][cuda]") {
  const PackedFixture fixture = small_fixture();
  for (const Residency residency : kServedResidencies) {
    // 40 streams are more than the 32 that are tracked, so the oldest work is waited for.
    for (const std::size_t stream_count : {3, 40}) {
      const std::vector<OwnStream> streams(stream_count);
      std::vector<DeviceTensor> images;
      for (std::size_t i = 0; i < stream_count; ++i) {
        images.emplace_back(Device::cuda(0), DType::float32, std::vector<std::int64_t>{4, 1, 2, 3});
      }
      {
        const Store store = small_store(fixture, residency);
        const PreparedSpec spec = store.prepare({});
        for (std::size_t i = 0; i < stream_count; ++i) store.gather(kRows, spec, images[i].view(), {}, streams[i]);
      }
      for (std::size_t i = 0; i < stream_count; ++i) {
        streams[i].synchronize();
        CHECK(images[i].to_host<float>() == expected_images(fixture, {}));
      }
    }
  }
}

TEST_CASE("a loader may be destroyed during an epoch and enqueued work still sees its batch", "[unit][cuda]") {
  const PackedFixture fixture = small_fixture();
  std::vector<float> expected;
  {
    const Store store = small_store(fixture, Residency::device, Device::cpu());
    Loader loader(store, {.batch_size = 4});
    auto place = loader.epoch(0).begin();
    ++place;
    expected = DeviceTensor::read<float>(place->images());
  }
  for (const Residency residency : kServedResidencies) {
    for (const int prefetch : {0, 2}) {
      const OwnStream stream;
      const DeviceTensor copy(Device::cuda(0), DType::float32, {4, 1, 2, 3});
      {
        const Store store = small_store(fixture, residency);
        LoaderOptions options{.batch_size = 4};
        options.prefetch = prefetch;
        Loader loader(store, options);
        auto place = loader.epoch(0, stream).begin();
        ++place;
        REQUIRE(cudaMemcpyAsync(copy.view().data, place->images().data, 4 * 6 * sizeof(float), cudaMemcpyDeviceToDevice,
                                stream.handle()) == cudaSuccess);
      }
      stream.synchronize();
      CHECK(copy.to_host<float>() == expected);
    }
  }
}

TEST_CASE("an abandoned epoch keeps its batch for enqueued work", "[unit][cuda]") {
  enum class Next { epoch, epoch_on_another_stream, restored_epoch };
  const PackedFixture fixture = small_fixture();
  const Store cpu_store = small_store(fixture, Residency::device, Device::cpu());
  Loader cpu_loader(cpu_store, {.batch_size = 4});
  const auto expected = DeviceTensor::read<float>(cpu_loader.epoch(0).begin()->images());
  for (const Residency residency : kServedResidencies) {
    for (const int prefetch : {0, 2}) {
      for (const Next next : {Next::epoch, Next::epoch_on_another_stream, Next::restored_epoch}) {
        const Store store = small_store(fixture, residency);
        LoaderOptions options{.batch_size = 4};
        options.prefetch = prefetch;
        const OwnStream stream, other;
        const DeviceTensor copy(Device::cuda(0), DType::float32, {4, 1, 2, 3});
        Loader loader(store, options);
        const Batch& batch = *loader.epoch(0, stream).begin();
        REQUIRE(cudaMemcpyAsync(copy.view().data, batch.images().data, 4 * 6 * sizeof(float), cudaMemcpyDeviceToDevice,
                                stream.handle()) == cudaSuccess);
        if (next == Next::restored_epoch) {
          LoaderState state = loader.state();
          state.step = 3;
          loader.restore(state);
        }
        auto place =
            loader.epoch(next == Next::restored_epoch ? 0 : 1, next == Next::epoch_on_another_stream ? other : stream)
                .begin();
        for (int i = 0; i < 5; ++i) ++place;
        CHECK(copy.to_host<float>(stream) == expected);
      }
    }
  }
}

TEST_CASE("a batch maker may be destroyed while its batches are pending", "[unit][cuda]") {
  const PackedFixture fixture = small_fixture();
  for (const Residency residency : kServedResidencies) {
    const OwnStream stream;
    const DeviceTensor images(Device::cuda(0), DType::float32, {4, 1, 2, 3});
    const DeviceTensor on_cpu(Device::cpu(), DType::float32, {4, 1, 2, 3});
    {
      const Store store = small_store(fixture, residency);
      const BatchMaker maker(store, {.batch_size = 4});
      for (const std::int64_t step : {7, 3}) maker.make(0, step, images.view(), {}, stream);
    }
    stream.synchronize();
    BatchMaker(small_store(fixture, Residency::device, Device::cpu()), {.batch_size = 4}).make(0, 3, on_cpu.view());
    CHECK(images.to_host<float>() == on_cpu.to_host<float>());
  }
}

TEST_CASE("batches centered on themselves take turns on two streams", "[unit][cuda]") {
  const PackedFixture fixture = small_fixture();
  BatchSpec by_batch;
  by_batch.center = Center::batch;
  const std::vector<float> expected = expected_images(fixture, by_batch);
  const Store store = small_store(fixture, Residency::device);
  const PreparedSpec spec = store.prepare(by_batch);
  const OwnStream first, second;
  const DeviceTensor one(Device::cuda(0), DType::float32, {4, 1, 2, 3}),
      two(Device::cuda(0), DType::float32, {4, 1, 2, 3});
  for (int round = 0; round < 3; ++round) {
    store.gather(kRows, spec, one.view(), {}, first);
    store.gather(kRows, spec, two.view(), {}, second);
  }
  first.synchronize();
  second.synchronize();
  REQUIRE(one.to_host<float>() == expected);
  REQUIRE(two.to_host<float>() == expected);
}

TEST_CASE("batches on several streams take turns in their shared buffers", "[unit][cuda]") {
  const PackedFixture fixture = small_fixture();
  const Store cpu_store = small_store(fixture, Residency::device, Device::cpu());
  const BatchMaker cpu_maker(cpu_store, {.batch_size = 4});
  for (const Residency residency : kServedResidencies) {
    const OwnStream streams[3];
    std::vector<DeviceTensor> images;
    const Store store = small_store(fixture, residency);
    const BatchMaker maker(store, {.batch_size = 4});
    for (std::int64_t step = 0; step < 10; ++step) {
      images.emplace_back(Device::cuda(0), DType::float32, std::vector<std::int64_t>{4, 1, 2, 3});
      maker.make(0, step, images.back().view(), {}, streams[step % 3]);
    }
    for (std::int64_t step = 0; step < 10; ++step) {
      const DeviceTensor expected(Device::cpu(), DType::float32, {4, 1, 2, 3});
      cpu_maker.make(0, step, expected.view());
      CHECK(images[static_cast<std::size_t>(step)].to_host<float>(streams[step % 3]) == expected.to_host<float>());
    }
  }
}

TEST_CASE("a gather that fails midway keeps its buffers until its enqueued work is done", "[unit][cuda]") {
  const PackedFixture fixture = small_fixture();
  const Store store = small_store(fixture, Residency::streamed);
  BatchSpec by_batch;
  by_batch.center = Center::batch;
  const PreparedSpec spec = store.prepare(by_batch);
  const OwnStream first, second;
  const DeviceTensor one(Device::cuda(0), DType::float32, {4, 1, 2, 3}),
      two(Device::cuda(0), DType::float32, {4, 1, 2, 3});
  store.gather(kRows, spec, one.view(), {}, first);  // makes the one-time allocations
  first.synchronize();
  // Two kernels find the mean of the batch; the third one gathers.
  for (const int nth : {2, 3}) {
    fake_cuda::fail_call("cudaLaunchKernelExC", nth, cudaErrorInvalidConfiguration);
    CHECK_THROWS_AS(store.gather(std::vector<std::int64_t>{1, 2, 3, 4}, spec, one.view(), {}, first), DeviceError);
    fake_cuda::forget_failures();
    store.gather(kRows, spec, two.view(), {}, second);
    second.synchronize();
    CHECK(two.to_host<float>() == expected_images(fixture, by_batch));
  }
}

TEST_CASE("an upload's pinned memory is not freed before its copy is done", "[unit][cuda]") {
  const auto backend = backend::make_backend(Device::cuda(0));
  const backend::DeviceBuffer memory(backend, 64, "a test");
  const OwnStream stream;
  {
    store::Upload upload(backend, 64);
    std::byte* block = upload.begin_block();
    std::fill_n(block, 64, std::byte{1});
    upload.copy(memory.data(), block, 64, stream);
    upload.finish_block(stream);
  }
  stream.synchronize();
}

TEST_CASE("an upload whose copy fails waits for the copies before it", "[unit][cuda]") {
  const auto backend = backend::make_backend(Device::cuda(0));
  const backend::DeviceBuffer memory(backend, 64, "a test");
  const OwnStream stream;
  store::Upload upload(backend, 64);
  std::byte* block = upload.begin_block();
  std::fill_n(block, 64, std::byte{1});
  upload.copy(memory.data(), block, 32, stream);
  fake_cuda::fail_call("cudaMemcpyAsync", 1, cudaErrorInvalidValue);
  CHECK_THROWS_AS(upload.copy(memory.as<std::byte>() + 32, block + 32, 32, stream), DeviceError);
  std::fill_n(upload.begin_block(), 64, std::byte{2});  // the same block: nothing may still be copied from it
  stream.synchronize();
}

TEST_CASE("a failure while loading samples to the device is an error of that call", "[unit][cuda]") {
  const PackedFixture fixture = small_fixture();
  fake_cuda::fail_call("cudaStreamSynchronize", 1, cudaErrorLaunchFailure);
  CHECK_THROWS_AS(small_store(fixture, Residency::device), DeviceError);

  const Store store = small_store(fixture, Residency::device);
  const loader::PackedServer packed(store.samples(), {.batch_size = 4});
  fake_cuda::fail_call("cudaStreamSynchronize", 1, cudaErrorLaunchFailure);
  CHECK_THROWS_AS(comparisons::Float32Server(packed), DeviceError);
}

TEST_CASE("a graph loader whose kernels fail is an error when it is made", "[unit][cuda]") {
  const PackedFixture fixture = small_fixture();
  const Store store = small_store(fixture, Residency::device);
  fake_cuda::fail_kernel(1, cudaErrorLaunchFailure);
  CHECK_THROWS_AS(GraphLoader(store, {.batch_size = 4, .drop_last = true}), DeviceError);
}
