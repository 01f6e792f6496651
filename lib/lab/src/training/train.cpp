// The public training functions.
#include <octavo/train.hpp>

#include <octavo/errors.hpp>

#include "training/comparison.hpp"
#include "training/trainer.hpp"

namespace octavo {
namespace {

/// Trains for an epoch and reports it to the caller.
void run_epoch(training::Trainer& trainer, std::int64_t epoch, const TrainOptions& options, TrainResult& result) {
  result.epochs.push_back(trainer.run_epoch(epoch));
  if (options.on_epoch) options.on_epoch(result.epochs.back());
}

TrainResult describe(const training::Trainer& trainer) { return {{}, trainer.memory(), trainer.blas_name()}; }

TrainOptions with(TrainOptions options, SampleForm form) {
  options.form = form;
  return options;
}

}  // namespace

double default_learning_rate(ModelKind model) { return model == ModelKind::mlp ? 0.05 : 0.02; }

TrainResult train(const Dataset& dataset, const TrainOptions& options) {
  training::Trainer trainer(training::make_task(dataset, options), options);
  TrainResult result = describe(trainer);
  for (std::int64_t epoch = 0; epoch < options.epochs; ++epoch) run_epoch(trainer, epoch, options, result);
  return result;
}

std::int64_t training_model_bytes(const Dataset& dataset, const TrainOptions& options) {
  const training::TrainingTask task = training::make_task(dataset, options);
  return training::layout_model(task.shape, task.largest_batch).bytes() + training::result_bytes(task) +
         training::workspace_bytes(task.device);
}

std::optional<std::int64_t> default_model_bytes(const Dataset& dataset, const std::string& split, Device device,
                                                std::int64_t batch_size) {
  const Split trained = split.empty() ? dataset.training_split() : dataset.split(split);
  if (trained.labels().kind != LabelKind::class_index) return std::nullopt;
  TrainOptions options;
  options.train_split = trained.name();
  options.batch_size = batch_size;
  options.device = device;
  return training_model_bytes(dataset, options);
}

ResidencyComparison compare_residencies(const Dataset& dataset, const TrainOptions& options) {
  if (options.load.residency == Residency::window || options.shuffle.kind() == Shuffle::Kind::windows) {
    throw InvalidArgument(
        "compare int8 with float32: float32 samples are all resident, without windows; choose another residency and "
        "order");
  }
  const training::TrainingTask task = training::make_task(dataset, options);
  training::Trainer int8(task, with(options, SampleForm::int8));
  training::Trainer float32(task, with(options, SampleForm::float32));
  ResidencyComparison comparison;
  comparison.int8 = describe(int8);
  comparison.float32 = describe(float32);
  for (std::int64_t epoch = 0; epoch < options.epochs; ++epoch) {
    run_epoch(int8, epoch, options, comparison.int8);
    run_epoch(float32, epoch, options, comparison.float32);
  }
  comparison.identical_losses = training::has_identical_losses(comparison.int8, comparison.float32);
  comparison.overhead_percent = training::overhead_percent(comparison.int8, comparison.float32);
  return comparison;
}

}  // namespace octavo
