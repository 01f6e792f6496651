// One training: its samples, its model, and its epochs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <octavo/train.hpp>

#include "training/feed.hpp"
#include "training/model.hpp"
#include "training/training_task.hpp"

namespace octavo::training {

/// All work is on one stream. Losses and hits stay on the device until the epoch ends. Not thread-safe.
class Trainer {
 public:
  Trainer(const TrainingTask& task, const TrainOptions& options);
  ~Trainer();
  Trainer(const Trainer&) = delete;
  Trainer& operator=(const Trainer&) = delete;

  /// Trains for an epoch, then tests.
  EpochResult run_epoch(std::int64_t epoch);

  TrainingMemory memory() const;
  std::string blas_name() const { return compute_.blas->name(); }
  const Model& model() const { return model_; }

 private:
  /// Sums over the samples [first, first + count) of an epoch.
  struct Tally {
    double loss = 0.0;
    std::int64_t hits = 0;
  };
  float learning_rate(std::int64_t epoch) const;
  BatchTask task_of(const Batch& batch, std::int64_t first_sample) const;
  void download_results(std::int64_t sample_count);
  Tally tally(std::int64_t first, std::int64_t count) const;
  void fill_losses(EpochResult& result) const;
  double test_accuracy();

  TrainOptions options_;
  backend::OwnedStream owned_stream_;  ///< empty on the CPU, where the calling thread does the work; declared before
                                       ///< the loaders, which wait for it in their destructors
  Compute compute_;                    ///< before the samples, which use the memory that its libraries leave
  Feed train_;
  std::optional<Feed> test_;
  Model model_;
  backend::DeviceBuffer losses_;  ///< [samples of the larger split]
  backend::DeviceBuffer hits_;    ///< [samples of the larger split]
  std::vector<float> host_losses_;
  std::vector<std::int32_t> host_hits_;
};

}  // namespace octavo::training
