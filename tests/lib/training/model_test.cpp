#include "training/model.hpp"

#include <cmath>

#include "catch.hpp"
#include "device_tensor.hpp"
#include "devices.hpp"
#include "training/initial_weights.hpp"
#include "training_data.hpp"

using namespace octavo;
using namespace octavo::test;
using namespace octavo::training;

namespace {

constexpr std::int64_t D = 5, H = 4, K = 3, B = 6;

/// A batch in host memory, and the mean loss of a model's parameters on it, in plain double arithmetic.
struct ReferenceBatch {
  std::vector<float> images;
  std::vector<std::int32_t> labels;

  ReferenceBatch() {
    for (std::int64_t i = 0; i < B * D; ++i) images.push_back(static_cast<float>((i * 37 + 11) % 19) / 9.0f - 1.0f);
    for (std::int64_t b = 0; b < B; ++b) labels.push_back(static_cast<std::int32_t>((b * 2) % K));
  }

  double row_loss(const ModelLayout& layout, const std::vector<double>& parameters, std::int64_t b) const {
    std::vector<double> values(images.begin() + b * D, images.begin() + (b + 1) * D);
    for (std::size_t l = 0; l < layout.layers.size(); ++l) {
      const ModelLayout::Layer& layer = layout.layers[l];
      std::vector<double> out;
      for (std::int64_t j = 0; j < layer.outputs; ++j) {
        double sum = parameters[static_cast<std::size_t>(layer.bias + j)];
        for (std::int64_t i = 0; i < layer.inputs; ++i) {
          sum += values[static_cast<std::size_t>(i)] *
                 parameters[static_cast<std::size_t>(layer.weights + i * layer.outputs + j)];
        }
        out.push_back(l + 1 < layout.layers.size() ? std::max(sum, 0.0) : sum);
      }
      values = out;
    }
    double sum = 0.0;
    for (const double value : values) sum += std::exp(value);
    return std::log(sum) - values[static_cast<std::size_t>(labels[static_cast<std::size_t>(b)])];
  }
  double mean_loss(const ModelLayout& layout, const std::vector<double>& parameters) const {
    double sum = 0.0;
    for (std::int64_t b = 0; b < B; ++b) sum += row_loss(layout, parameters, b);
    return sum / static_cast<double>(B);
  }
};

/// A model and a batch on one device.
struct Bench {
  ReferenceBatch reference;
  Compute compute;
  Model model;
  DeviceTensor images, labels, losses, hits;

  Bench(Device device, ModelKind kind)
      : compute(make_compute(backend::make_backend(device), {})),
        model(compute, {kind, D, H, K}, B, 3),
        images(device, DType::float32, {B, D}),
        labels(device, DType::int32, {B}),
        losses(device, DType::float32, {B}),
        hits(device, DType::int32, {B}) {
    compute.backend->copy_to_device(images.view().data, reference.images.data(), 4 * B * D, {});
    compute.backend->copy_to_device(labels.view().data, reference.labels.data(), 4 * B, {});
  }
  BatchTask task() const {
    return {static_cast<const float*>(images.view().data), static_cast<const std::int32_t*>(labels.view().data), B,
            static_cast<float*>(losses.view().data), static_cast<std::int32_t*>(hits.view().data)};
  }
  std::vector<double> parameters() const {
    const auto weights = model.weights();
    return {weights.begin(), weights.end()};
  }
};

void losses_agree(Device device) {
  if (!can_train(device)) OCTAVO_SKIP("no BLAS for the device");
  for (const ModelKind kind : {ModelKind::softmax, ModelKind::mlp}) {
    Bench bench(device, kind);
    bench.model.evaluate(bench.task());
    const auto losses = bench.losses.to_host<float>();
    for (std::int64_t b = 0; b < B; ++b) {
      const double expected = bench.reference.row_loss(bench.model.layout(), bench.parameters(), b);
      REQUIRE(std::abs(losses[static_cast<std::size_t>(b)] - expected) < 1e-5);
    }
  }
}

void gradients_agree(Device device) {
  if (!can_train(device)) OCTAVO_SKIP("no BLAS for the device");
  for (const ModelKind kind : {ModelKind::softmax, ModelKind::mlp}) {
    Bench bench(device, kind);
    const ModelLayout& layout = bench.model.layout();
    const std::vector<double> parameters = bench.parameters();
    bench.model.train(bench.task(), 0.0f, 0.0f);  // no step
    const std::vector<float> gradients = bench.model.gradients();
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      constexpr double kStep = 1e-6;
      auto above = parameters, below = parameters;
      above[i] += kStep;
      below[i] -= kStep;
      const double slope =
          (bench.reference.mean_loss(layout, above) - bench.reference.mean_loss(layout, below)) / (2 * kStep);
      INFO("parameter " << i);
      REQUIRE(std::abs(gradients[i] - slope) < 1e-5);
    }
  }
}

