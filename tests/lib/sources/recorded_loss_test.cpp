// The loss of quantizing stays with the samples when dataset files are made from dataset files.
#include "sources/recorded_loss.hpp"

#include <octavo/dataset.hpp>
#include <octavo/pack.hpp>
#include <octavo/report.hpp>

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "catch.hpp"
#include "made_files.hpp"
#include "report/certificate.hpp"
#include "report/origin.hpp"
#include "sources/common_percentile.hpp"
#include "temporary_folder.hpp"

using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;
using namespace octavo;
using namespace octavo::test;

namespace {

const SourceOptions kArrays = {.layout = ArrayLayout::hw};

/// 40 samples of 1x4x4 floats that spread over 0 to 9.99.
void write_floats(const std::filesystem::path& path, double factor = 1.0) {
  std::vector<float> values(40 * 16);
  double number = 0.0;
  for (float& value : values) {
    value = static_cast<float>(number * factor);
    number = std::fmod(number + 3.77, 9.99);
  }
  const std::string bytes(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
  write_file(path, npy("<f4", "40, 4, 4", bytes));
}

std::string loss_of(const std::filesystem::path& path, const std::string& split) {
  return recorded_loss(Dataset::open(path), split);
}

}  // namespace

TEST_CASE("the loss of quantizing stays with samples that are packed again", "[unit][pack]") {
  const TemporaryFolder folder;
  write_floats(folder / "train.npy");
  pack(*open(folder / "train.npy", kArrays), folder / "a.h5");
  const std::string loss = loss_of(folder / "a.h5", "train");
  REQUIRE_THAT(loss, ContainsSubstring("of 256 levels used") && EndsWith("of the standard deviation"));

  const PackSummary summary = pack(*open_source({{folder / "a.h5", "val"}}, {}), folder / "b.h5");
  CHECK(loss_of(folder / "b.h5", "val") == loss);
  // Nothing more was lost, so there is nothing to note.
  for (const std::string& note : summary.notes) CHECK_THAT(note, !ContainsSubstring("8-bit"));
  pack(*open(folder / "b.h5"), folder / "c.h5");
  CHECK(loss_of(folder / "c.h5", "val") == loss);
  append(*open_source({{folder / "train.npy", "test"}}, kArrays), folder / "c.h5");
  CHECK(loss_of(folder / "c.h5", "val") == loss);
  CHECK(loss_of(folder / "c.h5", "test") == loss);
  const Dataset dataset = Dataset::open(folder / "c.h5");
  const auto certificate = report::certify(dataset.split("val"), report::origin_of(dataset, "val"));
  CHECK_FALSE(certificate.lossless);
  CHECK(certificate.level_use.has_value());
}

TEST_CASE("the loss of chosen samples names the samples that were counted", "[unit][pack]") {
  const TemporaryFolder folder;
  write_floats(folder / "train.npy");
  pack(*open(folder / "train.npy", kArrays), folder / "a.h5");
  const auto chosen = "standard deviation, in the 40 samples that it was chosen from";
  pack(*open(folder / "a.h5", {.limit = 8}), folder / "b.h5");
  CHECK_THAT(loss_of(folder / "b.h5", "train"), EndsWith(chosen));
  const Holdout holdout(0.25);
  pack(*open(folder / "a.h5", {.holdout = holdout}), folder / "c.h5");
  CHECK_THAT(loss_of(folder / "c.h5", "train"), EndsWith(chosen));
  CHECK_THAT(loss_of(folder / "c.h5", "val"), EndsWith(chosen));
  // Samples that are quantized now are counted as they are read.
  pack(*open(folder / "train.npy", {.layout = ArrayLayout::hw, .limit = 8}), folder / "d.h5");
  CHECK_THAT(loss_of(folder / "d.h5", "train"), EndsWith("of the standard deviation"));
  pack(*open(folder / "train.npy", {.layout = ArrayLayout::hw, .holdout = holdout}), folder / "e.h5");
  CHECK_THAT(loss_of(folder / "e.h5", "val"), EndsWith(chosen));
}

TEST_CASE("merged splits have the larger loss, and converted ones that of before", "[unit][pack]") {
  const TemporaryFolder folder;
  const SourceOptions options = {.layout = ArrayLayout::hw,
                                 .range = {.kind = ValueRange::Kind::given, .low = 0.0, .high = 10.0}};
  write_floats(folder / "train.npy");
  write_floats(folder / "dark/train.npy", 0.1);
  pack(*open(folder / "train.npy", options), folder / "a.h5");
  pack(*open(folder / "dark/train.npy", options), folder / "b.h5", {.allow_loss = true});
  // It was accepted when it was packed.
  pack(*open_source({{folder / "a.h5"}, {folder / "b.h5"}}, {}), folder / "both.h5");
  CHECK(loss_of(folder / "both.h5", "train") == loss_of(folder / "b.h5", "train"));
  pack(*open(folder / "a.h5", {.size = {{8, 8}}, .channels = 3}), folder / "c.h5");
  CHECK(loss_of(folder / "c.h5", "train") == loss_of(folder / "a.h5", "train"));
  const Dataset dataset = Dataset::open(folder / "c.h5");
  const auto certificate = report::certify(dataset.split("train"), report::origin_of(dataset, "train"));
  CHECK(certificate.largest_error.size() == 3);
  CHECK_THAT(certificate.compared_with, ContainsSubstring("counted before resizing"));
}

TEST_CASE("a loss that the file does not record is unknown", "[unit][pack]") {
  const Json provenance = Json::parse(R"({"notes": {"quantized a": {"samples": 4, "channels": "x"},
    "quantized b": {"samples": 0, "channels": []}, "quantized c": 7}})");
  for (const char* split : {"a", "b", "c", "d"}) CHECK_FALSE(sources::recorded_loss(provenance, split, 4));
  CHECK_FALSE(sources::recorded_loss(Json::array(), "a", 4));
}

