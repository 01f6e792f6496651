#include "training/model_layout.hpp"

namespace octavo::training {
namespace {

constexpr std::int64_t kAlignment = 64;

/// Reserves `count` floats at `end`, and advances `end` past them.
std::int64_t take(std::int64_t& end, std::int64_t count) {
  const std::int64_t place = end;
  end += (count + kAlignment - 1) / kAlignment * kAlignment;
  return place;
}

std::vector<std::int64_t> widths_of(const ModelShape& shape) {
  if (shape.kind == ModelKind::softmax) return {shape.input_count, shape.class_count};
  return {shape.input_count, shape.hidden_units, shape.class_count};
}

}  // namespace

ModelLayout layout_model(const ModelShape& shape, std::int64_t largest_batch) {
  ModelLayout layout;
  const std::vector<std::int64_t> widths = widths_of(shape);
  for (std::size_t i = 0; i + 1 < widths.size(); ++i) {
    ModelLayout::Layer layer{};
    layer.inputs = widths[i];
    layer.outputs = widths[i + 1];
    layer.weights = take(layout.parameter_count, layer.inputs * layer.outputs);
    layer.bias = take(layout.parameter_count, layer.outputs);
    layout.layers.push_back(layer);
  }
  layout.weights = take(layout.total_count, layout.parameter_count);
  layout.gradients = take(layout.total_count, layout.parameter_count);
  layout.velocities = take(layout.total_count, layout.parameter_count);
  for (ModelLayout::Layer& layer : layout.layers) {
    layer.outputs_place = take(layout.total_count, largest_batch * layer.outputs);
    layer.gradients_place = take(layout.total_count, largest_batch * layer.outputs);
  }
  layout.ones = take(layout.total_count, largest_batch);
  return layout;
}

}  // namespace octavo::training
