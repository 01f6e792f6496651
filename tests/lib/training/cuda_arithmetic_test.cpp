// Runs the CUDA training kernels, compiled for the host: each number is processed once, for any grid.
#include <vector>

#include "arithmetic_cases.hpp"
#include "catch.hpp"
#include "training/kernels/cpu_arithmetic.hpp"
#include "training/kernels/cuda_arithmetic.hpp"

using namespace octavo::training;
using namespace octavo::test;

TEST_CASE("the CUDA bias kernel matches the CPU", "[unit][shim]") {
  for (const std::int64_t width : {1, 10, 257}) {
    for (const std::int64_t B : {1, 33}) {
      const auto bias = numbers(static_cast<std::size_t>(width), 9);
      auto values = numbers(static_cast<std::size_t>(B * width));
      auto expected = values;
      add_bias({expected.data(), bias.data(), B, width, true}, 0, B);
      REQUIRE(launch_add_bias({values.data(), bias.data(), B, width, true}, nullptr) == cudaSuccess);
      REQUIRE(values == expected);
    }
  }
}

TEST_CASE("the CUDA ReLU gradient matches the CPU", "[unit][shim]") {
  for (const std::int64_t count : {1, 256, 257, 1000}) {
    const auto activations = numbers(static_cast<std::size_t>(count), 2);
    auto gradients = numbers(static_cast<std::size_t>(count));
    auto expected = gradients;
    relu_gradient({activations.data(), expected.data(), count}, 0, count);
    REQUIRE(launch_relu_gradient({activations.data(), gradients.data(), count}, nullptr) == cudaSuccess);
    REQUIRE(gradients == expected);
  }
}

TEST_CASE("the CUDA softmax matches the CPU", "[unit][shim]") {
  for (const std::int64_t B : {1, 32, 33, 70}) {
    SoftmaxData data(B, 10), expected(B, 10);
    softmax(expected.args(), 0, B);
    REQUIRE(launch_softmax(data.args(), nullptr) == cudaSuccess);
    REQUIRE(data.hits == expected.hits);
    // expf and logf of a GPU are not those of the host.
    for (std::size_t i = 0; i < data.losses.size(); ++i) {
      REQUIRE(is_close(data.losses[i], expected.losses[i], 2e-6, 2e-6));
    }
    for (std::size_t i = 0; i < data.gradients.size(); ++i) {
      REQUIRE(is_close(data.gradients[i], expected.gradients[i], 0, 1e-6));
    }
  }
}

TEST_CASE("the CUDA momentum step matches the CPU even if the grid is smaller than the work", "[unit][shim]") {
  for (const std::int64_t count : {1, 255, 1000, 2048 * 256 + 3}) {
    const auto n = static_cast<std::size_t>(count);
    const auto gradients = numbers(n, 3);
    auto weights = numbers(n, 4), velocities = numbers(n, 5);
    auto expected_weights = weights, expected_velocities = velocities;
    momentum_step({expected_weights.data(), expected_velocities.data(), gradients.data(), count, 0.05f, 0.9f}, 0,
                  count);
    REQUIRE(launch_momentum_step({weights.data(), velocities.data(), gradients.data(), count, 0.05f, 0.9f}, nullptr) ==
            cudaSuccess);
    REQUIRE(weights == expected_weights);
    REQUIRE(velocities == expected_velocities);
  }
}

TEST_CASE("empty work launches nothing", "[unit][shim]") {
  REQUIRE(launch_add_bias({nullptr, nullptr, 0, 10, true}, nullptr) == cudaSuccess);
  REQUIRE(launch_relu_gradient({}, nullptr) == cudaSuccess);
  REQUIRE(launch_softmax({}, nullptr) == cudaSuccess);
  REQUIRE(launch_momentum_step({}, nullptr) == cudaSuccess);
}