TEST_CASE("most values outside the range are refused unless the loss is accepted", "[unit][pack]") {
  const TemporaryFolder folder;
  write_floats(folder / "train.npy");
  const SourceOptions options = {.layout = ArrayLayout::hw,
                                 .range = {.kind = ValueRange::Kind::given, .low = 0.0, .high = 2.0}};
  REQUIRE_THROWS_WITH(pack(*open(folder / "train.npy", options), folder / "a.h5"),
                      StartsWith("quantize train: most float32 values from 0 to 9.92") &&
                          ContainsSubstring(" are outside the range 0 to 2 (") &&
                          EndsWith("or accept the loss with `allow_loss`"));
  const auto notes = pack(*open(folder / "train.npy", options), folder / "a.h5", {.allow_loss = true}).notes;
  CHECK_THAT(notes.at(0), ContainsSubstring("% of the values clipped") && ContainsSubstring(" outside 0 to 2 were"));
  CHECK_THAT(loss_of(folder / "a.h5", "train"), ContainsSubstring("% of the values clipped"));
}

namespace {

/// 40 samples of 1x4x4 uint16 numbers from 30,000 to 30,899. Every eighth is `fill`.
void write_integers(const std::filesystem::path& path, std::uint16_t fill) {
  std::vector<std::uint16_t> values(40 * 16);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = i % 8 == 3 ? fill : static_cast<std::uint16_t>(30000 + i * 37 % 900);
  }
  const std::string bytes(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(std::uint16_t));
  write_file(path, npy("<u2", "40, 4, 4", bytes));
}

}  // namespace

TEST_CASE("a fill value among larger numbers is refused by its number", "[unit][pack]") {
  const TemporaryFolder folder;
  write_integers(folder / "train.npy", 0);
  REQUIRE_THROWS_WITH(pack(*open(folder / "train.npy", kArrays), folder / "a.h5"),
                      ContainsSubstring("with `range`, replace 0 if it is a fill value, or accept"));
}

TEST_CASE("a fill value of another split is named with the split", "[unit][pack]") {
  const TemporaryFolder folder;
  write_integers(folder / "train.npy", 30000);
  write_integers(folder / "val.npy", 0);
  const auto source = open_source({{folder / "train.npy", "train"}, {folder / "val.npy", "val"}}, kArrays);
  REQUIRE_THROWS_WITH(
      pack(*source, folder / "a.h5"),
      StartsWith("quantize train: most uint16 values from 30000 to 30896 would share") &&
          ContainsSubstring("), since the range reaches to 0 in val; give the range of most values with "
                            "`range`, replace 0 in val if it is a fill value, or accept"));
}

TEST_CASE("a percentile is proposed only if it suits all splits of the range", "[unit][pack]") {
  const auto notes = [](const char* split, std::optional<double> percentile) {
    QuantizationNotes made{.split = split, .from = "float32", .channels = {{.low = 0.0, .high = 9.0}}, .samples = 1};
    made.level_use = LevelUse{.levels = 6, .better_percentile = percentile};
    return made;
  };
  std::vector<QuantizationNotes> both = {notes("train", 99.9), notes("val", 99.5)};
  sources::keep_common_percentile(both);
  CHECK(both[0].level_use->better_percentile == 99.5);
  CHECK(both[1].level_use->better_percentile == 99.5);
  both = {notes("train", 99.9), notes("val", std::nullopt)};
  sources::keep_common_percentile(both);
  CHECK_FALSE(both[0].level_use->better_percentile);
  both[0].level_use->better_percentile = 99.9;
  both[1].channels[0].high = 7.0;  // another range
  sources::keep_common_percentile(both);
  CHECK(both[0].level_use->better_percentile == 99.9);
}

