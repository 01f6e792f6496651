#include <octavo/plan.hpp>

#include <map>
#include <nlohmann/json.hpp>
#include <octavo/errors.hpp>
#include <octavo/loader.hpp>
#include <octavo/report.hpp>
#include <octavo/store.hpp>

#include "catch.hpp"
#include "packed_fixture.hpp"

using namespace octavo;
using namespace octavo::test;

namespace {

constexpr std::int64_t kMiB = std::int64_t{1} << 20;

/// 1,000 samples of 3x32x32: 3,072 values, with their labels 3,076 bytes each.
PackedFixture thousand() { return PackedFixture({random_split("train", 1000, {3, 32, 32})}); }

std::int64_t bytes_of_part(const Plan& plan, const std::string& name) {
  for (const PlannedPart& part : plan.parts) {
    if (part.name == name) return part.bytes;
  }
  return -1;
}

}  // namespace

TEST_CASE("a plan adds up the memory of training", "[unit][plan]") {
  const PackedFixture fixture = thousand();
  PlanOptions options;
  options.memory_bytes = 64 * kMiB;
  options.batch_size = 100;
  options.model = {1'000'000, Optimizer::adam, true, 10'000};
  const Plan found = plan(fixture.dataset(), options);
  REQUIRE(found.fits);
  REQUIRE(found.residency == Residency::device);
  REQUIRE(found.resident_count == 1000);
  REQUIRE(found.reserved_bytes == 4 * kMiB);  // a sixteenth
  REQUIRE(bytes_of_part(found, "samples, int8") == 3'072'000);
  REQUIRE(bytes_of_part(found, "labels") == 4000);
  // Three buffers: the current batch and two prefetched ones.
  REQUIRE(bytes_of_part(found, "batches") == 100 * 3 * (3072 * 4 + 4));
  REQUIRE(bytes_of_part(found, "parameters") == 4'000'000);
  REQUIRE(bytes_of_part(found, "gradients") == 4'000'000);
  REQUIRE(bytes_of_part(found, "optimizer") == 8'000'000);
  REQUIRE(bytes_of_part(found, "parameters in half precision") == 2'000'000);
  REQUIRE(bytes_of_part(found, "activations") == 1'000'000);
  // 60 MiB minus 18 MB for the model and the samples, divided by 3 * 12,292 + 10,000 bytes per sample of a batch.
  const std::int64_t left = 60 * kMiB - 18'000'000 - 3'076'000;
  REQUIRE(found.largest_batch == left / (3 * 12'292 + 10'000));
  REQUIRE(found.largest_power_of_two == 512);
  REQUIRE(found.rule_of_thumb_batch == 64 * kMiB / 4 / 1'003'072);
  REQUIRE(found.memory_limit_bytes == 3'076'000);
}

TEST_CASE("with less memory a plan uses smaller residencies and reports when nothing fits", "[unit][plan]") {
  const PackedFixture fixture = thousand();
  const auto plan_with = [&](std::int64_t memory) {
    PlanOptions options;
    options.memory_bytes = memory;
    options.batch_size = 16;
    return plan(fixture.dataset(), options);
  };
  // A fifth is reserved. All samples, and three buffers of 16 * 12,292.
  const std::int64_t all = 3'076'000 + 3 * 16 * 12'292;
  REQUIRE(plan_with(all * 5 / 4 + 5).residency == Residency::device);
  const Plan less = plan_with(all * 5 / 4 - 5);
  REQUIRE(less.residency == Residency::hybrid);
  REQUIRE(less.resident_count > 900);
  REQUIRE(less.total_bytes() <= less.memory_bytes - less.reserved_bytes);
  REQUIRE(less.largest_batch >= 16);
  // One buffer and three packed batches: 16 * (12,292 + 3 * 3,100) = 345,472. A twentieth of the samples is 153,800.
  const Plan little = plan_with((345'472 + 153'800) * 5 / 4 + 5);
  REQUIRE(little.residency == Residency::hybrid);
  REQUIRE(little.resident_count == 50);
  const Plan least = plan_with(345'472 * 5 / 4 + 5);
  REQUIRE(least.residency == Residency::streamed);
  REQUIRE(least.largest_batch == 16);
  REQUIRE(least.largest_power_of_two == 16);
  const Plan none = plan_with(345'472 * 5 / 4 - 5);
  REQUIRE_FALSE(none.fits);
  REQUIRE(none.largest_batch == 0);
  REQUIRE(none.largest_streamed_batch == 15);
  REQUIRE_THAT(to_text(none), ContainsSubstring("none fits"));
  REQUIRE_FALSE(plan_with(1).fits);
}

TEST_CASE("a plan for several devices shares the samples if they are too large for one", "[unit][plan]") {
  const PackedFixture fixture = thousand();
  const auto ranks_with = [&](std::int64_t memory, std::int64_t world_size) {
    PlanOptions options;
    options.memory_bytes = memory;
    options.batch_size = 16;
    options.world_size = world_size;
    return plan(fixture.dataset(), options);
  };
  // On each of four devices: a quarter of the samples, and four samples of the batch as float32, three times packed,
  // and packed for other ranks with a quarter to spare: 250 * 3,076 + 4 * (12,292 + 3 * 3,100 + 3,845) = 870,748.
  const Plan shared = ranks_with(870'748 * 5 / 4 + 5, 4);
  REQUIRE(shared.residency == Residency::hybrid);
  REQUIRE(shared.ranks.value().residency == Residency::sharded);
  REQUIRE(shared.ranks->resident_count == 250);
  REQUIRE(shared.ranks->resident_bytes == 769'000);
  REQUIRE(shared.ranks->largest_batch == 16);
  REQUIRE(shared.ranks->exchanged_bytes == 3 * 3'076);  // of four samples, one is here already
  REQUIRE_THAT(to_text(shared), ContainsSubstring("4 such devices, batch size 16 in all") &&
                                    ContainsSubstring("residency sharded: 751.0 KiB of samples on each"));
  REQUIRE(ranks_with(870'748 * 5 / 4 - 5, 4).ranks->residency == Residency::hybrid);
  REQUIRE(ranks_with(64 * kMiB, 4).ranks->residency == Residency::device);
  REQUIRE_FALSE(ranks_with(1, 4).ranks->fits);
  REQUIRE_FALSE(ranks_with(64 * kMiB, 1).ranks);
}

TEST_CASE("without a batch size a plan chooses one that fits", "[unit][plan]") {
  const PackedFixture fixture = thousand();
  PlanOptions options;
  options.memory_bytes = 64 * kMiB;
  options.model.activation_bytes_per_sample = kMiB;
  // 60 MiB minus 3,076,000 bytes of samples, divided by 1 MiB + 3 * 12,292: 55.
  const Plan found = plan(fixture.dataset(), options);
  REQUIRE(found.residency == Residency::device);
  REQUIRE(found.batch_size == 32);
  REQUIRE(found.largest_batch == 55);
}

TEST_CASE("loading follows the plan", "[unit][plan]") {
  const PackedFixture fixture = thousand();
  const Split split = fixture.dataset().split("train");
  for (const std::int64_t memory : {2 * kMiB, 3 * kMiB, 8 * kMiB}) {
    PlanOptions options;
    options.memory_bytes = memory;
    options.batch_size = 16;
    options.prefetch = 1;
    const Plan found = plan(fixture.dataset(), options);
    REQUIRE(found.fits);
    const Store store = Store::load(split, Device::cpu(), {.memory_limit_bytes = found.memory_limit_bytes});
    REQUIRE(store.residency() == found.residency);
    REQUIRE(store.resident_count() == found.resident_count);
    LoaderOptions drawn{.batch_size = 16};
    drawn.prefetch = 1;
    const Loader loader(store, drawn);
    const std::int64_t taken = store.device_bytes() + loader.device_bytes();
    // Not in the plan: the normalization, and padding between the parts of a packed batch.
    REQUIRE(taken >= found.total_bytes());
    REQUIRE(taken <= found.total_bytes() + 256);
  }
}

TEST_CASE("a plan matches the measurements of the report", "[unit][plan]") {
#if defined(__SANITIZE_THREAD__)
  OCTAVO_SKIP("ThreadSanitizer uses several times the memory of the program");
#endif
  const PackedFixture fixture({random_split("train", 4000, {3, 64, 64})});  // 49 MB
  PlanOptions options;
  options.device = Device::cpu();
  options.batch_size = 512;
  const Plan planned = plan(fixture.dataset(), options);
  ReportOptions measuring;
  measuring.device = Device::cpu();
  measuring.batch_size = 512;
  const MemoryReport measured = measure_report(fixture.dataset(), measuring);
  const auto agree = [](std::int64_t a, std::int64_t b) {
    return std::abs(a - b) <= std::max(4 * kMiB, std::max(a, b) / 20);
  };
  REQUIRE(planned.residency == Residency::device);
  REQUIRE(agree(bytes_of_part(planned, "samples, int8") + bytes_of_part(planned, "labels"),
                measured.residencies.back().measured_bytes.value()));
  REQUIRE(agree(bytes_of_part(planned, "batches"), measured.residencies.back().batch_buffer_bytes));
  REQUIRE(agree(planned.forms.front().sample_bytes, measured.residencies.front().measured_bytes.value()));
}

TEST_CASE("a plan is also available as JSON", "[unit][plan]") {
  const PackedFixture fixture = thousand();
  PlanOptions options;
  options.memory_bytes = 24 * 1024 * kMiB;
  const auto document = nlohmann::json::parse(to_json(plan(fixture.dataset(), options)));
  REQUIRE(document.at("residency") == "device");
  REQUIRE(document.at("forms").size() == 3);
  REQUIRE(document.at("well_known").size() >= 10);
  REQUIRE(document.at("largest_batch") == 1000);  // a batch has at most as many samples as the split
}

TEST_CASE("a plan estimates what repacking would save", "[unit][plan]") {
  const auto plan_of = [](const PackedFixture& fixture, std::int64_t samples) {
    PlanOptions options;
    options.memory_bytes = 64 * kMiB;
    options.estimated_samples = samples;
    return plan(fixture.dataset(), options);
  };
  PlainSplit split = smooth_split("train", 400, {3, 32, 32});
  split.masks = masked_split("train", 400, {3, 32, 32}).masks;
  // One sample of noise: the one that shrinks least.
  const PlainSplit noise = random_split("train", 1, {3, 32, 32}, 7);
  std::ranges::copy(noise.values, split.values.begin() + 123 * 3072);
  std::map<Compression, std::int64_t> expected;
  std::map<Compression, PlannedRepack> from_coded;
  for (const Compression compression : {Compression::lp8, Compression::lc8}) {
    const Plan coded = plan_of(PackedFixture({split}, compression), 1000);
    expected[compression] = coded.forms.back().sample_bytes;
    REQUIRE(coded.repacks.size() == 1);
    CHECK(coded.repacks[0].compression != compression);
    from_coded[coded.repacks[0].compression] = coded.repacks[0];
  }
  CHECK(expected[Compression::lc8] < expected[Compression::lp8]);
  const PackedFixture plain({split}, Compression::none), deflated({split}, Compression::deflate);
  REQUIRE(plan_of(plain, 0).repacks.empty());
  const Plan exact = plan_of(plain, 1000);
  REQUIRE(exact.repacks.size() == expected.size());
  for (const PlannedRepack& whole : exact.repacks) {
    INFO(to_string(whole.compression));
    CHECK(whole.encoded_count == 400);
    CHECK(whole.standard_error_bytes == 0);
    CHECK(whole.largest_index == 123);
    CHECK(whole.most_share > whole.least_share);
    CHECK(whole.form.sample_bytes == expected[whole.compression]);
    CHECK(from_coded[whole.compression].form.sample_bytes == expected[whole.compression]);
    std::int64_t of_classes = 0;
    double most_share = 0.0;
    for (const PlannedClass& one : whole.classes) {
      of_classes += one.encoded_count;
      most_share = std::max(most_share, one.share);
    }
    CHECK(of_classes == 400);
    const auto noisy = std::ranges::find(whole.classes, split.labels[123], &PlannedClass::number);
    REQUIRE(noisy != whole.classes.end());
    CHECK(noisy->share == most_share);
  }
  for (const PlannedDevice& device : exact.well_known) CHECK(device.repacked_shares == std::vector{1.0, 1.0});
  // Of a deflated file fewer samples are read, because each takes a whole chunk.
  for (const PackedFixture* fixture : {&plain, &deflated}) {
    for (const PlannedRepack& some : plan_of(*fixture, 100).repacks) {
      INFO(to_string(some.compression));
      CHECK(some.encoded_count >= (fixture == &plain ? 100 : 2));
      CHECK(some.encoded_count <= 100);
      CHECK(some.standard_error_bytes > 0);
      CHECK(std::abs(some.form.sample_bytes - expected[some.compression]) < expected[some.compression] / 20);
    }
  }
}

TEST_CASE("plans for invalid numbers are refused", "[unit][plan]") {
  const PackedFixture fixture = thousand();
  const auto refuses = [&](auto&& change) {
    PlanOptions options;
    options.memory_bytes = kMiB;
    change(options);
    REQUIRE_THROWS_AS(plan(fixture.dataset(), options), InvalidArgument);
  };
  refuses([](PlanOptions& options) { options.memory_bytes = -1; });
  refuses([](PlanOptions& options) { options.batch_size = -1; });
  refuses([](PlanOptions& options) { options.estimated_samples = -1; });
  refuses([](PlanOptions& options) { options.model.parameter_count = -1; });
  refuses([](PlanOptions& options) { options.model.parameter_count = INT64_MAX; });
  refuses([](PlanOptions& options) { options.model.activation_bytes_per_sample = -1; });
  refuses([](PlanOptions& options) { options.model.activation_bytes_per_sample = INT64_MAX - 5; });
  refuses([](PlanOptions& options) { options.model.activation_bytes_per_sample = std::int64_t{1} << 60; });
  refuses([](PlanOptions& options) { options.split = "nowhere"; });
  REQUIRE_THROWS_AS(parse_optimizer("lion"), InvalidArgument);
}
