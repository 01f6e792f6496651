#include <cstring>

#include <octavo/train.hpp>

#include "catch.hpp"
#include "devices.hpp"
#include "training/comparison.hpp"
#include "training_data.hpp"

using namespace octavo;
using namespace octavo::test;

namespace {

void loss_falls(Device device) {
  if (!can_train(device)) OCTAVO_SKIP("no BLAS for the device");
  const TemporaryFolder folder;
  const Dataset dataset = packed_digits(folder);
  for (const ModelKind model : {ModelKind::softmax, ModelKind::mlp}) {
    TrainOptions options = quick_options(device);
    options.model = model;
    const TrainResult result = train(dataset, options);
    REQUIRE(result.epochs.size() == 3);
    REQUIRE(result.epochs[0].batch_losses.size() == 23);  // 1437 samples in batches of 64
    REQUIRE(result.epochs[2].mean_loss < 0.5 * result.epochs[0].batch_losses[0]);
    REQUIRE(result.epochs[2].train_accuracy > result.epochs[0].train_accuracy);
  }
}

void digits_are_learned(Device device) {
  if (!can_train(device)) OCTAVO_SKIP("no BLAS for the device");
  const TemporaryFolder folder;
  const Dataset dataset = packed_digits(folder);
  TrainOptions options;
  options.device = device;
  options.epochs = 20;
  options.batch_size = 32;  // otherwise, 1,437 samples give too few steps
  options.hidden_units = 128;
  // The last 360 digits are harder than the first 1,437, which the mlp learns completely.
  const EpochResult mlp = train(dataset, options).epochs.back();
  REQUIRE(mlp.train_accuracy >= 0.99);
  REQUIRE(mlp.test_accuracy.value() >= 0.90);
  options.model = ModelKind::softmax;
  const EpochResult softmax = train(dataset, options).epochs.back();
  REQUIRE(softmax.train_accuracy >= 0.95);
  REQUIRE(softmax.test_accuracy.value() >= 0.87);
}

void runs_repeat(Device device) {
  if (!can_train(device)) OCTAVO_SKIP("no BLAS for the device");
  const TemporaryFolder folder;
  const Dataset dataset = random_dataset(folder);
  for (const ModelKind model : {ModelKind::softmax, ModelKind::mlp}) {
    TrainOptions options = quick_options(device);
    options.model = model;
    const TrainResult first = train(dataset, options), second = train(dataset, options);
    REQUIRE(training::has_identical_losses(first, second));
    REQUIRE(first.epochs.back().test_accuracy == second.epochs.back().test_accuracy);
    options.seed = 1;
    REQUIRE_FALSE(training::has_identical_losses(first, train(dataset, options)));
  }
}

void residencies_agree(Device device) {
  if (!can_train(device)) OCTAVO_SKIP("no BLAS for the device");
  const TemporaryFolder folder;
  const Dataset dataset = random_dataset(folder);
  int calls = 0;
  TrainOptions options = quick_options(device);
  options.on_epoch = [&](const EpochResult&) { ++calls; };
  const ResidencyComparison comparison = compare_residencies(dataset, options);
  REQUIRE(comparison.identical_losses);
  REQUIRE(calls == 6);
  REQUIRE(comparison.int8.epochs.back().test_accuracy == comparison.float32.epochs.back().test_accuracy);
  // 230 samples of 60 values and a label: one or four bytes per value.
  REQUIRE(comparison.int8.memory.samples == 230 * (60 + 4));
  REQUIRE(comparison.float32.memory.samples == 230 * (60 * 4 + 4));
  REQUIRE(comparison.int8.memory.model == comparison.float32.memory.model);
}

void memory_is_planned(Device device) {
  if (!can_train(device)) OCTAVO_SKIP("no BLAS for the device");
  const TemporaryFolder folder;
  const Dataset dataset = random_dataset(folder);
  TrainOptions options = quick_options(device);
  options.epochs = 1;
  REQUIRE(training_model_bytes(dataset, options) == train(dataset, options).memory.model);
}

}  // namespace

