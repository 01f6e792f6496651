// An epoch of loading through the public API, compared with a copy of the bytes that it moves.
#include <algorithm>
#include <cstring>
#include <octavo/octavo.hpp>
#include <thread>

#include "kernels/cpu/streaming_copy.hpp"
#include "support/big_memory.hpp"
#include "support/results.hpp"

#include "support/team.hpp"

namespace {

using namespace octavo::bench;

/// Copies as many bytes as an epoch reads and writes, on all threads, bypassing the cache.
double copy_of(double moved_bytes, std::byte* to, const std::byte* from, std::size_t room) {
  const int threads = thread_count_of_process();
  const auto bytes = std::min(room, static_cast<std::size_t>(moved_bytes / 2)) / 256 * 256;
  const std::size_t part = bytes / static_cast<std::size_t>(threads) / 256 * 256;
  return run_team(threads, [&](int thread) {
    octavo::kernels::cpu::streaming_copy(to + part * static_cast<std::size_t>(thread),
                                         from + part * static_cast<std::size_t>(thread), part);
  });
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 2 || argv[1][0] == '-') {
    std::fprintf(stderr, "usage: bench_epoch FILE.h5 [--batch-size B] [--rounds R] [--json FILE]\n");
    return 2;
  }
  const long batch_size = option(argc, argv, "--batch-size", 512);
  const int rounds = static_cast<int>(option(argc, argv, "--rounds", 9));
  Results results("epoch", argc, argv);
  const octavo::Dataset dataset = octavo::Dataset::open(argv[1]);
  const octavo::Split split = dataset.split(dataset.split_names().front());
  const octavo::Store store = octavo::Store::load(split, octavo::Device::cpu());
  octavo::Loader loader(store, {.batch_size = batch_size, .shuffle = true});

  const double moved = 5.0 * static_cast<double>(split.packed_bytes());
  constexpr std::size_t kRoom = std::size_t{512} << 20;
  const BigMemory from = make_big_memory(kRoom), to = make_big_memory(kRoom);
  std::int64_t epoch = 0, samples = 0;
  const auto run_epoch = [&] {
    samples = 0;
    for (const octavo::Batch& batch : loader.epoch(epoch)) samples += batch.size();
    ++epoch;
  };
  run_epoch();
  require(samples == split.sample_count(), "an epoch");
  const double copied = 2.0 * static_cast<double>(std::min(kRoom, static_cast<std::size_t>(moved / 2)));
  const auto measured =
      measure({{"streaming copy of as many bytes", copied, [&] { return copy_of(moved, to.get(), from.get(), kRoom); }},
               {"epoch, batches of " + std::to_string(batch_size), moved, [&] { return seconds_of(run_epoch); }}},
              rounds);
  results.section("an epoch of " + split.name() + ", " + std::to_string(split.sample_count()) + " samples of " +
                  to_string(split.shape()));
  for (const Measurement& measurement : measured) results.add(measurement, measured[0].bytes_per_second());
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "bench_epoch: %s\n", error.what());
  return 1;
}
