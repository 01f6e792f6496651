#include "store/spec/folded_spec.hpp"

#include <cmath>
#include <limits>
#include <octavo/errors.hpp>

#include "catch.hpp"

using namespace octavo;
using octavo::store::fold_spec;
using octavo::store::FoldedSpec;

namespace {

/// Two channels of two values: 10 and 30 in the first, 100 twice in the second.
Statistics two_channels() {
  Statistics statistics;
  statistics.quantization = {{1.0, 0.0}, {1.0, 0.0}};
  statistics.histogram.assign(512, 0);
  statistics.histogram[10] = statistics.histogram[30] = 1;
  statistics.histogram[256 + 100] = 2;
  statistics.mean = {20.0, 100.0};
  statistics.standard_deviation = {10.0, 0.0};
  statistics.mean_image = {10.0f, 30.0f, 100.0f, 100.0f};
  return statistics;
}
const SampleShape kShape{2, 1, 2};

/// For samples with the quantization of the statistics.
FoldedSpec folded_for(const BatchSpec& spec, const Statistics& statistics, const SampleShape& shape) {
  return fold_spec(spec, statistics, statistics.quantization, shape);
}

}  // namespace

TEST_CASE("samples with another range than the statistics get the same numbers for the same source values",
          "[unit][store]") {
  // The statistics are of values 2 k + 10. The samples are 0.5 k - 6 in the first channel, k in the second.
  Statistics statistics = two_channels();
  statistics.quantization = {{2.0, 10.0}, {2.0, 10.0}};
  const std::vector<ChannelQuantization> own = {{0.5, -6.0}, {1.0, 0.0}};
  BatchSpec spec;
  spec.center = Center::values;
  spec.center_values = {4.0};
  spec.divisor = Divisor::values;
  spec.divisor_values = {8.0};
  // real = (0.5 (code + 128) - 6 - 4) / 8
  const FoldedSpec in_source = fold_spec(spec, statistics, own, kShape);
  REQUIRE(in_source.maps.size() == 2);
  CHECK(in_source.maps[0].scale == 0.0625f);
  CHECK(in_source.maps[0].shift == (64.0f - 10.0f) / 8);
  CHECK(in_source.maps[1].scale == 0.125f);
  CHECK(in_source.maps[1].shift == (128.0f - 4.0f) / 8);
  // In the levels of the statistics, the first channel is (0.5 k - 16) / 2, the second (k - 10) / 2.
  spec.of_stored_values = true;
  const FoldedSpec in_levels = fold_spec(spec, statistics, own, kShape);
  CHECK(in_levels.maps[0].scale == 0.03125f);
  CHECK(in_levels.maps[0].shift == (32.0f - 8.0f - 4.0f) / 8);
  CHECK(in_levels.maps[1].scale == 0.0625f);
  CHECK(in_levels.maps[1].shift == (64.0f - 5.0f - 4.0f) / 8);
}

TEST_CASE("the default is centered on one mean over all channels and divided by 128", "[unit][store]") {
  const FoldedSpec folded = folded_for({}, two_channels(), kShape);
  REQUIRE(folded.maps.size() == 1);  // one map serves both channels
  REQUIRE(folded.maps[0].scale == 1.0f / 128);
  REQUIRE(folded.maps[0].shift == (128.0f - 60.0f) / 128);  // mean of 10, 30, 100, 100
}

TEST_CASE("channels are centered on their own means", "[unit][store]") {
  BatchSpec spec;
  spec.center = Center::channel;
  const FoldedSpec folded = folded_for(spec, two_channels(), kShape);
  REQUIRE(folded.maps.size() == 2);
  REQUIRE(folded.maps[0].shift == 108.0f / 128);
  REQUIRE(folded.maps[1].shift == 28.0f / 128);
}

TEST_CASE("each pixel is centered on the mean image", "[unit][store]") {
  BatchSpec spec;
  spec.center = Center::pixel;
  const FoldedSpec folded = folded_for(spec, two_channels(), kShape);
  REQUIRE(folded.pixel_shifts == std::vector<float>{118.0f / 128, 98.0f / 128, 28.0f / 128, 28.0f / 128});
  spec.layout = Layout::nhwc;
  REQUIRE(folded_for(spec, two_channels(), kShape).pixel_shifts ==
          std::vector<float>{118.0f / 128, 28.0f / 128, 98.0f / 128, 28.0f / 128});
}

