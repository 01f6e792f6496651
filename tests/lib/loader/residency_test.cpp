// Batches that must be equal for every residency.
#include <octavo/residency.hpp>

#include <utility>
#include <vector>

#include <octavo/batch_maker.hpp>
#include <octavo/errors.hpp>
#include <octavo/loader.hpp>
#include <octavo/order.hpp>

#include "catch.hpp"
#include "device_tensor.hpp"
#include "devices.hpp"
#include "packed_fixture.hpp"
#include "served.hpp"

using namespace octavo;
using namespace octavo::test;

namespace {

/// Load options that must all serve the same batches.
std::vector<LoadOptions> true_residencies(std::int64_t N) {
  std::vector<LoadOptions> all;
  for (const int thread_count : {1, 3}) {
    all.push_back({.thread_count = thread_count, .residency = Residency::streamed});
    for (const std::int64_t resident : {std::int64_t{0}, std::int64_t{1}, N / 3, N - 1, N}) {
      all.push_back({.thread_count = thread_count, .residency = Residency::hybrid, .resident_count = resident});
    }
  }
  all.push_back({.verify_checksums = false, .residency = Residency::streamed});
  return all;
}

void residencies_serve_the_same_bits(Device device) {
  // The second shape has rows of odd length. The third is padded on a GPU.
  for (const SampleShape shape : {SampleShape{1, 6, 5}, SampleShape{3, 7, 7}, SampleShape{3, 19, 18}}) {
    const PackedFixture fixture({random_split("train", 101, shape)});
    const Split split = fixture.dataset().split("train");
    const Store whole = Store::load(split, device, {.residency = Residency::device});
    std::vector<std::pair<LoaderOptions, Served>> all;
    for (const Shuffle shuffle : {Shuffle(false), Shuffle(true), Shuffle::blocks(), Shuffle::windows(30)}) {
      for (const int prefetch : {0, 1, 3}) {
        LoaderOptions options{.batch_size = 8, .shuffle = shuffle, .seed = 5};
        options.prefetch = prefetch;
        all.emplace_back(options, serve(whole, options));
      }
    }
    for (const LoadOptions& load : true_residencies(101)) {
      const Store store = Store::load(split, device, load);
      INFO(to_string(store.residency()) << " " << store.resident_count());
      for (const auto& [options, expected] : all) REQUIRE(serve(store, options) == expected);
    }
  }
}

void centering_and_types_work_from_every_residency(Device device) {
  const PackedFixture fixture({random_split("train", 60, {3, 8, 8})});
  const Split split = fixture.dataset().split("train");
  const Store whole = Store::load(split, device, {.residency = Residency::device});
  const Store hybrid = Store::load(split, device, {.residency = Residency::hybrid, .resident_count = 21});
  for (const Center center : {Center::batch, Center::pixel}) {
    for (const DType dtype : {DType::float32, DType::bfloat16}) {
      LoaderOptions options{.batch_size = 16, .shuffle = true};
      options.spec.center = center;
      options.spec.dtype = dtype;
      options.spec.layout = Layout::nhwc;
      Loader a(whole, options), b(hybrid, options);
      auto place = b.epoch(1).begin();
      for (const Batch& batch : a.epoch(1)) {
        REQUIRE(DeviceTensor::read<std::uint16_t>(batch.images()) ==
                DeviceTensor::read<std::uint16_t>(place->images()));
        ++place;
      }
    }
  }
}

void ranks_share_streamed_batches(Device device) {
  const PackedFixture fixture({random_split("train", 58, {1, 6, 5})});
  const Store whole = Store::load(fixture.dataset().split("train"), device, {.residency = Residency::device});
  const Store streamed = Store::load(fixture.dataset().split("train"), device, {.residency = Residency::streamed});
  for (const Shuffle shuffle : {Shuffle(true), Shuffle::blocks(), Shuffle::windows(20)}) {
    for (std::int64_t rank = 0; rank < 16; ++rank) {  // the last batch has 18 samples
      const LoaderOptions options{.batch_size = 20, .shuffle = shuffle, .seed = 4, .rank = rank, .world_size = 16};
      REQUIRE(serve(streamed, options) == serve(whole, options));
    }
  }
}

void windows_serve_their_order(Device device) {
  const PackedFixture fixture({random_split("train", 103, {1, 6, 5})});
  const Split split = fixture.dataset().split("train");
  const Store whole = Store::load(split, device, {.residency = Residency::device});
  for (const std::int64_t window : {10, 25, 26, 103}) {
    const Store store = Store::load(split, device, {.residency = Residency::window, .window_samples = window});
    REQUIRE(store.window_samples() == window);
    for (const std::int64_t batch_size : {1, 7, 10}) {  // most do not divide the window size
      for (const int prefetch : {0, 2}) {
        for (const bool shuffled : {false, true}) {
          LoaderOptions options{.batch_size = batch_size, .shuffle = shuffled, .seed = 8};
          options.prefetch = prefetch;
          LoaderOptions same = options;
          if (shuffled) same.shuffle = Shuffle::windows(window);
          INFO("window " << window << " batch " << batch_size << " prefetch " << prefetch);
          REQUIRE(Loader(store, options).options().shuffle == same.shuffle);
          REQUIRE(serve(store, options) == serve(whole, same));
        }
      }
    }
  }
}

void makers_serve_any_batch(Device device) {
  const PackedFixture fixture({random_split("train", 47, {2, 3, 5})});
  const Split split = fixture.dataset().split("train");
  const Store whole = Store::load(split, device, {.residency = Residency::device});
  for (const LoadOptions& load :
       {LoadOptions{.residency = Residency::streamed}, LoadOptions{.residency = Residency::hybrid, .resident_count = 9},
        LoadOptions{.residency = Residency::window, .window_samples = 12}}) {
    const Store store = Store::load(split, device, load);
    const Shuffle shuffle = load.residency == Residency::window ? Shuffle::windows(12) : Shuffle(true);
    const LoaderOptions options{.batch_size = 9, .shuffle = shuffle, .seed = 9};
    const BatchMaker expected(whole, options), maker(store, options);
    REQUIRE(maker.options().prefetch >= 1);
    const DeviceTensor a(device, DType::float32, {9, 2, 3, 5}), b(device, DType::float32, {9, 2, 3, 5});
    // Forward, repeated, backward, just beyond the prefetched batches, and in other epochs.
    for (const auto& [epoch, step] : std::vector<std::pair<int, int>>{
             {0, 0}, {0, 1}, {0, 1}, {0, 4}, {0, 2}, {0, 0}, {0, 4}, {0, 0}, {3, 3}, {3, 4}, {4, 0}, {4, 1}}) {
      REQUIRE(maker.indices(epoch, step) == expected.indices(epoch, step));
      if (step == 5) continue;
      expected.make(epoch, step, a.view());
      maker.make(epoch, step, b.view());
      REQUIRE(a.to_host<float>() == b.to_host<float>());
    }
  }
}

void given_rows_come_from_every_residency(Device device) {
  const PackedFixture fixture({random_split("train", 50, {3, 9, 9})});
  const Split split = fixture.dataset().split("train");
  const Store whole = Store::load(split, device, {.residency = Residency::device});
  const std::vector<std::int64_t> rows = {3, 49, 0, 3, 17, 18, 16, 49};
  const DeviceTensor expected(device, DType::float32, {8, 3, 9, 9}), expected_labels(device, DType::int64, {8});
  whole.gather(rows, BatchSpec{}, expected.view(), expected_labels.view());
  for (const LoadOptions& load : {LoadOptions{.residency = Residency::streamed},
                                  LoadOptions{.residency = Residency::hybrid, .resident_count = 17},
                                  LoadOptions{.residency = Residency::window}}) {
    const Store store = Store::load(split, device, load);
    const DeviceTensor images(device, DType::float32, {8, 3, 9, 9}), labels(device, DType::int64, {8});
    store.gather(rows, BatchSpec{}, images.view(), labels.view());
    REQUIRE(images.to_host<float>() == expected.to_host<float>());
    REQUIRE(labels.to_host<std::int64_t>() == expected_labels.to_host<std::int64_t>());
  }
}

void residencies_obey_the_limit(Device device) {
  const PackedFixture fixture({random_split("train", 100, {3, 4, 4})}, Compression::none);
  const Split split = fixture.dataset().split("train");
  const std::int64_t each = 48 + 4;
  struct Case {
    LoadOptions options;
    std::int64_t least_limit;  ///< smaller ones are refused
  };
  const Case cases[] = {
      {{.residency = Residency::device}, 100 * each},
      {{.residency = Residency::hybrid, .resident_count = 30}, 30 * each},
      {{.residency = Residency::hybrid}, 1},
      {{.residency = Residency::streamed}, 1},
      {{.residency = Residency::window, .window_samples = 20}, 2 * 20 * each},
      {{.residency = Residency::window}, 2 * each},
      {{.residency = Residency::automatic}, 1},
  };
  for (Case one : cases) {
    for (const std::int64_t limit : {one.least_limit, 50 * each, 1000 * each}) {
      if (limit < one.least_limit) continue;
      one.options.memory_limit_bytes = limit;
      REQUIRE(Store::load(split, device, one.options).device_bytes() <= limit);
    }
    one.options.memory_limit_bytes = one.least_limit - 1;
    if (one.least_limit > 1) {
      REQUIRE_THROWS_WITH(Store::load(split, device, one.options),
                          ContainsSubstring("more than the memory limit of") && ContainsSubstring("residency auto"));
    }
  }
}

void automatic_takes_what_fits(Device device) {
  const PackedFixture fixture({random_split("train", 100, {3, 32, 32})}, Compression::none);
  const Split split = fixture.dataset().split("train");
  const std::int64_t each = 3072 + 4;
  const Store all = Store::load(split, device, {.memory_limit_bytes = 100 * each});
  REQUIRE(all.residency() == Residency::device);
  REQUIRE(all.residency_reason().empty());
  const Store most = Store::load(split, device, {.memory_limit_bytes = 100 * each - 1});
  REQUIRE(most.residency() == Residency::hybrid);
  REQUIRE(most.resident_count() == 99);
  REQUIRE_THAT(most.residency_reason(), ContainsSubstring("exceed the limit of 307599 bytes on"));
  REQUIRE(most.device_bytes() == 99 * each);
  const Store few = Store::load(split, device, {.memory_limit_bytes = 4 * each});
  REQUIRE(few.residency() == Residency::streamed);
  REQUIRE(few.resident_count() == 0);
  REQUIRE_THAT(few.residency_reason(), ContainsSubstring("No samples are resident"));
  LoaderOptions options{.batch_size = 16, .shuffle = true};
  const Served expected = serve(all, options);
  REQUIRE(serve(most, options) == expected);
  REQUIRE(serve(few, options) == expected);
}

void samples_in_memory_serve_the_same_bits(Device device) {
  const PackedFixture fixture({random_split("train", 101, {3, 7, 7})});
  const Store whole = Store::load(fixture.dataset().split("train"), device, {.residency = Residency::device});
  std::vector<std::int8_t> codes;
  for (const std::uint8_t value : fixture.plain().values) codes.push_back(static_cast<std::int8_t>(value ^ 0x80));
  const HostSamples samples{
      {3, 7, 7}, {LabelKind::class_index, 1}, codes, std::as_bytes(std::span(fixture.plain().labels))};
  for (const HostMemory memory : {HostMemory::copy, HostMemory::borrow}) {
    for (const LoadOptions& load :
         {LoadOptions{}, LoadOptions{.residency = Residency::device}, LoadOptions{.residency = Residency::streamed},
          LoadOptions{.residency = Residency::hybrid, .resident_count = 40}}) {
      const Store store = Store::load(samples, memory, device, load);
      REQUIRE(serve(store, {.batch_size = 8, .shuffle = true}) == serve(whole, {.batch_size = 8, .shuffle = true}));
      // On the CPU, borrowed samples use no extra memory.
      if (device.is_cpu() && memory == HostMemory::borrow) REQUIRE(store.device_bytes() == 0);
    }
    const Store windows = Store::load(samples, memory, device, {.residency = Residency::window, .window_samples = 25});
    REQUIRE(serve(windows, {.batch_size = 8, .shuffle = true}) ==
            serve(whole, {.batch_size = 8, .shuffle = Shuffle::windows(25)}));
  }
}

}  // namespace

