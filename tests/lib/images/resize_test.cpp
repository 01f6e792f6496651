#include "images/geometry/resize.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "catch.hpp"
#include "images/geometry/resample_filter.hpp"

using namespace octavo;
using images::Pixels;
using Values = std::vector<std::uint8_t>;

namespace {

Values resized(const Pixels& picture, int reduction, const images::Box& from, std::int64_t width, std::int64_t height) {
  Values out(static_cast<std::size_t>(picture.channels * width * height));
  images::resize(picture, reduction, from, width, height, {out.data(), width, width * height});
  return out;
}

/// The weights of pixels [0, count) for one output of the filter in docs/conversions.md, in doubles.
std::vector<double> weights_of(double begin, double scale, std::int64_t output, std::int64_t count) {
  const double support = std::max(1.0, scale), center = begin + (static_cast<double>(output) + 0.5) * scale;
  std::vector<double> weights;
  double sum = 0;
  for (std::int64_t k = 0; k < count; ++k) {
    weights.push_back(std::max(0.0, 1 - std::abs(static_cast<double>(k) + 0.5 - center) / support));
    sum += weights.back();
  }
  for (double& weight : weights) weight /= sum;
  return weights;
}

}  // namespace

TEST_CASE("a flat image keeps its value at every size", "[unit][image]") {
  for (const int value : {0, 1, 127, 254, 255}) {
    for (const std::int64_t side : {1, 2, 7, 100, 1000}) {
      Pixels picture(side, 3, 3);
      std::ranges::fill(picture.values, static_cast<std::uint8_t>(value));
      for (const std::int64_t target : {1, 3, 16, 17, 64, 99}) {
        const Values out = resized(picture, 1, {0, 0, side, 3}, target, 5);
        REQUIRE(std::ranges::count(out, value) == std::ssize(out));
      }
    }
  }
}

TEST_CASE("every value is within one level of the filter in doubles", "[unit][image]") {
  std::mt19937 random(3);
  struct Case {
    std::int64_t width, height, to_width, to_height;
  };
  for (const Case& sizes :
       {Case{300, 200, 224, 224}, {31, 17, 96, 5}, {5, 5, 64, 64}, {1, 9, 4, 3}, {640, 48, 32, 32}}) {
    Pixels picture(sizes.width, sizes.height, 3);
    for (auto& value : picture.values) value = static_cast<std::uint8_t>(random());
    const Values out = resized(picture, 1, {0, 0, sizes.width, sizes.height}, sizes.to_width, sizes.to_height);
    for (int tries = 0; tries < 300; ++tries) {
      const std::int64_t x = static_cast<std::int64_t>(random()) % sizes.to_width;
      const std::int64_t y = static_cast<std::int64_t>(random()) % sizes.to_height;
      const std::int64_t c = static_cast<std::int64_t>(random()) % 3;
      const auto across = weights_of(0, double(sizes.width) / double(sizes.to_width), x, sizes.width);
      const auto down = weights_of(0, double(sizes.height) / double(sizes.to_height), y, sizes.height);
      double expected = 0;
      for (std::int64_t v = 0; v < sizes.height; ++v) {
        for (std::int64_t u = 0; u < sizes.width; ++u) {
          expected += down[static_cast<std::size_t>(v)] * across[static_cast<std::size_t>(u)] *
                      picture.values[static_cast<std::size_t>((v * sizes.width + u) * 3 + c)];
        }
      }
      const auto got = out[static_cast<std::size_t>((c * sizes.to_height + y) * sizes.to_width + x)];
      REQUIRE(std::abs(got - expected) < 0.6);
    }
  }
}

TEST_CASE("a region of a reduced image may begin between its pixels", "[unit][image]") {
  // An 8 x 1 image at half size. The region from 1 to 5 is 0.5 to 2.5 there; one output with center 1.5 and support 2.
  Pixels half(4, 1, 1);
  half.values = {10, 20, 40, 90};
  // Pixels 0 to 2: weights 1 - 1/2, 1, 1 - 1/2: (5 + 20 + 20) / 2 = 22.5.
  CHECK(resized(half, 2, {1, 0, 4, 1}, 1, 1)[0] == 23);
}

TEST_CASE("the weights of each pixel add up to one for any number of weights", "[unit][image]") {
  for (const std::int64_t inputs : {1, 2, 100, 65535}) {
    for (const std::int64_t outputs : {1, 3, 500}) {
      const images::ResampleFilter filter(0.0, static_cast<double>(inputs), inputs, outputs);
      const auto axis = filter.axis();
      for (std::int64_t i = 0; i < outputs; ++i) {
        int sum = 0;
        for (std::int64_t t = 0; t < axis.tap_count; ++t) {
          REQUIRE(axis.weights[i * axis.tap_count + t] >= 0);
          sum += axis.weights[i * axis.tap_count + t];
        }
        REQUIRE(sum == 1 << kernels::cpu::kWeightBits);
        REQUIRE(axis.first[i] >= 0);
        REQUIRE(axis.first[i] + axis.tap_count <= inputs);
      }
    }
  }
}
