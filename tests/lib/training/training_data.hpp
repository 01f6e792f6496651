// Data for the training tests.
#pragma once

#include <octavo/errors.hpp>
#include <octavo/pack.hpp>
#include <octavo/train.hpp>

#include "packed_fixture.hpp"
#include "shared_data.hpp"
#include "training/compute.hpp"

namespace octavo::test {

/// Whether this build has the libraries for training on the device.
inline bool can_train(Device device) {
  try {
    training::make_compute(backend::make_backend(device), {});
    return true;
  } catch (const Unavailable&) {
    return false;
  }
}

/// The project's digits, packed into `folder`.
inline Dataset packed_digits(const TemporaryFolder& folder) {
  const auto source = open_source({{project_data("digits")}}, {});
  pack(*source, folder / "digits.h5", {.replace_existing = true});
  return Dataset::open(folder / "digits.h5");
}

/// Data for quick training: 200 random samples of 3x4x5 in 10 classes, and 30 for evaluation.
inline Dataset random_dataset(const TemporaryFolder& folder) {
  write_packed(folder / "random.h5",
               {random_split("train", 200, {3, 4, 5}, 1), random_split("test", 30, {3, 4, 5}, 2)});
  return Dataset::open(folder / "random.h5");
}
inline TrainOptions quick_options(Device device) {
  TrainOptions options;
  options.hidden_units = 20;
  options.epochs = 3;
  options.batch_size = 64;
  options.device = device;
  return options;
}

}  // namespace octavo::test
