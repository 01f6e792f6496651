// Checks on real data that every residency serves an epoch with the same checksum.
#include <octavo/loader.hpp>
#include <octavo/store.hpp>

#include "catch.hpp"
#include "program.hpp"
#include "shared_data.hpp"
#include "support/hash.hpp"
#include "temporary_folder.hpp"

using namespace octavo;
using namespace octavo::test;

namespace {

/// The checksum of the global batches of epoch 3, which `world_size` ranks draw together.
std::uint64_t epoch_checksum(const Store& store, std::int64_t world_size, int prefetch) {
  std::vector<Loader> ranks;
  for (std::int64_t rank = 0; rank < world_size; ++rank) {
    LoaderOptions options{.batch_size = 100, .shuffle = true, .seed = 7, .rank = rank, .world_size = world_size};
    options.prefetch = prefetch;
    ranks.emplace_back(store, options);
  }
  std::vector<EpochRange::Iterator> places;
  for (Loader& rank : ranks) places.push_back(rank.epoch(3).begin());
  StreamingHash images, labels;  // both in the order of the global batches
  while (places.front() != std::default_sentinel) {
    for (EpochRange::Iterator& place : places) {
      images.add(std::as_bytes(place->images().floats()));
      labels.add(std::as_bytes(place->labels().ints()));
      ++place;
    }
  }
  return images.value() ^ (31 * labels.value());
}

void has_one_checksum(const std::vector<std::string>& pack_arguments) {
  const TemporaryFolder folder;
  std::vector<std::string> arguments = {"pack", "-o", folder / "d.h5", "--quiet"};
  arguments.insert(arguments.end(), pack_arguments.begin(), pack_arguments.end());
  const Outcome packed = run_octavo(arguments);
  INFO(packed.err);
  REQUIRE(packed.exit_code == 0);
  const Split split = Dataset::open(folder / "d.h5").training_split();
  const std::uint64_t expected =
      epoch_checksum(Store::load(split, Device::cpu(), {.residency = Residency::device}), 1, 0);
  for (const int threads : {1, 2, 5}) {
    const Store streamed =
        Store::load(split, Device::cpu(), {.thread_count = threads, .residency = Residency::streamed});
    const Store hybrid = Store::load(
        split, Device::cpu(),
        {.thread_count = threads, .residency = Residency::hybrid, .resident_count = split.sample_count() / 3});
    for (const Store& store : {streamed, hybrid}) {
      for (const int prefetch : {0, 1, 4}) REQUIRE(epoch_checksum(store, 1, prefetch) == expected);
      for (const std::int64_t world_size : {2, 3}) REQUIRE(epoch_checksum(store, world_size, 1) == expected);
    }
  }
}

}  // namespace

TEST_CASE("Fashion-MNIST has one checksum from every residency", "[unit][tools][residency]") {
  const auto data = shared_data("fashion-mnist");
  if (!data) OCTAVO_SKIP("no Fashion-MNIST next to the checkout");
  has_one_checksum({*data});
}

TEST_CASE("CIFAR-10 has one checksum from every residency", "[unit][tools][residency]") {
  const auto data = shared_data("cifar10/test_batch_first3000.bin");
  if (!data) OCTAVO_SKIP("no CIFAR-10 next to the checkout");
  has_one_checksum({"train=" + data->string()});
}

TEST_CASE("photographs have one checksum from every residency", "[unit][tools][residency]") {
  const auto data = shared_data("photos-caltech101");
  if (!data) OCTAVO_SKIP("no photographs next to the checkout");
  has_one_checksum({*data, "--size", "96x96"});
}
