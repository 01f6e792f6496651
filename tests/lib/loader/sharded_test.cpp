// Ranks that hold a split together serve the batches of one that holds all of it.
#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <octavo/batch_maker.hpp>
#include <octavo/errors.hpp>
#include <octavo/loader.hpp>

#include "catch.hpp"
#include "device_tensor.hpp"
#include "devices.hpp"
#include "packed_fixture.hpp"
#include "served.hpp"
#include "thread_exchange.hpp"

using namespace octavo;
using namespace octavo::test;

namespace {

/// This rank's part of the samples, in memory of its own unless `shares_memory`.
Store load_part(const Split& split, Device device, ThreadRanks& ranks, std::int64_t rank, bool shares_memory = false) {
  LoadOptions options;
  options.residency = Residency::sharded;
  options.shares_host_memory = shares_memory;
  options.exchange = [&ranks, rank] { return ranks.exchange(rank); };
  return Store::load(split, device, options);
}

/// The batches of a loop.
std::vector<Served> batches_of(const Store& store, const LoaderOptions& options, std::int64_t epochs = 2) {
  Loader loader(store, options);
  std::vector<Served> batches;
  for (std::int64_t epoch = 0; epoch < epochs; ++epoch) {
    for (const Batch& batch : loader.epoch(epoch)) batches.emplace_back().add(batch);
  }
  return batches;
}

/// The parts of the ranks, joined.
std::vector<Served> joined(const std::vector<std::vector<Served>>& by_rank) {
  std::vector<Served> batches(by_rank.front().size());
  for (const std::vector<Served>& parts : by_rank) {
    REQUIRE(parts.size() == batches.size());
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const auto append = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
      append(batches[i].values, parts[i].values);
      append(batches[i].labels, parts[i].labels);
      append(batches[i].masks, parts[i].masks);
      if (batches[i].sizes.empty()) batches[i].sizes = {0};
      batches[i].sizes[0] += parts[i].sizes[0];
    }
  }
  return batches;
}

/// The batches that ranks serve together, each of which holds a part of the samples.
std::vector<Served> served_by_ranks(const Split& split, Device device, std::int64_t world_size, LoaderOptions options) {
  ThreadRanks ranks(world_size);
  std::vector<std::vector<Served>> by_rank(static_cast<std::size_t>(world_size));
  ranks.run([&](std::int64_t rank) {
    const Store store = load_part(split, device, ranks, rank);
    LoaderOptions own = options;
    own.rank = rank;
    own.world_size = world_size;
    by_rank[static_cast<std::size_t>(rank)] = batches_of(store, own);
  });
  return joined(by_rank);
}

void ranks_that_hold_a_split_together_serve_its_batches(Device device) {
  for (const Compression compression : {Compression::none, Compression::lp8, Compression::lc8}) {
    PlainSplit plain = smooth_split("train", 61, {2, 9, 7});
    plain.masks = masked_split("train", 61, {2, 9, 7}).masks;
    const PackedFixture fixture({plain}, compression);
    const Split split = fixture.dataset().split("train");
    const Store whole = Store::load(split, device, {.residency = Residency::device});
    for (const Shuffle shuffle : {Shuffle(true), Shuffle::windows(20)}) {
      for (const int prefetch : {0, 2}) {
        LoaderOptions options{.batch_size = 16, .shuffle = shuffle, .seed = 5};
        options.prefetch = prefetch;
        const std::vector<Served> expected = batches_of(whole, options);
        for (const std::int64_t world_size : {1, 2, 3, 7}) {
          INFO(to_string(compression) << " " << to_string(shuffle) << " " << world_size << " ranks");
          REQUIRE(served_by_ranks(split, device, world_size, options) == expected);
        }
      }
    }
  }
}

void augmented_and_sampled_batches_are_those_of_one_rank(Device device) {
  const PackedFixture fixture({random_split("train", 50, {3, 8, 8})});
  const Split split = fixture.dataset().split("train");
  LoaderOptions options{.batch_size = 10, .shuffle = true, .seed = 2};
  options.spec.augment = {augment::RandomCrop{.padding = 2}, augment::HorizontalFlip{}};
  options.spec.views = 2;
  std::vector<double> weights;
  for (int i = 0; i < 50; ++i) weights.push_back(i % 5);
  options.sampling.weights = weights;  // samples repeat within a batch
  const std::vector<Served> expected = batches_of(Store::load(split, device, {}), options);
  REQUIRE(served_by_ranks(split, device, 3, options) == expected);
}