void step_is_taken(Device device) {
  if (!can_train(device)) OCTAVO_SKIP("no BLAS for the device");
  Bench bench(device, ModelKind::mlp);
  std::vector<float> expected = bench.model.weights();
  std::vector<float> velocities(expected.size(), 0.0f);
  for (int step = 0; step < 3; ++step) {
    bench.model.train(bench.task(), 0.1f, 0.9f);
    const std::vector<float> gradients = bench.model.gradients();
    for (std::size_t i = 0; i < expected.size(); ++i) {
      velocities[i] = std::fma(0.9f, velocities[i], gradients[i]);
      expected[i] = std::fma(-0.1f, velocities[i], expected[i]);
    }
    REQUIRE(bench.model.weights() == expected);
  }
}

}  // namespace

OCTAVO_CONTRACT(losses_agree, "a model's losses agree with double arithmetic", "[unit][train]")
OCTAVO_CONTRACT(gradients_agree, "a model's gradients agree with finite differences", "[unit][train]")
OCTAVO_CONTRACT(step_is_taken, "a model takes momentum steps down its gradients", "[unit][train]")

TEST_CASE("initial weights depend only on the seed", "[unit][train]") {
  const ModelLayout layout = layout_model({ModelKind::mlp, 7, 5, 3}, 2);
  const auto weights = initial_weights(layout, 1);
  REQUIRE(weights == initial_weights(layout_model({ModelKind::mlp, 7, 5, 3}, 100), 1));
  REQUIRE(weights != initial_weights(layout, 2));
  // 7 inputs before a ReLU: uniform up to sqrt(3 * 2/7). 5 inputs of the last layer: up to sqrt(3/5).
  const auto largest = [&](std::int64_t place, std::int64_t count) {
    float most = 0.0f;
    for (std::int64_t i = place; i < place + count; ++i)
      most = std::max(most, std::abs(weights[static_cast<std::size_t>(i)]));
    return most;
  };
  REQUIRE(largest(layout.layers[0].weights, 35) < std::sqrt(6.0f / 7.0f));
  REQUIRE(largest(layout.layers[0].weights, 35) > 0.8f * std::sqrt(6.0f / 7.0f));
  REQUIRE(largest(layout.layers[1].weights, 15) < std::sqrt(0.6f));
  REQUIRE(largest(layout.layers[0].bias, 5) == 0.0f);
}

TEST_CASE("a model's memory is its weights and gradients and momenta and activations", "[unit][train]") {
  // Each block is a multiple of 64 floats. Parameters: W 5 x 3 and b 3, 64 each. With batches of 100: outputs and their
  // gradients 300 each, rounded to 320; ones 100, rounded to 128.
  const ModelLayout layout = layout_model({ModelKind::softmax, 5, 0, 3}, 100);
  REQUIRE(layout.parameter_count == 128);
  REQUIRE(layout.bytes() == 4 * (3 * 128 + 2 * 320 + 128));
}