namespace {

/// 40 samples of 5x2x2 uint16 numbers: bands around 300, 800, 3000, 9000 and 200 that differ by up to 90, 180, 900,
/// 4500 and, unless `is_constant`, 15.
void write_bands(const std::filesystem::path& path, bool is_constant = false) {
  const double low[] = {255, 710, 2550, 6750, 192}, step[] = {10, 20, 100, 500, is_constant ? 0.0 : 1.67};
  std::vector<std::uint16_t> values;
  for (std::size_t sample = 0; sample < 40; ++sample) {
    for (std::size_t band = 0; band < 5; ++band) {
      for (std::size_t pixel = 0; pixel < 4; ++pixel) {
        values.push_back(static_cast<std::uint16_t>(low[band] + step[band] * double((sample * 4 + pixel) * 7 % 10)));
      }
    }
  }
  const std::string bytes(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(std::uint16_t));
  write_file(path, npy("<u2", "40, 5, 2, 2", bytes));
}

SourceOptions bands(ValueRange range) { return {.layout = ArrayLayout::chw, .range = range}; }

}  // namespace

TEST_CASE("a band that a shared range destroys is refused, however far apart the bands are", "[unit][pack]") {
  const TemporaryFolder folder;
  write_bands(folder / "train.npy");
  const auto shared = bands({.kind = ValueRange::Kind::given, .low = 0.0, .high = 65535.0});
  REQUIRE_THROWS_WITH(
      pack(*open(folder / "train.npy", shared), folder / "a.h5"),
      StartsWith(
          "quantize train: most uint16 values of channel 4 from 192 to 207 would share fewer than 16 levels (") &&
          ContainsSubstring("worst channel 4: 1 of 256 levels used, 0.0 effective bits") &&
          ContainsSubstring("`range=minmax`"));
  const PackSummary summary = pack(*open(folder / "train.npy", shared), folder / "a.h5", {.allow_loss = true});
  CHECK_THAT(summary.notes.at(0), ContainsSubstring("worst channel 4: 1 of") &&
                                      ContainsSubstring("largest error 123)") && EndsWith("`range=minmax` keeps more"));
  CHECK_THAT(loss_of(folder / "a.h5", "train"),
             StartsWith("worst channel 4: 1 of 256 levels") && EndsWith("; the range minmax keeps more"));
  pack(*open(folder / "a.h5"), folder / "b.h5");
  CHECK(loss_of(folder / "b.h5", "train") == loss_of(folder / "a.h5", "train"));
}

TEST_CASE("the channel of the largest error is named if channels have their own ranges", "[unit][pack]") {
  const TemporaryFolder folder;
  write_bands(folder / "train.npy");
  const auto notes =
      pack(*open(folder / "train.npy", bands({.kind = ValueRange::Kind::measured})), folder / "a.h5").notes;
  CHECK_THAT(notes.at(0), ContainsSubstring(" in channel 3)"));
}

TEST_CASE("a band that is constant in the source is not refused", "[unit][pack]") {
  const TemporaryFolder folder;
  write_bands(folder / "train.npy", true);
  const auto shared = bands({.kind = ValueRange::Kind::given, .low = 0.0, .high = 12000.0});
  REQUIRE_THROWS_WITH(pack(*open(folder / "train.npy", shared), folder / "a.h5"),
                      StartsWith("quantize train: most uint16 values of channel 0 from 255 to 345"));
}

TEST_CASE("a fill value is refused by its number", "[unit][pack]") {
  const TemporaryFolder folder;
  std::vector<float> values(40 * 16, 1e20f);
  for (std::size_t i = 0; i < values.size(); i += 2) values[i] = static_cast<float>(i);
  for (std::size_t i = 1; i < values.size(); i += 8) values[i] = static_cast<float>(i);
  const std::string bytes(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
  write_file(folder / "train.npy", npy("<f4", "40, 4, 4", bytes));
  REQUIRE_THROWS_WITH(pack(*open(folder / "train.npy", kArrays), folder / "a.h5"),
                      ContainsSubstring("; give the range of most values with `range`, replace 1e+20 if it is a fill "
                                        "value, or accept the loss with `allow_loss`"));
}