/// The mixed batches of each rank are those of a rank that holds all samples.
void partners_of_mixed_samples_may_be_on_other_ranks(Device device) {
  const PackedFixture fixture({random_split("train", 40, {3, 8, 8})});
  const Split split = fixture.dataset().split("train");
  const Store whole = Store::load(split, device, {.residency = Residency::device});
  ThreadRanks ranks(2);
  std::vector<std::vector<Served>> mixed(2), expected(2);
  ranks.run([&](std::int64_t rank) {
    const Store store = load_part(split, device, ranks, rank);
    LoaderOptions options{.batch_size = 12, .shuffle = true, .rank = rank, .world_size = 2};
    options.spec.mix = augment::Mix{.cutmix_alpha = 1.0};
    options.spec.soft_classes = 10;
    mixed[static_cast<std::size_t>(rank)] = batches_of(store, options);
    expected[static_cast<std::size_t>(rank)] = batches_of(whole, options);
  });
  REQUIRE(mixed == expected);
}

void several_loaders_share_a_store_and_any_batch_can_be_made(Device device) {
  const PackedFixture fixture({random_split("train", 64, {1, 6, 5})});
  const Split split = fixture.dataset().split("train");
  const Store whole = Store::load(split, device, {.residency = Residency::device});
  ThreadRanks ranks(3);
  using Made = std::vector<std::vector<std::uint32_t>>;
  std::vector<Made> by_rank(3), expected_by_rank(3);
  ranks.run([&](std::int64_t rank) {
    Made& all = by_rank[static_cast<std::size_t>(rank)];
    Made& expected = expected_by_rank[static_cast<std::size_t>(rank)];
    const Store store = load_part(split, device, ranks, rank);
    const LoaderOptions one{.batch_size = 12, .shuffle = true, .rank = rank, .world_size = 3};
    const LoaderOptions other{.batch_size = 10, .seed = 4, .rank = rank, .world_size = 3};
    const BatchMaker a(store, one), b(store, other), all_of_a(whole, one), all_of_b(whole, other);
    const auto made = [&](const BatchMaker& maker, std::int64_t epoch, std::int64_t step) {
      const DeviceTensor images(device, DType::float32, {maker.batch_count(epoch, step), 1, 6, 5});
      maker.make(epoch, step, images.view());
      return images.to_host<std::uint32_t>();
    };
    for (const auto& [epoch, step] : {std::pair(0, 0), {0, 1}, {0, 4}, {0, 4}, {2, 3}, {2, 4}, {2, 5}, {1, 0}}) {
      all.push_back(made(a, epoch, step));
      expected.push_back(made(all_of_a, epoch, step));
      all.push_back(made(b, epoch, step));
      expected.push_back(made(all_of_b, epoch, step));
    }
    // A rank may also make whole batches of its own, from the file.
    const BatchMaker alone(store, {.batch_size = 10}), whole_alone(whole, {.batch_size = 10});
    all.push_back(made(alone, 0, rank));
    expected.push_back(made(whole_alone, 0, rank));
    const auto picked = [&](const Store& from) {
      const DeviceTensor images(device, DType::float32, {3, 1, 6, 5});
      from.gather(std::vector<std::int64_t>{60, 2, 30}, BatchSpec{}, images.view());
      return images.to_host<std::uint32_t>();
    };
    all.push_back(picked(store));
    expected.push_back(picked(whole));
  });
  REQUIRE(by_rank == expected_by_rank);
}

void each_rank_holds_its_part_only(Device device) {
  const PackedFixture fixture({random_split("train", 10, {1, 4, 4})}, Compression::none);
  const Split split = fixture.dataset().split("train");
  ThreadRanks ranks(3);
  std::vector<std::int64_t> counts(3), bytes(3);
  std::vector<Residency> residencies(3);
  ranks.run([&](std::int64_t rank) {
    const Store store = load_part(split, device, ranks, rank);
    const auto at = static_cast<std::size_t>(rank);
    residencies[at] = store.residency();
    bytes[at] = store.device_bytes();
    counts[at] = store.resident_count();
  });
  REQUIRE(residencies == std::vector<Residency>(3, Residency::sharded));
  REQUIRE(bytes == std::vector<std::int64_t>{60, 60, 80});  // 16 + 4 of each
  REQUIRE(counts == std::vector<std::int64_t>{3, 3, 4});    // floor(10 r / 3)
}

