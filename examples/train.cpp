// Trains a softmax regression with a custom loop: a dataset file, a store, a loader, and plain C++.
#include <algorithm>
#include <cmath>
#include <iostream>
#include <string>
#include <vector>

#include <octavo/octavo.hpp>

namespace {

/// The logits of D values are x W + b, with the biases as row D of W.
struct Regression {
  std::int64_t D, K;
  std::vector<float> weights = std::vector<float>(static_cast<std::size_t>((D + 1) * K));

  float* row(std::int64_t d) { return weights.data() + d * K; }

  /// One gradient step on the cross-entropy of one sample; returns whether the sample was classified correctly before.
  bool learn(const float* x, std::int32_t label, float rate) {
    if (label >= K) throw octavo::InvalidArgument("learn ten classes: unexpected label " + std::to_string(label));
    std::vector<float> p(row(D), row(D) + K);
    for (std::int64_t d = 0; d < D; ++d) {
      for (std::int64_t k = 0; k < K; ++k) p[static_cast<std::size_t>(k)] += x[d] * row(d)[k];
    }
    const auto largest = std::max_element(p.begin(), p.end());
    const bool is_right = largest - p.begin() == label;
    float sum = 0;
    for (const float most = *largest; float& value : p) sum += value = std::exp(value - most);
    for (std::int64_t k = 0; k < K; ++k) {
      const float step = rate * (p[static_cast<std::size_t>(k)] / sum - (k == label ? 1.0f : 0.0f));
      for (std::int64_t d = 0; d < D; ++d) row(d)[k] -= step * x[d];
      row(D)[k] -= step;
    }
    return is_right;
  }
};

/// Multi-labels and targets need another model and another loss.
void require_classes(const octavo::Split& split) {
  const octavo::LabelKind kind = split.labels().kind;
  if (kind == octavo::LabelKind::class_index) return;
  throw octavo::InvalidArgument("train on " + split.path().string() + ": its labels are of the kind " +
                                octavo::to_string(kind) + ", expected class; use a file with one class for each image");
}

void train(const char* file) {
  const octavo::Dataset dataset = octavo::Dataset::open(file);
  require_classes(dataset.split("train"));
  // The samples, one byte per value. With Device::best() they would be on a GPU, and the model would run there too.
  const octavo::Store store = octavo::Store::load(dataset.split("train"), octavo::Device::cpu());
  octavo::Loader loader(store, {.batch_size = 128, .shuffle = true, .seed = 7});

  Regression model{store.shape().values(), 10};
  for (std::int64_t epoch = 0; epoch < 5; ++epoch) {
    std::int64_t right_count = 0;
    for (const octavo::Batch& batch : loader.epoch(epoch)) {
      // float32 [B,C,H,W], as images().shape says, centered and scaled; int32 [B], since the labels are classes.
      const auto images = batch.images().floats();
      const auto labels = batch.labels().ints();
      for (std::int64_t b = 0; b < batch.size(); ++b) {
        right_count +=
            model.learn(&images[static_cast<std::size_t>(b * model.D)], labels[static_cast<std::size_t>(b)], 0.01f);
      }
    }
    std::cout << "epoch " << epoch << ": "
              << 100.0 * static_cast<double>(right_count) / static_cast<double>(store.sample_count())
              << " % training accuracy\n";
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: " << argv[0] << " FILE.h5 (with a split `train` of at most ten classes)\n";
    return 2;
  }
  try {
    train(argv[1]);
  } catch (const octavo::Error& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
