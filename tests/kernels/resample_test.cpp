#include "kernels/cpu/image/resample.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <random>
#include <vector>

#include "catch.hpp"

using namespace octavo::kernels::cpu;

namespace {

/// A filter of random weights that add up to 1.
struct RandomFilter {
  std::vector<std::int32_t> first;
  std::vector<std::int16_t> weights;
  ResampleAxis axis;

  RandomFilter(std::mt19937& random, std::int64_t inputs, std::int64_t outputs, std::int64_t taps) {
    for (std::int64_t i = 0; i < outputs; ++i) {
      first.push_back(static_cast<std::int32_t>(random() % static_cast<unsigned>(inputs - taps + 1)));
      int left = 1 << kWeightBits;
      for (std::int64_t t = 0; t < taps; ++t) {
        const int weight = t + 1 == taps ? left : static_cast<int>(random() % static_cast<unsigned>(left + 1));
        weights.push_back(static_cast<std::int16_t>(weight));
        left -= weight;
      }
    }
    axis = {first.data(), weights.data(), outputs, taps};
  }
};

}  // namespace

TEST_CASE("blended rows match a plain loop at every length", "[unit][resample]") {
  std::mt19937 random(1);
  constexpr std::int64_t kRows = 9, kStride = 300;
  std::vector<std::uint8_t> image(kRows * kStride);
  for (auto& value : image) value = static_cast<std::uint8_t>(random());
  for (std::int64_t count = 1; count <= 300; count += count < 140 ? 1 : 53) {
    const std::int64_t taps = 1 + count % 5;
    const RandomFilter filter(random, kRows, 2, taps);
    std::vector<std::uint16_t> out(static_cast<std::size_t>(count) + 1, 7);
    blend_rows(filter.axis, 1, image.data(), kStride, count, out.data());
    for (std::int64_t i = 0; i < count; ++i) {
      std::int64_t sum = 0;
      for (std::int64_t t = 0; t < taps; ++t) {
        sum += filter.weights[static_cast<std::size_t>(taps + t)] *
               image[static_cast<std::size_t>((filter.first[1] + t) * kStride + i)];
      }
      REQUIRE(out[static_cast<std::size_t>(i)] == (sum + 32) / 64);
    }
    REQUIRE(out.back() == 7);
    ResampleAxis cubic = filter.axis;
    cubic.is_cubic = true;
    std::vector<std::uint16_t> cubic_out(out.size(), 7);
    blend_rows(cubic, 1, image.data(), kStride, count, cubic_out.data());
    for (std::size_t i = 0; i + 1 < out.size(); ++i) REQUIRE(std::abs(cubic_out[i] - 64 * 128 - out[i] / 2) <= 1);
    REQUIRE(cubic_out.back() == 7);
  }
}

TEST_CASE("a filter has no more weights than an output uses", "[unit][resample]") {
  for (const auto& [count, out_count, bilinear, cubic] :
       {std::array{64, 192, 2, 4}, {64, 32, 4, 8}, {256, 224, 3, 5}, {30, 20, 3, 6}}) {
    for (const bool is_cubic : {false, true}) {
      const octavo::kernels::AxisFilter filter = {count, out_count, true, is_cubic};
      INFO(count << " to " << out_count << ", cubic " << is_cubic);
      std::int32_t most = 0;
      for (std::int32_t out = 0; out < out_count; ++out) most = std::max(most, filter.end(out) - filter.first(out));
      CHECK(most == (is_cubic ? cubic : bilinear));
      CHECK(filter.most_taps() == most);
    }
  }
}