OCTAVO_CONTRACT(samples_in_memory_serve_the_same_bits, "samples in host memory serve the same batches",
                "[unit][loader][residency]")
OCTAVO_CONTRACT(residencies_serve_the_same_bits, "device and hybrid and streamed serve the same batches",
                "[unit][loader][residency][many-batches]")
OCTAVO_CONTRACT(centering_and_types_work_from_every_residency, "a batch from two sources is centered on itself",
                "[unit][loader][residency]")
OCTAVO_CONTRACT(ranks_share_streamed_batches, "all ranks together serve streamed batches", "[unit][loader][residency]")
OCTAVO_CONTRACT(windows_serve_their_order, "window residency serves the windows order", "[unit][loader][residency]")
OCTAVO_CONTRACT(makers_serve_any_batch, "a batch maker serves any batch of every residency",
                "[unit][loader][residency]")
OCTAVO_CONTRACT(given_rows_come_from_every_residency, "every residency serves given rows", "[unit][loader][residency]")
OCTAVO_CONTRACT(residencies_obey_the_limit, "every residency keeps to the memory limit or refuses it",
                "[unit][loader][residency]")
OCTAVO_CONTRACT(automatic_takes_what_fits, "the automatic residency uses what fits and gives the reason",
                "[unit][loader][residency]")

