// Trains small reference models on a dataset file: softmax regression, and a perceptron with one hidden layer.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <octavo/batch_spec.hpp>
#include <octavo/dataset.hpp>
#include <octavo/device.hpp>
#include <octavo/shuffle.hpp>
#include <octavo/store.hpp>

namespace octavo {

enum class ModelKind {
  softmax,  ///< logits = x W + b
  mlp,      ///< logits = relu(x W1 + b1) W2 + b2
};

/// The default learning rate: 0.05 for the MLP, 0.02 for softmax regression. Chosen for momentum 0.9, batches of about
/// 128, and the default normalization of BatchSpec.
double default_learning_rate(ModelKind model);

/// The form in which training samples are kept between batches.
enum class SampleForm {
  int8,        ///< packed; each batch is decoded on demand
  float32,     ///< every value decoded beforehand, four bytes each: the usual way, for comparison
  one_batch,   ///< the first batch in every step: the cost of an epoch without loading; learns nothing useful
  one_by_one,  ///< in the file; the thread that requests a batch reads each sample and decodes it to float32, as a
               ///< plain data loader does, for comparison
};

struct TrainOptions {
  // What changes the result.
  ModelKind model = ModelKind::mlp;
  std::int64_t hidden_units = 1024;  ///< of the MLP
  std::int64_t epochs = 10;
  std::int64_t batch_size = 128;
  std::optional<double> learning_rate = {};  ///< of the first epoch; empty: default_learning_rate(). Decays linearly:
                                             ///< epoch e of E uses (1 - e/E) of it
  double momentum = 0.9;
  std::uint64_t seed = 0;        ///< of the initial weights and the order
  BatchSpec spec = {};           ///< float32, NCHW
  Shuffle shuffle = true;        ///< the order of an epoch
  std::string train_split = {};  ///< empty: `train` if it exists, else the first split
  std::string test_split = {};   ///< empty: `test`, else `val`, if it exists with the same shape; else none
  // What changes only speed and memory.
  SampleForm form = SampleForm::int8;
  /// Where packed samples live. SampleForm::float32 and one_batch use residency device, one_by_one uses streamed.
  LoadOptions load = {};
  /// Empty: Device::best().
  std::optional<Device> device = {};
  std::function<void(const struct EpochResult&)> on_epoch = {};  ///< called after each epoch; may throw to stop
};

/// The results of one epoch.
struct EpochResult {
  std::int64_t epoch = 0;
  double mean_loss = 0.0;               ///< mean cross-entropy per sample, during the epoch
  std::vector<float> batch_losses;      ///< each batch's mean cross-entropy
  double train_accuracy = 0.0;          ///< fraction of samples predicted correctly, during the epoch
  std::optional<double> test_accuracy;  ///< after the epoch
  double seconds = 0.0;                 ///< of training, without the test
  double images_per_second = 0.0;
  std::string fingerprint;  ///< of the samples, their order and augmentation: BatchMaker::fingerprint()
};

/// Bytes on the device while training.
struct TrainingMemory {
  std::int64_t samples = 0;  ///< resident training and test samples
  std::int64_t batches = 0;  ///< batch buffers
  std::int64_t model = 0;    ///< weights, gradients, momenta, activations, losses of an epoch, BLAS workspace
  std::int64_t total() const { return samples + batches + model; }
};

struct TrainResult {
  std::vector<EpochResult> epochs;
  TrainingMemory memory;
  std::string blas;  ///< the BLAS library that was used

  /// The median of the epochs' seconds. The first epoch, which warms up, counts only if there are fewer than three.
  double median_epoch_seconds() const;
};

/// The name of the split that train() evaluates: options.test_split or, if that is empty, its default; empty if there
/// is none. Throws InvalidArgument if `dataset` lacks a split named in `options`.
std::string evaluated_split(const Dataset& dataset, const TrainOptions& options = {});

/// Trains on `dataset`. Two runs with equal options give equal bits on the same machine with the same library versions
/// and number of threads. Throws InvalidArgument if the samples have no class labels or an option is invalid;
/// FormatError if a label is not a class of the file; Unavailable if this build has no BLAS for the device; and
/// whatever Store::load throws.
TrainResult train(const Dataset& dataset, const TrainOptions& options = {});

/// Computes TrainingMemory::model for training on `dataset` with `options`, without allocating. Throws what train()
/// throws for invalid data and options.
std::int64_t training_model_bytes(const Dataset& dataset, const TrainOptions& options = {});

/// training_model_bytes() of the default model on a split (empty: `train` if it exists, else the first split); nullopt
/// if its labels are not class numbers.
std::optional<std::int64_t> default_model_bytes(const Dataset& dataset, const std::string& split, Device device,
                                                std::int64_t batch_size);

/// The same training twice: from packed samples and from float32 samples, both resident.
struct ResidencyComparison {
  TrainResult int8;
  TrainResult float32;
  bool identical_losses = false;  ///< every batch's loss has the same bits
  /// How much longer the median int8 epoch takes, in percent; empty for fewer than three epochs or epochs under 0.1 s,
  /// where noise dominates.
  std::optional<double> overhead_percent = {};
};

/// Trains from both forms, with interleaved epochs so that both see the same machine conditions. Ignores options.form.
/// Calls options.on_epoch twice per epoch: first with the int8 result, then with the float32 one.
ResidencyComparison compare_residencies(const Dataset& dataset, const TrainOptions& options = {});

}  // namespace octavo