OCTAVO_CONTRACT(loss_falls, "training lowers the loss", "[unit][train]")
OCTAVO_CONTRACT(digits_are_learned, "both models learn the digits", "[unit][train][many-batches]")
OCTAVO_CONTRACT(runs_repeat, "two training runs with equal options give equal bits", "[unit][train]")
OCTAVO_CONTRACT(residencies_agree, "int8 and float32 residency give equal bits", "[unit][train]")
OCTAVO_CONTRACT(memory_is_planned, "the memory of a model is known in advance", "[unit][train]")

TEST_CASE("the results of an epoch are consistent with its batches", "[unit][train]") {
  if (!can_train(Device::cpu())) OCTAVO_SKIP("no OpenBLAS");
  const TemporaryFolder folder;
  const Dataset dataset = random_dataset(folder);
  const TrainResult result = train(dataset, quick_options(Device::cpu()));
  const EpochResult& epoch = result.epochs[1];
  // 200 samples: three batches of 64 and one of 8.
  REQUIRE(epoch.epoch == 1);
  REQUIRE(epoch.batch_losses.size() == 4);
  const double mean =
      (64.0 * (static_cast<double>(epoch.batch_losses[0]) + epoch.batch_losses[1] + epoch.batch_losses[2]) +
       8.0 * epoch.batch_losses[3]) /
      200.0;
  REQUIRE(std::abs(epoch.mean_loss - mean) < 1e-6);
  REQUIRE(epoch.seconds > 0.0);
  REQUIRE(std::abs(epoch.images_per_second * epoch.seconds - 200.0) < 1e-6);
  REQUIRE(result.memory.total() == result.memory.samples + result.memory.batches + result.memory.model);
  REQUIRE_THAT(result.blas, ContainsSubstring("OpenBLAS"));
}

TEST_CASE("a file without a test split is trained without evaluation", "[unit][train]") {
  if (!can_train(Device::cpu())) OCTAVO_SKIP("no OpenBLAS");
  const TemporaryFolder folder;
  write_packed(folder / "a.h5", {random_split("all", 20, {1, 4, 4})});
  REQUIRE_FALSE(train(Dataset::open(folder / "a.h5"), quick_options(Device::cpu())).epochs.back().test_accuracy);
}

TEST_CASE("an exception from a callback ends training", "[unit][train]") {
  if (!can_train(Device::cpu())) OCTAVO_SKIP("no OpenBLAS");
  const TemporaryFolder folder;
  TrainOptions options = quick_options(Device::cpu());
  options.on_epoch = [](const EpochResult&) { throw IoError("stopped"); };
  REQUIRE_THROWS_AS(train(random_dataset(folder), options), IoError);
}

TEST_CASE("overhead is the ratio of median epochs after the first", "[unit][train]") {
  const auto took = [](std::vector<double> seconds) {
    TrainResult result;
    for (const double s : seconds) {
      result.epochs.emplace_back();
      result.epochs.back().seconds = s;
    }
    return result;
  };
  // Medians of {2, 4, 3} and of {2, 2}: 3 and 2.
  REQUIRE(training::overhead_percent(took({9, 2, 4, 3}), took({1, 2, 2})) == 50.0);
  // Too few epochs or too short ones: no result.
  REQUIRE_FALSE(training::overhead_percent(took({2, 4}), took({1, 3})));
  REQUIRE_FALSE(training::overhead_percent(took({0.1, 0.05, 0.05}), took({2, 2, 2})));
}

TEST_CASE("the median epoch excludes the first one if there are three", "[unit][train]") {
  TrainResult result;
  REQUIRE(result.median_epoch_seconds() == 0.0);
  for (const double seconds : {8.0, 2.0, 3.0, 4.0}) {
    result.epochs.emplace_back();
    result.epochs.back().seconds = seconds;
    if (result.epochs.size() == 2) REQUIRE(result.median_epoch_seconds() == 5.0);
  }
  REQUIRE(result.median_epoch_seconds() == 3.0);
}