TEST_CASE("on a full device fewer samples are resident and the batches are the same",
          "[unit][loader][residency][cuda][exclusive][many-batches]") {
  const auto device = cuda_device();
  if (!device) OCTAVO_SKIP("no CUDA device");
  const PackedFixture fixture({random_split("train", 1500, {3, 64, 64})});  // 18 MB
  const Split split = fixture.dataset().split("train");
  const LoaderOptions options{.batch_size = 25, .shuffle = true};
  const Served expected = serve(Store::load(split, *device), options, 1);
  const auto backend = backend::make_backend(*device);
  const std::int64_t left = std::int64_t{12} << 20;
  const backend::DeviceBuffer full(backend, static_cast<std::size_t>(backend->memory().free_bytes - left), "the rest");
  const Store store = Store::load(split, *device);
  REQUIRE(store.residency() != Residency::device);
  REQUIRE_FALSE(store.residency_reason().empty());
  REQUIRE(serve(store, options, 1) == expected);
  REQUIRE_THROWS_AS(Store::load(split, *device, {.residency = Residency::device}), OutOfMemory);
}

TEST_CASE("blocks are slices of the file in the order of the epoch with a short one last",
          "[unit][loader][residency]") {
  const PackedFixture fixture({random_split("train", 47, {1, 2, 2})});
  const Store store = Store::load(fixture.dataset().split("train"), Device::cpu());
  const BatchMaker maker(store, {.batch_size = 9, .shuffle = Shuffle::blocks(), .seed = 12});
  for (const std::int64_t epoch : {0, 1, 7}) {
    for (std::int64_t step = 0; step < 6; ++step) {
      // 47 = 5 * 9 + 2: five whole blocks.
      const std::int64_t block = step == 5 ? 5 : shuffled_sample(12, static_cast<std::uint64_t>(epoch), step, 5);
      std::vector<std::int64_t> expected;
      for (std::int64_t i = 9 * block; i < std::min<std::int64_t>(47, 9 * block + 9); ++i) expected.push_back(i);
      REQUIRE(maker.indices(epoch, step) == expected);
    }
  }
}

