#include "training/kernels/arithmetic.hpp"

#include <limits>

#include "arithmetic_cases.hpp"
#include "catch.hpp"
#include "training/kernels/cpu_arithmetic.hpp"

using namespace octavo::training;
using namespace octavo::test;

TEST_CASE("a bias is added to every row and ReLU sets negative sums to zero", "[unit][kernels]") {
  for (const bool relu : {false, true}) {
    for (const std::int64_t width : {1, 3, 16, 37}) {
      constexpr std::int64_t B = 5;
      const auto values = numbers(static_cast<std::size_t>(B * width));
      const auto bias = numbers(static_cast<std::size_t>(width), 9);
      auto out = values;
      add_bias({out.data(), bias.data(), B, width, relu}, 0, B);
      for (std::size_t i = 0; i < out.size(); ++i) {
        const float sum = values[i] + bias[i % bias.size()];
        REQUIRE(out[i] == (relu ? std::max(sum, 0.0f) : sum));
      }
    }
  }
}

TEST_CASE("a NaN passes the ReLU so that diverged training is visible", "[unit][kernels]") {
  REQUIRE(std::isnan(add_bias(std::numeric_limits<float>::quiet_NaN(), 1.0f, true)));
}

TEST_CASE("a gradient passes back through the ReLU only where the value did", "[unit][kernels]") {
  const std::vector<float> activations = {0.0f, 2.0f, -0.0f, 1e-30f, 0.0f};
  std::vector<float> gradients = {1.0f, -3.0f, 5.0f, 7.0f, 9.0f};
  relu_gradient({activations.data(), gradients.data(), 5}, 0, 4);
  REQUIRE(gradients == std::vector<float>{0.0f, -3.0f, 0.0f, 7.0f, 9.0f});
}

TEST_CASE("softmax and cross-entropy agree with double arithmetic", "[unit][kernels]") {
  for (const std::int64_t K : {1, 2, 10, 101}) {
    SoftmaxData data(9, K);
    softmax(data.args(), 0, data.B);
    for (std::int64_t b = 0; b < data.B; ++b) {
      const auto label = data.labels[static_cast<std::size_t>(b)];
      REQUIRE(is_close(data.losses[static_cast<std::size_t>(b)], -std::log(data.probability(b, label))));
      for (std::int64_t k = 0; k < K; ++k) {
        const double expected = (data.probability(b, k) - (k == label ? 1.0 : 0.0)) / 9.0;
        REQUIRE(is_close(data.gradients[static_cast<std::size_t>(b * K + k)], expected));
      }
    }
  }
}

TEST_CASE("huge logits give finite losses", "[unit][kernels]") {
  SoftmaxData data(2, 3);
  data.logits = {1e30f, -1e30f, 0.0f, 500.0f, 499.0f, 500.0f};
  data.labels = {0, 1};
  softmax(data.args(), 0, 2);
  REQUIRE(data.losses[0] == 0.0f);
  REQUIRE(is_close(data.losses[1], 1.0 + std::log(2.0 + std::exp(-1.0))));
}

TEST_CASE("a prediction is correct if the first largest logit is the label's", "[unit][kernels]") {
  SoftmaxData data(3, 3);
  data.logits = {1.0f, 5.0f, 2.0f, 4.0f, 4.0f, 0.0f, 4.0f, 4.0f, 0.0f};
  data.labels = {1, 0, 1};
  SoftmaxArgs args = data.args();
  args.gradients = nullptr;  // as in evaluation: only losses and hits
  softmax(args, 0, 3);
  REQUIRE(data.hits == std::vector<std::int32_t>{1, 1, 0});
  REQUIRE(data.gradients == std::vector<float>(9, -1.0f));
}

TEST_CASE("a label that is not a class gives NaN and reads nothing out of bounds", "[unit][kernels]") {
  SoftmaxData data(2, 3);
  data.labels = {3, -1};
  softmax(data.args(), 0, 2);
  REQUIRE(std::isnan(data.losses[0]));
  REQUIRE(std::isnan(data.losses[1]));
  REQUIRE(data.hits == std::vector<std::int32_t>{0, 0});
}

TEST_CASE("a momentum step is two fused multiply-adds per number on every instruction set", "[unit][kernels]") {
  for (const std::size_t count : {1u, 7u, 16u, 100u}) {
    const auto gradients = numbers(count, 3), old_weights = numbers(count, 4), old_velocities = numbers(count, 5);
    auto weights = old_weights, velocities = old_velocities;
    momentum_step({weights.data(), velocities.data(), gradients.data(), static_cast<std::int64_t>(count), 0.05f, 0.9f},
                  0, static_cast<std::int64_t>(count));
    for (std::size_t i = 0; i < count; ++i) {
      const float velocity = std::fma(0.9f, old_velocities[i], gradients[i]);
      REQUIRE(velocities[i] == velocity);
      REQUIRE(weights[i] == std::fma(-0.05f, velocity, old_weights[i]));
    }
  }
}