void a_loop_resumes_with_another_number_of_ranks(Device device) {
  const PackedFixture fixture({random_split("train", 64, {1, 6, 5})});
  const Split split = fixture.dataset().split("train");
  const LoaderOptions options{.batch_size = 16, .shuffle = true, .seed = 3};
  const std::vector<Served> expected = batches_of(Store::load(split, device, {}), options);
  std::optional<LoaderState> state;
  std::vector<Served> all;
  // Three batches with two ranks, and so on. An epoch has four.
  for (const auto& [world_size, batch_count] : {std::pair(2, 3), {8, 2}, {2, 1}, {8, 1}, {1, 1}}) {
    ThreadRanks ranks(world_size);
    std::vector<std::vector<Served>> by_rank(static_cast<std::size_t>(world_size));
    std::optional<LoaderState> after;
    ranks.run([&, count = batch_count](std::int64_t rank) {
      const Store store = load_part(split, device, ranks, rank);
      LoaderOptions own = options;
      own.rank = rank;
      own.world_size = ranks.world_size();
      Loader loader(store, own);
      if (state) loader.restore(*state);
      std::vector<Served>& batches = by_rank[static_cast<std::size_t>(rank)];
      for (std::int64_t epoch = state ? state->epoch : 0; epoch < 2; ++epoch) {
        for (const Batch& batch : loader.epoch(epoch)) {
          batches.emplace_back().add(batch);
          if (std::ssize(batches) == count) break;
        }
        if (std::ssize(batches) == count) break;
      }
      if (rank == 0) after = loader.state();
    });
    state = after;
    const std::vector<Served> batches = joined(by_rank);
    all.insert(all.end(), batches.begin(), batches.end());
  }
  REQUIRE(all == expected);
}

/// What all ranks throw.
std::vector<std::string> errors_of(const ThreadRanks& ranks, const std::function<void(std::int64_t rank)>& work) {
  std::vector<std::string> errors(static_cast<std::size_t>(ranks.world_size()));
  ranks.run([&](std::int64_t rank) {
    try {
      work(rank);
    } catch (const Error& error) {
      errors[static_cast<std::size_t>(rank)] = error.what();
    }
  });
  return errors;
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

LoaderOptions shared_by(std::int64_t rank, std::int64_t world_size) {
  return {.batch_size = 8, .shuffle = true, .rank = rank, .world_size = world_size};
}

}  // namespace

OCTAVO_CONTRACT(ranks_that_hold_a_split_together_serve_its_batches,
                "ranks that hold a split together serve its batches", "[unit][loader][sharded][many-batches]")
OCTAVO_CONTRACT(augmented_and_sampled_batches_are_those_of_one_rank,
                "ranks that hold a split together augment and sample as one", "[unit][loader][sharded]")
OCTAVO_CONTRACT(partners_of_mixed_samples_may_be_on_other_ranks, "partners of mixed samples may be on other ranks",
                "[unit][loader][sharded]")
OCTAVO_CONTRACT(several_loaders_share_a_store_and_any_batch_can_be_made,
                "several loaders share a part of a split, in any order of batches", "[unit][loader][sharded]")
OCTAVO_CONTRACT(each_rank_holds_its_part_only, "each rank holds its part of a split only", "[unit][loader][sharded]")
OCTAVO_CONTRACT(a_loop_resumes_with_another_number_of_ranks,
                "a loop over a split that ranks hold together resumes with another number of ranks",
                "[unit][loader][sharded]")

