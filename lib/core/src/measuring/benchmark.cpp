// Benchmarks a dataset file: loading, then batches of every kind.
#include <octavo/benchmark.hpp>

#include <algorithm>

#include <octavo/errors.hpp>
#include <octavo/store.hpp>

#include "backend/backend.hpp"
#include "dataset_file/split_data.hpp"
#include "measuring/timing.hpp"
#include "support/threads.hpp"

namespace octavo {
namespace {

constexpr int kLoadRounds = 5;
constexpr std::int64_t kReadBytes = std::int64_t{1} << 20;

/// Reads all samples into new memory on all threads, and inflates them if they are deflated. The result is not used.
void read_only(const Split& split) {
  const std::int64_t values = split.shape().values();
  const std::int64_t block = split.data()->rows_per_block(kReadBytes);
  const std::int64_t blocks = (split.sample_count() + block - 1) / block;
  const backend::DeviceBuffer memory(backend::make_backend(Device::cpu()),
                                     static_cast<std::size_t>(split.packed_bytes()), "the samples to read");
  const int threads = available_threads();
  run_on_threads(threads, [&](int thread) {
    for (std::int64_t number = thread; number < blocks; number += threads) {
      const std::int64_t first = number * block, count = std::min(block, split.sample_count() - first);
      split.read(first, count, {memory.as<std::int8_t>() + first * values, static_cast<std::size_t>(count * values)});
    }
  });
}

LoadSpeed measure_load(const Split& split, Device device, const BenchmarkOptions& options) {
  const auto load = [&](bool verify) {
    return measuring::seconds_of([&] {
      static_cast<void>(Store::load(split, device, {.verify_checksums = verify, .residency = Residency::device}));
    });
  };
  read_only(split);  // into the page cache
  std::vector<double> read, unchecked, checked;
  for (int round = 0; round < kLoadRounds; ++round) {
    read.push_back(measuring::seconds_of([&] { read_only(split); }));
    unchecked.push_back(load(false));
    checked.push_back(load(true));
    if (options.on_progress) options.on_progress({"timing loads", round + 1, kLoadRounds, 0, 0});
  }
  return {split.packed_bytes(), measuring::quantile(read, 0.5), measuring::quantile(unchecked, 0.5),
          measuring::quantile(checked, 0.5)};
}

/// Whether a batch of this size is at most the split and leaves enough memory on the device.
bool has_room(const Store& store, DType dtype, std::int64_t batch_size, std::int64_t free_bytes) {
  return batch_size <= store.sample_count() &&
         batch_size <= free_bytes / 4 / (store.shape().values() * bytes_of(dtype));
}

std::vector<BatchSpeed> measure_batches(const Store& store, const BenchmarkOptions& options) {
  const std::int64_t free_bytes = backend::make_backend(store.device())->memory().free_bytes;
  std::vector<BatchSpeed> speeds;
  const auto total = static_cast<std::int64_t>(options.dtypes.size() * options.batch_sizes.size());
  std::int64_t done = 0;
  for (const DType dtype : options.dtypes) {
    for (const std::int64_t batch_size : options.batch_sizes) {
      BatchSpec spec;
      spec.dtype = dtype;
      spec.augment = options.augment;
      if (has_room(store, dtype, batch_size, free_bytes))
        speeds.push_back({dtype, time_gathers(store, spec, batch_size)});
      if (options.on_progress) options.on_progress({"timing batches", ++done, total, 0, 0});
    }
  }
  return speeds;
}

}  // namespace

Benchmark run_benchmark(const Dataset& dataset, const BenchmarkOptions& options) {
  for (const std::int64_t batch_size : options.batch_sizes) {
    if (batch_size >= 1) continue;
    throw InvalidArgument("time batches: batch size is " + std::to_string(batch_size) + "; expected at least 1");
  }
  const Split split = options.split.empty() ? dataset.training_split() : dataset.split(options.split);
  if (split.packed_bytes() < kSmallestTimedBytes) {
    throw InvalidArgument("time batches: split \"" + split.name() + "\" has only " +
                          std::to_string(split.packed_bytes()) + " bytes of samples, but timing needs at least " +
                          std::to_string(kSmallestTimedBytes) + "; use a larger split");
  }
  const Device device = chosen(options.device);
  Benchmark result;
  result.split = split.name();
  result.device = to_string(device);
  result.device_name = device_name(device);
  result.sample_count = split.sample_count();
  result.shape = to_string(split.shape());
  result.load = measure_load(split, device, options);
  result.batches = measure_batches(Store::load(split, device, {.residency = Residency::device}), options);
  return result;
}

}  // namespace octavo
