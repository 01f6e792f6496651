#include "training/trainer.hpp"

#include <algorithm>
#include <chrono>

namespace octavo::training {
namespace {

backend::OwnedStream stream_for(Device device) {
  return device.is_cpu() ? backend::OwnedStream() : backend::OwnedStream(backend::make_backend(device));
}

std::optional<Feed> test_feed(const TrainingTask& task, const TrainOptions& options) {
  if (!task.test) return std::nullopt;
  return Feed(*task.test, task.device, options, false);
}

}  // namespace

Trainer::Trainer(const TrainingTask& task, const TrainOptions& options)
    : options_(options),
      owned_stream_(stream_for(task.device)),
      compute_(make_compute(backend::make_backend(task.device), StreamRef(owned_stream_.get()))),
      train_(task.train, task.device, options, true),
      test_(test_feed(task, options)),
      model_(compute_, task.shape, task.largest_batch, options.seed),
      losses_(compute_.backend, static_cast<std::size_t>(task.largest_split) * sizeof(float), "the losses of an epoch"),
      hits_(compute_.backend, static_cast<std::size_t>(task.largest_split) * sizeof(std::int32_t),
            "the hits of an epoch"),
      host_losses_(static_cast<std::size_t>(task.largest_split)),
      host_hits_(static_cast<std::size_t>(task.largest_split)) {}

Trainer::~Trainer() {
  // After an exception in an epoch, the device may still be using our buffers.
  backend::finish(*compute_.backend, compute_.stream);
}

EpochResult Trainer::run_epoch(std::int64_t epoch) {
  const auto start = std::chrono::steady_clock::now();
  const float rate = learning_rate(epoch);
  std::int64_t first_sample = 0;
  for (const Batch& batch : train_.loader().epoch(epoch, compute_.stream)) {
    model_.train(task_of(batch, first_sample), rate, static_cast<float>(options_.momentum));
    first_sample += batch.size();
  }
  download_results(first_sample);

  EpochResult result;
  result.epoch = epoch;
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  result.images_per_second = static_cast<double>(first_sample) / result.seconds;
  result.fingerprint = train_.fingerprint(epoch);
  fill_losses(result);
  if (test_) result.test_accuracy = test_accuracy();
  return result;
}

/// Decays linearly, so that the last epochs converge.
float Trainer::learning_rate(std::int64_t epoch) const {
  const double first = options_.learning_rate.value_or(default_learning_rate(options_.model));
  return static_cast<float>(first * static_cast<double>(options_.epochs - epoch) /
                            static_cast<double>(options_.epochs));
}

/// Sums results of samples, in the order of the epoch.
BatchTask Trainer::task_of(const Batch& batch, std::int64_t first_sample) const {
  return {static_cast<const float*>(batch.images().data), static_cast<const std::int32_t*>(batch.labels().data),
          batch.size(), losses_.as<float>() + first_sample, hits_.as<std::int32_t>() + first_sample};
}

void Trainer::download_results(std::int64_t sample_count) {
  const auto count = static_cast<std::size_t>(sample_count);
  compute_.backend->copy_to_host(host_losses_.data(), losses_.data(), count * sizeof(float), compute_.stream);
  compute_.backend->copy_to_host(host_hits_.data(), hits_.data(), count * sizeof(std::int32_t), compute_.stream);
}

Trainer::Tally Trainer::tally(std::int64_t first, std::int64_t count) const {
  Tally tally;
  for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(first + count); ++i) {
    tally.loss += host_losses_[i];
    tally.hits += host_hits_[i];
  }
  return tally;
}

void Trainer::fill_losses(EpochResult& result) const {
  const std::int64_t N = train_.sample_count();
  Tally all;
  for (std::int64_t first = 0; first < N; first += options_.batch_size) {
    const std::int64_t count = std::min(options_.batch_size, N - first);
    const Tally batch = tally(first, count);
    result.batch_losses.push_back(static_cast<float>(batch.loss / static_cast<double>(count)));
    all.loss += batch.loss;
    all.hits += batch.hits;
  }
  result.mean_loss = all.loss / static_cast<double>(N);
  result.train_accuracy = static_cast<double>(all.hits) / static_cast<double>(N);
}

double Trainer::test_accuracy() {
  std::int64_t first_sample = 0;
  for (const Batch& batch : test_->loader().epoch(0, compute_.stream)) {
    model_.evaluate(task_of(batch, first_sample));
    first_sample += batch.size();
  }
  download_results(first_sample);
  return static_cast<double>(tally(0, first_sample).hits) / static_cast<double>(first_sample);
}

TrainingMemory Trainer::memory() const {
  TrainingMemory memory;
  memory.samples = train_.sample_bytes() + (test_ ? test_->sample_bytes() : 0);
  memory.batches = train_.batch_bytes() + (test_ ? test_->batch_bytes() : 0);
  memory.model = model_.device_bytes() + static_cast<std::int64_t>(losses_.bytes() + hits_.bytes()) +
                 workspace_bytes(compute_.backend->device());
  return memory;
}

}  // namespace octavo::training