TEST_CASE("a constant channel cannot be divided by its standard deviation", "[unit][store]") {
  REQUIRE_THROWS_WITH(folded_for(BatchSpec::preset("standard"), two_channels(), kShape),
                      ContainsSubstring("the divisor of channel 1 is 0"));
}

TEST_CASE("without channel means one standard deviation serves all channels", "[unit][store]") {
  BatchSpec spec;
  spec.divisor = Divisor::standard_deviation;
  // Values 10, 30, 100, 100 around 60: squares 2500, 900, 1600, 1600; variance 1650.
  REQUIRE(folded_for(spec, two_channels(), kShape).divisors[0] == std::sqrt(1650.0));
}

TEST_CASE("presets on the stored value ignore the source's unit", "[unit][store]") {
  Statistics statistics = two_channels();
  statistics.quantization = {{0.5, 7.0}, {0.5, 7.0}};
  const FoldedSpec folded = folded_for(BatchSpec::preset("unit"), statistics, kShape);
  REQUIRE(folded.maps[0].scale == static_cast<float>(1.0 / 255));
  REQUIRE(folded.maps[0].shift == static_cast<float>(128.0 / 255));
}

TEST_CASE("given statistics replace the file's", "[unit][store]") {
  BatchSpec spec;
  spec.center = Center::channel;
  spec.statistics = two_channels();
  spec.statistics->mean = {0.0, 128.0};
  const FoldedSpec folded = folded_for(spec, two_channels(), kShape);
  REQUIRE(folded.maps[0].shift == 1.0f);
  REQUIRE(folded.maps[1].shift == 0.0f);
}

TEST_CASE("incomplete statistics are refused before use", "[unit][store]") {
  for (const char* preset : {"default", "unit", "standard", "imagenet"}) {
    BatchSpec spec = BatchSpec::preset(preset);
    spec.statistics = Statistics{};
    REQUIRE_THROWS_AS(folded_for(spec, two_channels(), kShape), InvalidArgument);
    spec.statistics = two_channels();
    spec.statistics->histogram.clear();
    REQUIRE_THROWS_AS(folded_for(spec, two_channels(), kShape), InvalidArgument);
  }
}

TEST_CASE("statistics of other channels are refused with both numbers", "[unit][store]") {
  BatchSpec spec = BatchSpec::preset("standard");
  spec.statistics = two_channels();
  spec.statistics->mean = {1.0, 2.0, 3.0};
  REQUIRE_THROWS_WITH(folded_for(spec, two_channels(), kShape),
                      ContainsSubstring("the statistics are of samples with 3 channels, but these have 2 channels; "
                                        "pack these with `channels=3`, or give statistics of such samples"));
  spec.statistics->mean.resize(5);
  REQUIRE_THROWS_WITH(folded_for(spec, two_channels(), kShape),
                      ContainsSubstring("but these have 2 channels; give statistics of such samples"));
}

TEST_CASE("numbers that do not match the channels or are not finite are refused", "[unit][store]") {
  BatchSpec spec;
  spec.divisor_values = {1.0, 2.0, 3.0};
  REQUIRE_THROWS_WITH(folded_for(spec, two_channels(), kShape), ContainsSubstring("3 divisors for 2 channels"));
  spec.divisor_values = {0.0};
  REQUIRE_THROWS_AS(folded_for(spec, two_channels(), kShape), InvalidArgument);
  spec.divisor_values = {1e-300};
  REQUIRE_THROWS_WITH(folded_for(spec, two_channels(), kShape), ContainsSubstring("not finite"));
  spec.divisor_values = {std::numeric_limits<double>::quiet_NaN()};
  REQUIRE_THROWS_AS(folded_for(spec, two_channels(), kShape), InvalidArgument);
  spec = {};
  spec.center = Center::values;
  REQUIRE_THROWS_WITH(folded_for(spec, two_channels(), kShape), ContainsSubstring("0 centers for 2 channels"));
  spec = {};
  spec.dtype = DType::int32;
  REQUIRE_THROWS_AS(folded_for(spec, two_channels(), kShape), InvalidArgument);
}
