#include "training/training_task.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include <octavo/errors.hpp>

namespace octavo::training {
namespace {

// Far above practical values, and small enough that no product of them overflows.
constexpr std::int64_t kMostUnits = 1 << 20;
constexpr std::int64_t kMostClasses = 1 << 20;
constexpr std::int64_t kLargestBatch = 1 << 24;

[[noreturn]] void refuse(const std::string& why) { throw InvalidArgument("train a model: " + why); }

void check_between(const char* name, std::int64_t value, std::int64_t most) {
  if (value >= 1 && value <= most) return;
  refuse(std::string(name) + " is " + std::to_string(value) + "; it must be from 1 to " + std::to_string(most));
}

void check_options(const TrainOptions& options) {
  check_between("epochs", options.epochs, std::int64_t{1} << 40);
  check_between("batch_size", options.batch_size, kLargestBatch);
  check_between("hidden_units", options.hidden_units, kMostUnits);
  const double rate = options.learning_rate.value_or(1.0);
  if (!(std::isfinite(rate) && rate > 0.0)) refuse("the learning rate is not a number above 0");
  if (!(options.momentum >= 0.0 && options.momentum < 1.0)) refuse("the momentum is not in [0, 1)");
  if (options.spec.dtype != DType::float32) refuse("batches must be float32; the models compute in it");
}

void check_labels(const Split& split) {
  if (split.labels().kind == LabelKind::class_index) return;
  refuse("split \"" + split.name() + "\" of " + split.path().string() +
         (split.labels().kind == LabelKind::none ? " has no labels" : " has labels that are not class numbers") +
         "; pack it with class labels");
}

Split choose_train(const Dataset& dataset, const TrainOptions& options) {
  return options.train_split.empty() ? dataset.training_split() : dataset.split(options.train_split);
}

/// The model has one size of images, and one label for each.
void check_augmentation(const Split& train, const BatchSpec& spec) {
  const SampleShape shape = augment::augmented_shape(spec.augment, train.shape());
  if (shape != train.shape()) {
    refuse("the augmentation makes images of " + to_string(shape) + ", but the model is evaluated on " +
           to_string(train.shape()) + "; use operations that keep the size");
  }
  if (spec.views != 1 || spec.mix || spec.soft_classes > 0) refuse("several views and soft labels are not supported");
}

/// The split named in the options, or by convention one with the same shape as `train` and class labels.
std::optional<Split> choose_test(const Dataset& dataset, const Split& train, const TrainOptions& options) {
  if (!options.test_split.empty()) return dataset.split(options.test_split);
  for (const char* name : {"test", "val"}) {
    if (train.name() == name || !dataset.has_split(name)) continue;
    const Split split = dataset.split(name);
    if (split.shape() == train.shape() && split.labels().kind == LabelKind::class_index) return split;
  }
  return std::nullopt;
}

void check_shapes(const Split& train, const Split& test) {
  if (train.shape() == test.shape()) return;
  refuse("split \"" + train.name() + "\" has samples of " + to_string(train.shape()) + ", split \"" + test.name() +
         "\" of " + to_string(test.shape()) + "; choose a test split of the same shape");
}

}  // namespace

std::int64_t count_classes(std::span<const std::int32_t> labels, std::int64_t first_row, std::int64_t named_count,
                           const std::string& split_name) {
  std::int64_t count = named_count;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const std::int64_t label = labels[i];
    if (label < 0 || (named_count != 0 && label >= named_count)) {
      throw FormatError("train on split \"" + split_name + "\": sample " +
                        std::to_string(first_row + static_cast<std::int64_t>(i)) + " has the label " +
                        std::to_string(label) +
                        (named_count != 0 ? ", but there are " + std::to_string(named_count) + " classes" : "") +
                        "; pack the file again");
    }
    count = std::max(count, label + 1);
  }
  return count;
}

std::int64_t count_classes(const Split& split, std::int64_t named_count) {
  constexpr std::int64_t kBlock = 1 << 16;
  std::vector<std::int32_t> labels;
  std::int64_t count = 0;
  for (std::int64_t first = 0; first < split.sample_count(); first += kBlock) {
    labels.resize(static_cast<std::size_t>(std::min(kBlock, split.sample_count() - first)));
    split.read_labels(first, static_cast<std::int64_t>(labels.size()), std::as_writable_bytes(std::span(labels)));
    count = std::max(count, count_classes(labels, first, named_count, split.name()));
  }
  return count;
}

TrainingTask make_task(const Dataset& dataset, const TrainOptions& options) {
  check_options(options);
  const auto named_count = static_cast<std::int64_t>(dataset.class_names().size());
  TrainingTask task{
      .device = chosen(options.device), .train = choose_train(dataset, options), .test = std::nullopt, .shape = {}};
  check_labels(task.train);
  check_augmentation(task.train, options.spec);
  task.shape = {options.model, task.train.shape().values(), options.hidden_units,
                count_classes(task.train, named_count)};
  task.largest_split = task.train.sample_count();
  task.test = choose_test(dataset, task.train, options);
  if (task.test) {
    check_labels(*task.test);
    check_shapes(task.train, *task.test);
    task.shape.class_count = std::max(task.shape.class_count, count_classes(*task.test, named_count));
    task.largest_split = std::max(task.largest_split, task.test->sample_count());
  }
  if (task.shape.class_count > kMostClasses) {
    refuse("the labels go up to " + std::to_string(task.shape.class_count - 1) + "; at most " +
           std::to_string(kMostClasses) + " classes are supported");
  }
  task.largest_batch = std::min(options.batch_size, task.largest_split);
  return task;
}

}  // namespace octavo::training

namespace octavo {

std::string evaluated_split(const Dataset& dataset, const TrainOptions& options) {
  const auto test = training::choose_test(dataset, training::choose_train(dataset, options), options);
  return test ? test->name() : "";
}

}  // namespace octavo