TEST_CASE("ranks of one machine hold a split once, and exchange nothing", "[unit][loader][sharded]") {
  for (const Compression compression : {Compression::none, Compression::lp8}) {
    PlainSplit plain = smooth_split("train", 61, {2, 9, 7});
    plain.masks = masked_split("train", 61, {2, 9, 7}).masks;
    const PackedFixture fixture({plain}, compression);
    const Split split = fixture.dataset().split("train");
    const Store whole = Store::load(split, Device::cpu(), {.residency = Residency::device});
    ThreadRanks ranks(3);
    std::vector<std::vector<Served>> served(3), expected(3);
    std::vector<std::int64_t> residents(3);
    ranks.run([&](std::int64_t rank) {
      const auto at = static_cast<std::size_t>(rank);
      const Store store = load_part(split, Device::cpu(), ranks, rank, true);
      const LoaderOptions options{.batch_size = 10, .shuffle = true, .drop_last = true, .rank = rank, .world_size = 3};
      residents[at] = store.resident_count();
      served[at] = batches_of(store, options);
      expected[at] = batches_of(whole, options);
    });
    CHECK(served == expected);
    CHECK(residents == std::vector<std::int64_t>(3, 61));
    CHECK(ranks.sent_bytes() == 0);
  }
}

TEST_CASE("what travels between ranks is packed", "[unit][loader][sharded]") {
  const PackedFixture fixture({random_split("train", 40, {3, 8, 8})}, Compression::none);
  const Split split = fixture.dataset().split("train");
  ThreadRanks ranks(2);
  ranks.run([&](std::int64_t rank) {
    const Store store = load_part(split, Device::cpu(), ranks, rank);
    LoaderOptions options = shared_by(rank, 2);
    options.prefetch = 0;
    batches_of(store, options, 1);
  });
  // A rank lacks a sample of its part with probability 1/2: of 40 samples of 192 + 4 bytes, not all and not none.
  CHECK(ranks.sent_bytes() % (192 + 4) == 0);
  CHECK(ranks.sent_bytes() > 0);
  CHECK(ranks.sent_bytes() < 40 * (192 + 4));
}

TEST_CASE("a rank that stops answering ends the others with an error", "[unit][loader][sharded]") {
  const PackedFixture fixture({random_split("train", 40, {1, 4, 4})});
  const Split split = fixture.dataset().split("train");
  ThreadRanks ranks(3, std::chrono::milliseconds(300));
  const auto errors = errors_of(ranks, [&](std::int64_t rank) {
    const Store store = load_part(split, Device::cpu(), ranks, rank);
    Loader loader(store, shared_by(rank, 3));
    for (std::int64_t epoch = 0; epoch < 100; ++epoch) {
      for ([[maybe_unused]] const Batch& batch : loader.epoch(epoch)) {
      }
      if (epoch == 1 && rank == 1) ranks.stop(1);
    }
  });
  CHECK(contains(errors[0], "a rank does not answer"));
  CHECK(contains(errors[2], "a rank does not answer"));
}

TEST_CASE("a rank that leaves ends those that need it, and no others", "[unit][loader][sharded]") {
  const PackedFixture fixture({random_split("train", 40, {1, 4, 4})});
  const Split split = fixture.dataset().split("train");
  ThreadRanks ranks(3);
  const auto errors = errors_of(ranks, [&](std::int64_t rank) {
    const Store store = load_part(split, Device::cpu(), ranks, rank);
    // Rank 1 leaves after one epoch, and rank 2 after two, which it cannot finish.
    batches_of(store, shared_by(rank, 3), 1);
    if (rank == 2) batches_of(store, shared_by(rank, 3), 1);
    if (rank == 0) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  });
  CHECK(errors[0] == "");
  CHECK(errors[1] == "");
  INFO(errors[2]);
  CHECK(contains(errors[2], "has closed its part of the samples"));
}

