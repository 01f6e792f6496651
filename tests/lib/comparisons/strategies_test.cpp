#include <octavo/strategies.hpp>

#include <octavo/batch_sizes.hpp>

#include <map>
#include <octavo/errors.hpp>
#include <set>

#include "catch.hpp"
#include "devices.hpp"
#include "packed_fixture.hpp"

using namespace octavo;
using namespace octavo::test;

namespace {

void ways_serve_the_same_bits(Device device) {
  const PackedFixture fixture({random_split("train", 500, {1, 12, 12})});
  StrategyOptions options;
  options.device = device;
  options.batch_size = 32;
  options.window_counts = {1, 7, 100};  // windows of 500, 72 and 5; a batch does not fit in the last one
  options.epochs = 1;
  options.train_epochs = 1;
  const StrategyComparison comparison = compare_strategies(fixture.dataset(), options);
  std::map<std::string, std::set<std::uint64_t>> checksums;
  std::set<std::string> kinds;
  for (const StrategySpeed& speed : comparison.strategies) {
    checksums[speed.order].insert(speed.checksum);
    kinds.insert(speed.name + " " + speed.form);
    REQUIRE(speed.seconds > 0);
    REQUIRE(speed.moved_bytes >= 500 * 144 * 5);
    REQUIRE(speed.micro_samples == 32);
    if (speed.train_seconds) REQUIRE((*speed.busy_share > 0 && *speed.busy_share <= 1));
  }
  REQUIRE(checksums.size() == 4);
  REQUIRE(checksums.contains("blocks"));
  REQUIRE(checksums.contains("global"));
  REQUIRE(checksums.contains("windows:500"));
  REQUIRE(checksums.contains("windows:72"));
  for (const auto& [order, of_order] : checksums) REQUIRE(of_order.size() == 1);
  REQUIRE(kinds == std::set<std::string>{"IN float32", "IN int8", "SA float32", "SA int8", "SB float32", "SB int8",
                                         "hybrid int8"});
  REQUIRE(comparison.model_seconds.has_value());
}

void batch_sizes_are_compared(Device device) {
  const PackedFixture fixture({random_split("train", 120, {1, 12, 12})});
  BatchSizeOptions options;
  options.device = device;
  const BatchSizeComparison comparison = compare_batch_sizes(fixture.dataset(), options);
  std::vector<std::int64_t> sizes;
  for (const BatchSizeSpeed& speed : comparison.sizes) {
    sizes.push_back(speed.batch_size);
    REQUIRE(speed.images_per_second > 0);
    REQUIRE(speed.by_column_gflops > 0);
    REQUIRE(speed.whole_gflops > 0);
    REQUIRE(speed.by_element_gflops.has_value() == device.is_cpu());
  }
  REQUIRE(sizes == std::vector<std::int64_t>{1, 10, 100, 120});
  REQUIRE(comparison.values == 144);
}

}  // namespace

OCTAVO_CONTRACT(ways_serve_the_same_bits, "strategies with equal order serve equal batches", "[unit][report]")
OCTAVO_CONTRACT(batch_sizes_are_compared, "batch sizes are compared from 1 to all samples", "[unit][report]")

TEST_CASE("invalid comparisons are refused", "[unit][report]") {
  const PackedFixture fixture({random_split("train", 20, {1, 4, 4})});
  const auto refuses = [&](auto&& change) {
    StrategyOptions options;
    options.device = Device::cpu();
    change(options);
    REQUIRE_THROWS_AS(compare_strategies(fixture.dataset(), options), InvalidArgument);
  };
  refuses([](StrategyOptions& options) { options.batch_size = 0; });
  refuses([](StrategyOptions& options) { options.epochs = 0; });
  refuses([](StrategyOptions& options) { options.window_counts = {0}; });
  refuses([](StrategyOptions& options) { options.split = "nowhere"; });
}
