#include <octavo/report.hpp>

#include <nlohmann/json.hpp>

#include <octavo/errors.hpp>
#include <octavo/store.hpp>
#include <octavo/train.hpp>

#include "catch.hpp"
#include "devices.hpp"
#include "packed_fixture.hpp"

using namespace octavo;
using namespace octavo::test;

namespace {

/// 30,000 labeled samples of 3x16x16: 23,040,000 values and 120,000 bytes of labels.
Dataset large_dataset(const TemporaryFolder& folder) {
  write_packed(folder / "large.h5", {random_split("train", 30000, {3, 16, 16})});
  return Dataset::open(folder / "large.h5");
}

void figures_agree(Device device) {
  const TemporaryFolder folder;
  ReportOptions options;
  options.device = device;
  options.batch_size = 100;
  options.model_bytes = 7;
  const MemoryReport report = measure_report(large_dataset(folder), options);
  REQUIRE(report.split == "train");
  REQUIRE(report.sample_count == 30000);
  REQUIRE(report.shape == "3x16x16");
  REQUIRE(report.device == to_string(device));
  REQUIRE_FALSE(report.source_bytes);

  REQUIRE(report.residencies.size() == 3);
  const std::int64_t labels = 120000, values = 23040000;
  const std::int64_t computed[] = {4 * values + labels, 2 * values + labels, values + labels};
  const char* const names[] = {"float32", "float16", "int8"};
  for (std::size_t i = 0; i < 3; ++i) {
    const ResidencyCost& cost = report.residencies[i];
    INFO(cost.name);
    REQUIRE(cost.name == names[i]);
    REQUIRE(cost.computed_bytes == computed[i]);
#if !defined(__SANITIZE_THREAD__)  // which uses several times the memory of the program
    // Devices allocate memory in blocks of up to 2 MiB, and there are three buffers.
    REQUIRE(cost.measured_bytes.value() >= computed[i] - (1 << 20));
    REQUIRE(cost.measured_bytes.value() <= computed[i] + (8 << 20));
#endif
  }
  // A batch of 100 samples and labels, once (on a GPU: three times), and the maps of the normalization.
  const std::int64_t slots = device.is_cpu() ? 1 : 3;
  REQUIRE(report.residencies[2].batch_buffer_bytes == slots * 100 * (768 * 4 + 4) + 8);
  REQUIRE(report.residencies[1].batch_buffer_bytes == slots * 100 * (768 * 2 + 4) + 8);

  REQUIRE(report.training);
  REQUIRE(report.training->sample_bytes == values + labels);
  REQUIRE(report.training->model_bytes == 7);
  REQUIRE(report.training->total() < report.training->float32_total());

  REQUIRE(report.gather);
  REQUIRE(report.gather->batch_size == 100);
  REQUIRE(report.gather->moved_bytes == 100 * (768 + 768 * 4 + 4 + 4));
  REQUIRE(report.gather->median_seconds > 0.0);
  REQUIRE(report.gather->spread >= 0.0);
  REQUIRE(report.gather->copy_bytes_per_second > 1e8);
  REQUIRE(report.gather->fraction_of_copy > 0.0);
  REQUIRE(report.gather->lowest_fraction <= report.gather->fraction_of_copy);
  REQUIRE(report.gather->highest_fraction >= report.gather->fraction_of_copy);
}

}  // namespace

OCTAVO_CONTRACT(figures_agree, "the report's byte counts match hand-computed ones, and it times gathers",
                "[unit][report][exclusive][one-schedule]")

TEST_CASE("a batch size below one is refused", "[unit][report]") {
  const TemporaryFolder folder;
  write_packed(folder / "a.h5", {random_split("train", 4, {1, 2, 2})});
  ReportOptions options;
  options.batch_size = 0;
  REQUIRE_THROWS_AS(measure_report(Dataset::open(folder / "a.h5"), options), InvalidArgument);
}

TEST_CASE("a small split without labels is reported without timing and training", "[unit][report]") {
  const TemporaryFolder folder;
  PlainSplit split = random_split("only", 4, {1, 2, 2});
  split.labels.clear();
  split.label_width = 0;
  write_packed(folder / "a.h5", {split});
  ReportOptions options;
  options.device = Device::cpu();
  const MemoryReport report = measure_report(Dataset::open(folder / "a.h5"), options);
  REQUIRE(report.split == "only");
  REQUIRE_FALSE(report.gather);
  REQUIRE_FALSE(report.training);
  REQUIRE(report.residencies[0].computed_bytes == 64);
  REQUIRE(report.residencies[2].computed_bytes == 16);
  REQUIRE_THAT(to_text(report), ContainsSubstring("not timed"));
}

