#include "training/initial_weights.hpp"

#include <cmath>

#include "kernels/permute.hpp"

namespace octavo::training {
namespace {

constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15u;  // SplitMix64's increment

/// Number `counter` of a stream of uniform numbers in [-1, 1): 24 bits, exact in float.
float uniform(std::uint64_t stream, std::uint64_t counter) {
  const std::uint64_t bits = kernels::splitmix64(stream + kGolden * (counter + 1)) >> 40;
  return static_cast<float>(static_cast<std::int64_t>(bits) - (1 << 23)) / static_cast<float>(1 << 23);
}

}  // namespace

std::vector<float> initial_weights(const ModelLayout& layout, std::uint64_t seed) {
  std::vector<float> parameters(static_cast<std::size_t>(layout.parameter_count));
  for (std::size_t i = 0; i < layout.layers.size(); ++i) {
    const ModelLayout::Layer& layer = layout.layers[i];
    const std::uint64_t stream = kernels::splitmix64(kernels::splitmix64(seed + kGolden) + i);
    const double variance = (i + 1 < layout.layers.size() ? 2.0 : 1.0) / static_cast<double>(layer.inputs);
    const auto bound = static_cast<float>(std::sqrt(3.0 * variance));  // a uniform number in [-1, 1) has variance 1/3
    float* weights = parameters.data() + layer.weights;
    for (std::int64_t w = 0; w < layer.inputs * layer.outputs; ++w) {
      weights[w] = bound * uniform(stream, static_cast<std::uint64_t>(w));
    }
  }
  return parameters;
}

}  // namespace octavo::training