TEST_CASE("filters of any size stay within the range of their integers", "[unit][resample]") {
  const auto check = [](const octavo::kernels::AxisFilter& filter, std::int32_t out) {
    INFO(filter.count << " to " << filter.out_count << ", antialias " << filter.antialias << ", cubic "
                      << filter.is_cubic << ", output " << out);
    std::int32_t next = filter.first(out), most = 0;
    std::int64_t sum = 0, positive = 0, negative = 0;
    CHECK(next >= 0);
    CHECK(filter.end(out) <= filter.count);
    CHECK(filter.end(out) - next <= filter.most_taps());
    const bool is_small = filter.most_taps() < 100;  // weight() computes all weights for each
    bool is_same = true;
    filter.for_weights(out, [&](std::int32_t pixel, std::int32_t weight) {
      is_same = is_same && pixel == next++ && (!is_small || weight == filter.weight(out, pixel));
      sum += weight;
      (weight < 0 ? negative : positive) += weight;
      most = std::max(most, weight);
    });
    REQUIRE(is_same);
    REQUIRE(next == filter.end(out));
    REQUIRE(sum == 1 << kWeightBits);
    REQUIRE((filter.is_cubic || negative == 0));
    REQUIRE(most <= INT16_MAX);
    const octavo::kernels::BetweenFormat between = octavo::kernels::between_format(filter.is_cubic);
    REQUIRE(between.first_start() + 255 * negative >= 0);
    const std::int64_t most_between = (between.first_start() + 255 * positive) >> between.first_shift();
    REQUIRE(most_between <= UINT16_MAX);
    REQUIRE(between.second_start() + most_between * positive <= INT32_MAX);
    REQUIRE(between.second_start() + most_between * negative >= INT32_MIN);
  };
  std::mt19937 random(4);
  for (int i = 0; i < 4000; ++i) {
    const std::uint32_t most = i % 2 == 0 ? 12 : 300;
    const auto count = static_cast<std::int32_t>(1 + random() % most);
    const auto out_count = static_cast<std::int32_t>(1 + random() % most);
    const octavo::kernels::AxisFilter filter = {count, out_count, i % 3 == 0, i % 4 < 3};
    REQUIRE(filter.out_count * std::int64_t{filter.most_taps()} <=
            octavo::kernels::most_weights(count, out_count, filter.is_cubic));
    for (const std::int32_t out : {0, out_count / 2, out_count - 1}) check(filter, out);
  }
  for (const std::int32_t side : {1, 2, 65535}) {
    for (const std::int32_t out_side : {1, 3, 65535}) {
      for (const bool antialias : {false, true}) {
        for (const bool is_cubic : {false, true}) check({side, out_side, antialias, is_cubic}, out_side - 1);
      }
    }
  }
}

TEST_CASE("a tile is transposed at every length", "[unit][resample]") {
  for (std::int64_t count = 1; count < 40; ++count) {
    std::vector<std::uint16_t> rows(static_cast<std::size_t>(kTileRows * count)), tile(rows.size());
    std::iota(rows.begin(), rows.end(), std::uint16_t{0});
    transpose_tile(rows.data(), count, tile.data());
    for (std::int64_t i = 0; i < count; ++i) {
      for (std::int64_t r = 0; r < kTileRows; ++r) {
        REQUIRE(tile[static_cast<std::size_t>(i * kTileRows + r)] == r * count + i);
      }
    }
  }
}

TEST_CASE("blended columns match a plain loop and only requested rows are written", "[unit][resample]") {
  std::mt19937 random(2);
  for (const std::int64_t channels : {1, 3}) {
    for (const std::int64_t outputs : {1, 5, 63, 64, 65, 130}) {
      for (const std::int64_t rows : {std::int64_t{1}, std::int64_t{7}, kTileRows}) {
        constexpr std::int64_t kInputs = 40, kTaps = 6, kGap = 3;
        std::vector<std::uint16_t> tile(static_cast<std::size_t>(kInputs * channels * kTileRows));
        for (auto& value : tile) value = static_cast<std::uint16_t>(random() % 65281);
        const RandomFilter filter(random, kInputs, outputs, kTaps);
        const std::int64_t row_stride = outputs + kGap, plane_stride = rows * row_stride;
        std::vector<std::uint8_t> out(static_cast<std::size_t>(channels * plane_stride), 99);
        blend_columns(filter.axis, tile.data(), channels, rows, row_stride, plane_stride, out.data());
        for (std::int64_t c = 0; c < channels; ++c) {
          for (std::int64_t y = 0; y < rows; ++y) {
            for (std::int64_t x = 0; x < row_stride; ++x) {
              std::int64_t expected = 99;
              if (x < outputs) {
                std::int64_t sum = 1 << 21;
                for (std::int64_t t = 0; t < kTaps; ++t) {
                  const std::int64_t at =
                      ((filter.first[static_cast<std::size_t>(x)] + t) * channels + c) * kTileRows + y;
                  sum += std::int64_t{filter.weights[static_cast<std::size_t>(x * kTaps + t)]} *
                         tile[static_cast<std::size_t>(at)];
                }
                expected = sum >> 22;
              }
              REQUIRE(out[static_cast<std::size_t>(c * plane_stride + y * row_stride + x)] == expected);
            }
          }
        }
      }
    }
  }
}
