#include <octavo/store.hpp>

#include <cmath>
#include <fstream>
#include <octavo/errors.hpp>

#include "catch.hpp"
#include "device_tensor.hpp"
#include "devices.hpp"
#include "packed_fixture.hpp"

using namespace octavo;
using namespace octavo::test;

namespace {

/// (u8 - m) / 128 for the default spec, by definition: code * a + b in exact arithmetic, rounded once.
float default_value(std::uint8_t value, double mean) {
  const float a = 1.0f / 128, b = static_cast<float>((128.0 - mean) / 128.0);
  __extension__ using Exact = __float128;
  return static_cast<float>(static_cast<Exact>(value - 128) * a + b);
}

double plain_mean(const PlainSplit& split) {
  std::int64_t sum = 0;
  for (const std::uint8_t value : split.values) sum += value;
  return static_cast<double>(sum) / static_cast<double>(split.values.size());
}

void given_rows_are_decoded(Device device) {
  for (const SampleShape shape : {SampleShape{1, 28, 28}, SampleShape{3, 32, 32}, SampleShape{2, 5, 7}}) {
    const PackedFixture fixture({random_split("train", 50, shape)});
    const PlainSplit& plain = fixture.plain();
    const Store store = Store::load(fixture.dataset().split("train"), device);
    const std::vector<std::int64_t> rows = {3, 49, 0, 3, 17};
    const DeviceTensor images(device, DType::float32, {5, shape.channels, shape.height, shape.width});
    const DeviceTensor labels(device, DType::int32, {5});
    store.gather(rows, BatchSpec{}, images.view(), labels.view());
    const double mean = plain_mean(plain);
    std::vector<float> expected;
    std::vector<std::int32_t> expected_labels;
    for (const std::int64_t row : rows) {
      for (std::int64_t i = 0; i < shape.values(); ++i) expected.push_back(default_value(plain.value(row, 0, i), mean));
      expected_labels.push_back(static_cast<std::int32_t>(row % 10));
    }
    REQUIRE(images.to_host<float>() == expected);
    REQUIRE(labels.to_host<std::int32_t>() == expected_labels);
  }
}

void batches_are_centered_on_themselves(Device device) {
  const SampleShape shape{3, 4, 4};
  const PackedFixture fixture({random_split("train", 20, shape)});
  const Store store = Store::load(fixture.dataset().split("train"), device);
  BatchSpec spec;
  spec.center = Center::batch;
  const std::vector<std::int64_t> rows = {5, 6, 19};
  const DeviceTensor images(device, DType::float32, {3, 3, 4, 4});
  store.gather(rows, spec, images.view());
  std::int64_t sum = 0;
  for (const std::int64_t row : rows) {
    for (std::int64_t i = 0; i < 48; ++i) sum += fixture.plain().value(row, 0, i);
  }
  const double mean = static_cast<double>(sum) / (3 * 48);
  std::vector<float> expected;
  for (const std::int64_t row : rows) {
    for (std::int64_t i = 0; i < 48; ++i) expected.push_back(default_value(fixture.plain().value(row, 0, i), mean));
  }
  REQUIRE(images.to_host<float>() == expected);
}

void bad_requests_write_nothing(Device device) {
  const PackedFixture fixture({random_split("train", 10, {1, 2, 2})});
  const Store store = Store::load(fixture.dataset().split("train"), device);
  const DeviceTensor images(device, DType::float32, {2, 1, 2, 2});
  const auto before = images.to_host<std::uint32_t>();
  const std::vector<std::int64_t> beyond = {0, 10}, negative = {-1, 0}, three = {0, 1, 2};
  REQUIRE_THROWS_WITH(store.gather(beyond, BatchSpec{}, images.view()),
                      ContainsSubstring("index 10 is not in [0, 10)"));
  REQUIRE_THROWS_AS(store.gather(negative, BatchSpec{}, images.view()), InvalidArgument);
  REQUIRE_THROWS_WITH(store.gather(three, BatchSpec{}, images.view()), ContainsSubstring("8 elements; expected 12"));
  TensorView other = images.view();
  other.device = device.is_cpu() ? Device::cuda(0) : Device::cpu();
  REQUIRE_THROWS_WITH(store.gather(std::vector<std::int64_t>{0, 1}, BatchSpec{}, other), ContainsSubstring("is on"));
  TensorView misaligned = images.view();
  misaligned.data = static_cast<std::byte*>(misaligned.data) + 2;
  misaligned.shape = {1, 1, 2, 2};
  REQUIRE_THROWS_WITH(store.gather(std::vector<std::int64_t>{0}, BatchSpec{}, misaligned),
                      ContainsSubstring("aligned"));
  REQUIRE(images.to_host<std::uint32_t>() == before);
}

void memory_is_one_byte_a_value(Device device) {
  const PackedFixture fixture({random_split("train", 100, {3, 32, 32})}, Compression::none);
  const Store store = Store::load(fixture.dataset().split("train"), device);
  REQUIRE(store.device_bytes() == 100 * 3072 + 100 * 4);
}

void a_damaged_sample_is_named(Device device) {
  const PackedFixture fixture({random_split("train", 100, {1, 64, 64})}, Compression::none);
  const Dataset dataset = fixture.dataset();
  // These 64 bytes occur only in the samples.
  std::fstream file(fixture.path(), std::ios::in | std::ios::out | std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(file)), {});
  std::string sample;
  for (std::int64_t i = 0; i < 64; ++i) sample += static_cast<char>(fixture.plain().value(42, 0, i) ^ 0x80);
  const std::size_t place = bytes.find(sample);
  REQUIRE(place != std::string::npos);
  file.clear();
  file.seekp(static_cast<std::streamoff>(place));
  file.put(static_cast<char>(bytes[place] ^ 1));
  file.close();
  // Opened again, because an open dataset would also detect that the file has changed.
  REQUIRE_THROWS_AS(Store::load(fixture.dataset().split("train"), device), FormatError);
  REQUIRE_THROWS_WITH(Store::load(fixture.dataset().split("train"), device), ContainsSubstring("sample 42"));
}