TEST_CASE("a rank that cannot read its part is an error of all", "[unit][loader][sharded]") {
  const PackedFixture fixture({random_split("train", 40, {1, 4, 4})});
  const PackedFixture other({random_split("train", 40, {1, 4, 4}, 2)});
  ThreadRanks ranks(3);
  SECTION("because a sample is damaged") {
    // Sample 30 belongs to rank 2. In a copy, which has the same index, one of its bytes is flipped.
    TemporaryFolder folder;
    const std::filesystem::path damaged = folder / "damaged.h5";
    std::filesystem::copy_file(fixture.path(), damaged);
    const std::vector<std::int8_t> codes = [&] {
      std::vector<std::int8_t> row(16);
      fixture.dataset().split("train").read(30, 1, row);
      return row;
    }();
    std::fstream file(damaged, std::ios::in | std::ios::out | std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    const std::size_t at = bytes.find(std::string(reinterpret_cast<const char*>(codes.data()), 16));
    REQUIRE(at != std::string::npos);
    file.clear();
    file.seekp(static_cast<std::streamoff>(at));
    file.put(static_cast<char>(bytes[at] ^ 1));
    file.close();
    const auto errors = errors_of(ranks, [&](std::int64_t rank) {
      load_part(Dataset::open(damaged.string()).split("train"), Device::cpu(), ranks, rank);
    });
    CHECK(contains(errors[0], "rank 2 has failed"));
    CHECK(contains(errors[0], "sample 30"));
    CHECK(contains(errors[1], "rank 2 has failed"));
    CHECK(contains(errors[2], "sample 30"));
  }
  SECTION("because it loads other samples") {
    const auto errors = errors_of(ranks, [&](std::int64_t rank) {
      load_part((rank == 1 ? other : fixture).dataset().split("train"), Device::cpu(), ranks, rank);
    });
    for (const std::string& error : errors) CHECK(contains(error, "the samples of rank 1 differ from those of rank 0"));
  }
}

TEST_CASE("ranks that take other batches hear of it", "[unit][loader][sharded]") {
  const PackedFixture fixture({random_split("train", 40, {1, 4, 4})});
  const Split split = fixture.dataset().split("train");
  ThreadRanks ranks(2);
  SECTION("another place") {
    const auto errors = errors_of(ranks, [&](std::int64_t rank) {
      const Store store = load_part(split, Device::cpu(), ranks, rank);
      Loader loader(store, shared_by(rank, 2));
      loader.epoch(rank);
    });
    for (const std::string& error : errors) {
      CHECK(contains(error,
                     "rank 1 takes other batches: it waits for batch 0 of epoch 1 of loader 0, and rank 0 for "
                     "batch 0 of epoch 0 of loader 0"));
    }
  }
  SECTION("another seed") {
    const auto errors = errors_of(ranks, [&](std::int64_t rank) {
      const Store store = load_part(split, Device::cpu(), ranks, rank);
      LoaderOptions options = shared_by(rank, 2);
      options.seed = static_cast<std::uint64_t>(rank);
      Loader(store, options).epoch(0);
    });
    for (const std::string& error : errors) {
      CHECK(contains(error, "the options of its loader differ from those of rank 0"));
    }
  }
}

TEST_CASE("ranks share a split automatically if it is too large for one of them", "[unit][loader][sharded]") {
  const PackedFixture fixture({random_split("train", 40, {1, 4, 4})}, Compression::none);
  const Split split = fixture.dataset().split("train");
  const std::int64_t all = 40 * (16 + 4);
  const auto residencies = [&](std::int64_t world_size, const std::vector<std::int64_t>& limits) {
    ThreadRanks ranks(world_size);
    std::vector<Residency> chosen(limits.size());
    std::vector<std::string> reasons(limits.size());
    ranks.run([&](std::int64_t rank) {
      const auto at = static_cast<std::size_t>(rank);
      const Store store = Store::load(
          split, Device::cpu(), {.memory_limit_bytes = limits[at], .exchange = [&] { return ranks.exchange(rank); }});
      chosen[at] = store.residency();
      reasons[at] = store.residency_reason();
    });
    for (const Residency residency : chosen) CHECK(residency == chosen.front());
    return std::pair(chosen.front(), reasons);
  };
  CHECK(residencies(2, {all, all}).first == Residency::device);
  const auto shared = residencies(2, {all / 2, all - 1});
  CHECK(shared.first == Residency::sharded);
  CHECK(contains(shared.second[0], "2 ranks hold them together, this one loaded 20"));
  // One rank lacks room for its part, so none of them shares.
  const auto apart = residencies(2, {all / 2, all / 2 - 1});
  CHECK(apart.first == Residency::hybrid);
  CHECK(contains(apart.second[0], "rank 1 has no memory for its part"));
}

TEST_CASE("the residency sharded needs ranks", "[unit][loader][sharded]") {
  const PackedFixture fixture({random_split("train", 10, {1, 4, 4})});
  REQUIRE_THROWS_AS(Store::load(fixture.dataset().split("train"), Device::cpu(), {.residency = Residency::sharded}),
                    InvalidArgument);
}