namespace {

/// A report with easily distinguishable figures.
MemoryReport made_report() {
  MemoryReport report;
  report.file = "a.h5";
  report.split = "train";
  report.device = "cpu";
  report.sample_count = 60000;
  report.shape = "1x28x28";
  report.file_bytes = 3 << 20;
  report.residencies = {
      {"float32", 4 << 20, 4 << 20, 1024}, {"float16", 2 << 20, std::nullopt, 512}, {"int8", 1 << 20, 1 << 20, 1024}};
  report.certificate.lossless = true;
  report.certificate.compared_with = "the source, read again";
  return report;
}

}  // namespace

TEST_CASE("the text lists every form with its bytes and its fraction of float32", "[unit][report]") {
  const std::string text = to_text(made_report());
  REQUIRE_THAT(text, ContainsSubstring("60,000 of 1x28x28"));
  REQUIRE_THAT(text, ContainsSubstring("float32             4.0 MiB       4.0 MiB       1.000"));
  REQUIRE_THAT(text, ContainsSubstring("float16             2.0 MiB  not measured       0.500"));
  REQUIRE_THAT(text, ContainsSubstring("int8                1.0 MiB       1.0 MiB       0.250"));
  REQUIRE_THAT(text, ContainsSubstring("lossless: verified against the source, read again"));
}

TEST_CASE("the text does not call converted images source images", "[unit][report]") {
  MemoryReport report = made_report();
  report.certificate.compared_with = "the converted images that were packed (the digest stored at packing)";
  REQUIRE_THAT(to_text(report),
               ContainsSubstring("lossless with respect to the converted images that were packed (the"));
}

TEST_CASE("the text says if a split is too small to measure its memory", "[unit][report]") {
  MemoryReport report = made_report();
  REQUIRE_THAT(to_text(report), !ContainsSubstring("too small to measure memory"));
  report.residencies.back().computed_bytes -= 1;
  REQUIRE_THAT(to_text(report), ContainsSubstring("too small to measure memory well: pages of 4 KiB"));
}

TEST_CASE("the text says if a gather ran in the cache", "[unit][report]") {
  MemoryReport report = made_report();
  // 1 MB in 100 us: 10 GB/s, half of 20 GB/s; 512 / 100 us = 5,120,000 images/s.
  report.gather = GatherSpeed{512, 1000000, 1e-4, 0.05, 2e10, 0.5, 0.49, 0.52, true};
  REQUIRE_THAT(to_text(report), ContainsSubstring("5,120,000 images/s") &&
                                    ContainsSubstring("at 50 % of the speed of a memory copy\n") &&
                                    ContainsSubstring("fits in the cache"));
  report.gather->fits_cache = false;
  REQUIRE_THAT(to_text(report), !ContainsSubstring("fits in the cache"));
}

TEST_CASE("a speed that does not hold still is given as a range", "[unit][report]") {
  MemoryReport report = made_report();
  report.gather = GatherSpeed{512, 1000000, 1e-4, 0.05, 2e10, 0.8, 0.7, 1.23};
  CHECK_THAT(to_text(report, false),
             ContainsSubstring("gathers run at between 70 % and 123 % of the speed of a memory copy (noisy)\n"));
}

TEST_CASE("a lossy split is called so in the first line", "[unit][report]") {
  MemoryReport report = made_report();
  report.certificate = {};
  report.certificate.compared_with = "the source (uint16), when it was packed";
  report.certificate.largest_error = {128.0};
  report.certificate.level_use = LevelUse{.levels = 6, .effective_bits = 1.0, .better_percentile = 99.9};
  CHECK_THAT(
      to_text(report, false),
      ContainsSubstring("times less than as float32, lossy: largest error 128, 6 of 256 levels used, 1.0 effective "
                        "bits, error 50 % of the standard deviation; the range percentile:99.9 keeps more"));
  const auto json = nlohmann::json::parse(to_json(report));
  CHECK(json["certificate"]["level_use"]["levels"] == 6);
}

TEST_CASE("the JSON contains every figure", "[unit][report]") {
  MemoryReport report = made_report();
  report.training = TrainingFootprint{100, 20, 3, 400};
  const auto json = nlohmann::json::parse(to_json(report));
  REQUIRE(json["residencies"][2]["computed_bytes"] == 1 << 20);
  REQUIRE(json["residencies"][1]["measured_bytes"].is_null());
  REQUIRE(json["gather"].is_null());
  REQUIRE(json["training"]["total_bytes"] == 123);
  REQUIRE(json["training"]["float32_total_bytes"] == 423);
  REQUIRE(json["certificate"]["lossless"] == true);
  REQUIRE(json["file_bytes"] == 3 << 20);
}
