#include "kernels/cpu/resample.hpp"

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