TEST_CASE("a windows order visits every sample once and window by window", "[unit][loader][residency]") {
  const PackedFixture fixture({random_split("train", 47, {1, 2, 2})});
  const Store store = Store::load(fixture.dataset().split("train"), Device::cpu());
  const BatchMaker maker(store, {.batch_size = 7, .shuffle = Shuffle::windows(10), .seed = 12});
  std::vector<std::vector<std::int64_t>> epochs;
  for (const std::int64_t epoch : {0, 1}) {
    std::vector<std::int64_t> rows;
    for (std::int64_t step = 0; step < 7; ++step) {
      for (const std::int64_t row : maker.indices(epoch, step)) rows.push_back(row);
    }
    for (std::size_t p = 0; p < 47; ++p) {
      // Windows 0 to 3 in the order of the epoch, then the last 7 samples.
      const std::int64_t window =
          p < 40 ? shuffled_sample(12, static_cast<std::uint64_t>(epoch), static_cast<std::int64_t>(p / 10), 4) : 4;
      REQUIRE(rows[p] / 10 == window);
    }
    epochs.push_back(rows);
    std::sort(rows.begin(), rows.end());
    for (std::int64_t row = 0; row < 47; ++row) REQUIRE(rows[static_cast<std::size_t>(row)] == row);
  }
  REQUIRE(epochs[0] != epochs[1]);
}

TEST_CASE("orders that a residency cannot serve are refused", "[unit][loader][residency]") {
  const PackedFixture fixture({random_split("train", 40, {1, 2, 2})});
  const Store store = Store::load(fixture.dataset().split("train"), Device::cpu(),
                                  {.residency = Residency::window, .window_samples = 10});
  REQUIRE_THROWS_WITH(Loader(store, {.batch_size = 4, .shuffle = Shuffle::blocks()}),
                      ContainsSubstring("use the order \"windows:10\""));
  REQUIRE_THROWS_AS(Loader(store, {.batch_size = 4, .shuffle = Shuffle::windows(9)}), InvalidArgument);
  REQUIRE_THROWS_AS(Loader(store, {.batch_size = 4, .shuffle = Shuffle::windows(0)}), InvalidArgument);
  REQUIRE_THROWS_WITH(Loader(store, {.batch_size = 11}), ContainsSubstring("larger than a window of 10"));
}

