#include "training/model.hpp"

#include "training/initial_weights.hpp"

namespace octavo::training {

Model::Model(Compute& compute, const ModelShape& shape, std::int64_t largest_batch, std::uint64_t seed)
    : compute_(compute),
      layout_(layout_model(shape, largest_batch)),
      block_(compute.backend, static_cast<std::size_t>(layout_.bytes()), "the model"),
      finish_at_end_(compute_.backend, compute_.stream) {
  compute_.backend->fill_zero(block_.data(), block_.bytes(), compute_.stream);
  upload(layout_.weights, initial_weights(layout_, seed));
  upload(layout_.ones, std::vector<float>(static_cast<std::size_t>(largest_batch), 1.0f));
}

void Model::train(const BatchTask& batch, float learning_rate, float momentum) {
  if (batch.batch_count == 0) return;
  forward(batch);
  compare(batch, true);
  backward(batch);
  descend(learning_rate, momentum);
}

void Model::evaluate(const BatchTask& batch) {
  if (batch.batch_count == 0) return;
  forward(batch);
  compare(batch, false);
}

void Model::forward(const BatchTask& batch) {
  const float* in = batch.images;
  for (std::size_t i = 0; i < layout_.layers.size(); ++i) {
    const ModelLayout::Layer& layer = layout_.layers[i];
    float* out = at(layer.outputs_place);
    compute_.blas->multiply({in, batch.batch_count, layer.inputs},
                            {at(layout_.weights + layer.weights), layer.inputs, layer.outputs}, out);
    const bool is_last = i + 1 == layout_.layers.size();
    compute_.elementwise->add_bias({out, at(layout_.weights + layer.bias), batch.batch_count, layer.outputs, !is_last});
    in = out;
  }
}

void Model::compare(const BatchTask& batch, bool with_gradients) {
  const ModelLayout::Layer& last = layout_.layers.back();
  compute_.elementwise->softmax({at(last.outputs_place), batch.labels, batch.batch_count, last.outputs, batch.losses,
                                 batch.hits, with_gradients ? at(last.gradients_place) : nullptr});
}

void Model::backward(const BatchTask& batch) {
  for (std::size_t i = layout_.layers.size(); i-- > 0;) {
    const ModelLayout::Layer& layer = layout_.layers[i];
    const float* in = i == 0 ? batch.images : at(layout_.layers[i - 1].outputs_place);
    const Matrix gradient = {at(layer.gradients_place), batch.batch_count, layer.outputs};
    compute_.blas->multiply(transpose({in, batch.batch_count, layer.inputs}), gradient,
                            at(layout_.gradients + layer.weights));
    compute_.blas->multiply_vector(transpose(gradient), at(layout_.ones), at(layout_.gradients + layer.bias));
    if (i > 0) pass_gradient_down(i, batch.batch_count);
  }
}

/// Propagates gradients from the outputs of a layer to those of the layer below.
void Model::pass_gradient_down(std::size_t i, std::int64_t batch_count) {
  const ModelLayout::Layer &layer = layout_.layers[i], &below = layout_.layers[i - 1];
  float* gradient = at(below.gradients_place);
  compute_.blas->multiply({at(layer.gradients_place), batch_count, layer.outputs},
                          transpose({at(layout_.weights + layer.weights), layer.inputs, layer.outputs}), gradient);
  compute_.elementwise->relu_gradient({at(below.outputs_place), gradient, batch_count * below.outputs});
}

void Model::descend(float learning_rate, float momentum) {
  compute_.elementwise->momentum_step({at(layout_.weights), at(layout_.velocities), at(layout_.gradients),
                                       layout_.parameter_count, learning_rate, momentum});
}

void Model::upload(std::int64_t place, const std::vector<float>& numbers) {
  compute_.backend->copy_to_device(at(place), numbers.data(), numbers.size() * sizeof(float), compute_.stream);
}

std::vector<float> Model::download(std::int64_t place) const {
  std::vector<float> numbers(static_cast<std::size_t>(layout_.parameter_count));
  compute_.backend->copy_to_host(numbers.data(), at(place), numbers.size() * sizeof(float), compute_.stream);
  return numbers;
}

}  // namespace octavo::training
