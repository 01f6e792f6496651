// The cost of loading during training: epochs fed from int8 and from float32 samples in memory, and from one
// precomputed batch that never changes, so that loading costs nothing.
#include <algorithm>
#include <octavo/octavo.hpp>
#include <vector>

#include "support/results.hpp"

namespace {

using namespace octavo::bench;

struct Fed {
  const char* name;
  octavo::SampleForm form;
};
constexpr Fed kFed[] = {{"one batch, made beforehand", octavo::SampleForm::one_batch},
                        {"int8 in memory", octavo::SampleForm::int8},
                        {"float32 in memory", octavo::SampleForm::float32}};

octavo::TrainResult train(const octavo::Dataset& dataset, octavo::TrainOptions options, octavo::SampleForm form) {
  options.form = form;
  return octavo::train(dataset, options);
}

/// Checks that int8 and float32 residency give the same losses.
void check(const octavo::Dataset& dataset, octavo::TrainOptions options) {
  options.epochs = 1;
  const auto losses = [&](octavo::SampleForm form) { return train(dataset, options, form).epochs[0].batch_losses; };
  require(losses(octavo::SampleForm::int8) == losses(octavo::SampleForm::float32), "training");
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 2 || argv[1][0] == '-') {
    std::fprintf(stderr, "usage: bench_train FILE.h5 [--hidden H] [--batch-size B] [--rounds R] [--json FILE]\n");
    return 2;
  }
  octavo::TrainOptions options;
  options.hidden_units = option(argc, argv, "--hidden", 1024);
  options.batch_size = option(argc, argv, "--batch-size", 128);
  options.epochs = 3;
  const int rounds = static_cast<int>(option(argc, argv, "--rounds", 3));
  Results results("train", argc, argv);
  const octavo::Dataset dataset = octavo::Dataset::open(argv[1]);
  check(dataset, options);
  std::vector<Subject> subjects;
  for (const Fed& fed : kFed) {
    subjects.push_back({fed.name, 0, [&] { return train(dataset, options, fed.form).median_epoch_seconds(); }});
  }
  const auto measured = measure(subjects, rounds);
  results.section("an epoch of the MLP with " + std::to_string(options.hidden_units) + " hidden units on " +
                  to_string(chosen(options.device)) + ", time without loading / time");
  for (const Measurement& measurement : measured) results.add_time(measurement, measured[0].median_seconds);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "bench_train: %s\n", error.what());
  return 1;
}
