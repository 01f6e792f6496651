// Training small reference models on a dataset file: softmax regression, and a perceptron with one hidden layer.
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

/// The learning rate where none is given: 0.05 for the mlp, 0.02 for softmax regression. For momentum 0.9 and batches
/// of about 128, centered and scaled as BatchSpec does by default.
double default_learning_rate(ModelKind model);

/// In which form the training samples are kept between batches.
enum class SampleForm {
  int8,        ///< packed; each batch is decoded as it is needed
  float32,     ///< every value decoded beforehand, four bytes each: what is usually done, for comparison
  one_batch,   ///< the first batch again and again: what an epoch costs without any loading; nothing useful is learned
  one_by_one,  ///< in the file; each is read, and decoded to float32, by the thread that asks for the batch, as a plain
               ///< data loader does, for comparison
};

struct TrainOptions {
  // What changes the result.
  ModelKind model = ModelKind::mlp;
  std::int64_t hidden_units = 1024;  ///< of the mlp
  std::int64_t epochs = 10;
  std::int64_t batch_size = 128;
  std::optional<double> learning_rate = {};  ///< of the first epoch; none: default_learning_rate(). It falls linearly
                                             ///< over the epochs: epoch e of E has (1 - e/E) of it
  double momentum = 0.9;
  std::uint64_t seed = 0;        ///< of the initial weights and the order
  BatchSpec spec = {};           ///< float32, NCHW
  Shuffle shuffle = true;        ///< the order of an epoch
  std::string train_split = {};  ///< empty: `train` if there is one, else the first
  std::string test_split = {};   ///< empty: `test`, else `val`, if there is one of the same shape; else none
  // What changes only speed and memory.
  SampleForm form = SampleForm::int8;
  /// Where packed samples live. SampleForm::float32 and one_batch want them on the device; one_by_one has them nowhere.
  LoadOptions load = {};
  /// Without one: Device::best().
  std::optional<Device> device = {};
  std::function<void(const struct EpochResult&)> on_epoch = {};  ///< called after each epoch; may throw to stop
};

/// What an epoch of training gave.
struct EpochResult {
  std::int64_t epoch = 0;
  double mean_loss = 0.0;               ///< cross-entropy a sample, during the epoch
  std::vector<float> batch_losses;      ///< each batch's mean cross-entropy
  double train_accuracy = 0.0;          ///< share of samples predicted rightly, during the epoch
  std::optional<double> test_accuracy;  ///< after the epoch
  double seconds = 0.0;                 ///< of training, without the test
  double images_per_second = 0.0;
};

/// Bytes on the device while training.
struct TrainingMemory {
  std::int64_t samples = 0;  ///< resident training and test samples
  std::int64_t batches = 0;  ///< batch buffers
  std::int64_t model = 0;    ///< weights, gradients, momenta, activations, losses of an epoch, workspace of the BLAS
  std::int64_t total() const { return samples + batches + model; }
};

struct TrainResult {
  std::vector<EpochResult> epochs;
  TrainingMemory memory;
  std::string blas;  ///< the library that multiplied matrices

  /// The median of the epochs' seconds; the first, which warms up, counts only where there are fewer than three.
  double median_epoch_seconds() const;
};

/// The name of the split that train() evaluates: options.test_split, or what is chosen where that is empty; empty if
/// there is none. Throws InvalidArgument if `dataset` has no split of a name that `options` gives.
std::string evaluated_split(const Dataset& dataset, const TrainOptions& options = {});

/// Trains on `dataset`. Two runs with equal options give equal bits on the same machine, library versions and number of
/// threads. Throws InvalidArgument if the samples have no class labels, or options make no sense; FormatError if a
/// label is no class of the file; Unavailable if this build has no BLAS for the device; what Store::load throws.
TrainResult train(const Dataset& dataset, const TrainOptions& options = {});

/// What TrainingMemory::model will be when `dataset` is trained on with `options`: computed, nothing is allocated.
/// Throws what train() throws for data and options that do not fit.
std::int64_t training_model_bytes(const Dataset& dataset, const TrainOptions& options = {});

/// training_model_bytes() of the default model on a split (empty: `train` if there is one, else the first); nothing if
/// its labels are not class numbers.
std::optional<std::int64_t> default_model_bytes(const Dataset& dataset, const std::string& split, Device device,
                                                std::int64_t batch_size);

/// The same training twice: from packed samples and from float32-resident ones.
struct ResidencyComparison {
  TrainResult int8;
  TrainResult float32;
  bool identical_losses = false;  ///< every batch's loss has the same bits
  /// By how much the median int8 epoch takes longer; none for fewer than three epochs, or epochs of less than 0.1 s,
  /// where chance decides.
  std::optional<double> overhead_percent = {};
};

/// Trains from both residencies, epochs interleaved so that both see the same machine; options.form is not used.
/// options.on_epoch is called for each epoch twice: first with the int8 result, then with the float32 one.
ResidencyComparison compare_residencies(const Dataset& dataset, const TrainOptions& options = {});

}  // namespace octavo