void maps_give_the_values(Device device) {
  const SampleShape shape{3, 2, 5};
  const PackedFixture fixture({random_split("train", 20, shape)});
  const Store store = Store::load(fixture.dataset().split("train"), device);
  const std::vector<std::int64_t> rows = {7};
  for (const Center center : {Center::none, Center::dataset, Center::channel, Center::pixel}) {
    BatchSpec spec;
    spec.center = center;
    const auto maps = store.value_maps(spec);
    REQUIRE(maps);
    REQUIRE(maps->scales.size() == 3);
    REQUIRE(maps->shifts.size() == (center == Center::pixel ? 30 : 3));
    const DeviceTensor images(device, DType::float32, {1, 3, 2, 5});
    store.gather(rows, spec, images.view());
    std::vector<float> expected;
    for (std::size_t i = 0; i < 30; ++i) {
      const int code = fixture.plain().value(7, 0, static_cast<std::int64_t>(i)) - 128;
      const float shift = maps->shifts[center == Center::pixel ? i : i / 10];
      expected.push_back(std::fma(static_cast<float>(code), maps->scales[i / 10], shift));
    }
    REQUIRE(images.to_host<float>() == expected);
  }
  BatchSpec spec;
  spec.center = Center::batch;
  REQUIRE_FALSE(store.value_maps(spec));
  spec = {};
  spec.divisor_values = {0.0};
  REQUIRE_THROWS_AS(store.value_maps(spec), InvalidArgument);
}

}  // namespace

OCTAVO_CONTRACT(maps_give_the_values, "the maps of a store give the values of its batches", "[unit][store]")
OCTAVO_CONTRACT(given_rows_are_decoded, "given rows are decoded to the exact values", "[unit][store]")
OCTAVO_CONTRACT(batches_are_centered_on_themselves, "a batch is centered on its own mean", "[unit][store]")
OCTAVO_CONTRACT(bad_requests_write_nothing, "an invalid request is refused and writes nothing", "[unit][store]")
OCTAVO_CONTRACT(memory_is_one_byte_a_value, "a store uses one byte per value plus its labels", "[unit][store]")
OCTAVO_CONTRACT(a_damaged_sample_is_named, "loading names a damaged sample", "[unit][store]")

TEST_CASE("CUDA serves the same bits as the CPU", "[unit][store][cuda]") {
  const auto cuda = cuda_device();
  if (!cuda) OCTAVO_SKIP("no CUDA device");
  for (const SampleShape shape : {SampleShape{1, 28, 28}, SampleShape{3, 32, 32}, SampleShape{3, 17, 19}}) {
    const PackedFixture fixture({random_split("train", 300, shape)});
    const Store on_cpu = Store::load(fixture.dataset().split("train"), Device::cpu());
    const Store on_cuda = Store::load(fixture.dataset().split("train"), *cuda);
    std::vector<std::int64_t> rows(257);
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<std::int64_t>(i * 7 % 300);
    for (const Center center : {Center::none, Center::dataset, Center::channel, Center::pixel, Center::batch}) {
      for (const DType dtype : {DType::float32, DType::float16, DType::bfloat16}) {
        for (const Layout layout : {Layout::nchw, Layout::nhwc}) {
          BatchSpec spec;
          spec.center = center;
          spec.dtype = dtype;
          spec.layout = layout;
          const DeviceTensor a(Device::cpu(), dtype, {257, shape.values()});
          const DeviceTensor b(*cuda, dtype, {257, shape.values()});
          on_cpu.gather(rows, spec, a.view());
          on_cuda.gather(rows, spec, b.view());
          REQUIRE(a.to_host<std::uint8_t>() == b.to_host<std::uint8_t>());
        }
      }
    }
  }
}

TEST_CASE("batches of a test split are centered with the training split's statistics", "[unit][store]") {
  const PackedFixture fixture({random_split("train", 30, {1, 3, 3}, 1), random_split("test", 5, {1, 3, 3}, 2)});
  const Store test = Store::load(fixture.dataset().split("test"), Device::cpu());
  REQUIRE(test.statistics_split() == "train");
  REQUIRE(test.statistics().mean[0] == Approx(plain_mean(fixture.plain(0))).epsilon(1e-15));
}

TEST_CASE("progress is reported while loading and can stop it", "[unit][store]") {
  const PackedFixture fixture({random_split("train", 3000, {1, 28, 28})});
  std::int64_t last = 0;
  LoadOptions options;
  options.on_progress = [&](const Progress& progress) { last = progress.done_samples; };
  Store::load(fixture.dataset().split("train"), Device::cpu(), options);
  REQUIRE(last == 3000);
  options.on_progress = [](const Progress&) { throw std::runtime_error("enough"); };
  REQUIRE_THROWS_WITH(Store::load(fixture.dataset().split("train"), Device::cpu(), options),
                      ContainsSubstring("enough"));
}