TEST_CASE("invalid load options are refused", "[unit][loader][residency]") {
  const PackedFixture fixture({random_split("train", 10, {1, 2, 2})});
  const Split split = fixture.dataset().split("train");
  const auto refuses = [&](LoadOptions options) {
    REQUIRE_THROWS_AS(Store::load(split, Device::cpu(), options), InvalidArgument);
  };
  refuses({.memory_limit_bytes = -1});
  refuses({.residency = Residency::hybrid, .resident_count = 11});
  refuses({.residency = Residency::hybrid, .resident_count = -2});
  refuses({.residency = Residency::streamed, .resident_count = 4});
  refuses({.residency = Residency::window, .window_samples = -1});
  refuses({.residency = Residency::device, .window_samples = 3});
}

TEST_CASE("invalid samples in memory are refused", "[unit][loader][residency]") {
  std::vector<std::int8_t> codes(60);
  std::vector<std::int32_t> labels(5);
  const HostSamples good{{3, 2, 2}, {LabelKind::class_index, 1}, codes, std::as_bytes(std::span(labels))};
  REQUIRE(Store::load(good, HostMemory::borrow, Device::cpu()).sample_count() == 5);
  const auto refuses = [&](auto&& change) {
    HostSamples samples = good;
    change(samples);
    REQUIRE_THROWS_AS(Store::load(samples, HostMemory::borrow, Device::cpu()), InvalidArgument);
  };
  refuses([](HostSamples& samples) { samples.shape = {0, 2, 2}; });
  refuses([](HostSamples& samples) { samples.shape = {-3, -2, 2}; });
  refuses([](HostSamples& samples) { samples.shape = {1, std::int64_t{1} << 40, std::int64_t{1} << 40}; });
  refuses([](HostSamples& samples) { samples.codes = samples.codes.first(59); });
  refuses([](HostSamples& samples) { samples.codes = {}; });
  refuses([](HostSamples& samples) { samples.label_bytes = samples.label_bytes.first(16); });
  refuses([](HostSamples& samples) { samples.label_bytes = {samples.label_bytes.data() + 1, 20}; });
}

TEST_CASE("residencies and orders have names", "[unit][loader][residency]") {
  for (const ResidencyInfo& info : kResidencies) {
    REQUIRE(parse_residency(info.name) == info.residency);
    REQUIRE(to_string(info.residency) == std::string(info.name));
  }
  REQUIRE(to_string(Residency::window) == std::string("window"));
  REQUIRE_THROWS_WITH(parse_residency("somewhere"),
                      "unknown residency \"somewhere\"; expected auto, device, hybrid, streamed, window or sharded");
  for (const char* name : {"none", "global", "blocks", "windows:17"}) REQUIRE(to_string(parse_shuffle(name)) == name);
  for (const char* name :
       {"", "windows", "windows:", "windows:0", "windows:-3", "windows:4x", "windows:99999999999999999999"}) {
    REQUIRE_THROWS_AS(parse_shuffle(name), InvalidArgument);
  }
}

TEST_CASE("a state knows its order", "[unit][loader][residency]") {
  const PackedFixture fixture({random_split("train", 47, {1, 2, 2})});
  const Store store = Store::load(fixture.dataset().split("train"), Device::cpu());
  for (const Shuffle shuffle : {Shuffle(false), Shuffle(true), Shuffle::blocks(), Shuffle::windows(10)}) {
    Loader loader(store, {.batch_size = 5, .shuffle = shuffle, .seed = 11});
    auto place = loader.epoch(2).begin();
    ++place;
    const LoaderState state = LoaderState::from_json(loader.state().to_json());
    REQUIRE(state == loader.state());
    Loader other(store, {.batch_size = 5, .shuffle = shuffle, .seed = 11});
    other.restore(state);
    REQUIRE(other.epoch(2).begin()->step() == 2);
    Loader unlike(store, {.batch_size = 5, .shuffle = Shuffle::windows(11), .seed = 11});
    REQUIRE_THROWS_AS(unlike.restore(state), InvalidArgument);
  }
}
