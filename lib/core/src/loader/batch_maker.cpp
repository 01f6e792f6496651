#include <octavo/batch_maker.hpp>

#include <algorithm>
#include <string>
#include <utility>

#include <octavo/errors.hpp>

#include "backend/capture.hpp"
#include "loader/loader_identity.hpp"
#include "loader/packed_server.hpp"
#include "loader/replay.hpp"
#include "store/spec/tensor_check.hpp"
#include "store/stored_samples.hpp"

namespace octavo {

class BatchMaker::Implementation {
 public:
  Implementation(const Store& store, LoaderOptions options)
      : samples_(store.samples()), server_(samples_, std::move(options)) {
    server_.show_own_prefetch();
  }

  const LoaderOptions& options() const { return server_.order().options(); }
  std::int64_t batches_per_epoch(std::int64_t epoch) const { return server_.order().batches_per_epoch(epoch); }
  std::int64_t device_bytes() const { return server_.device_bytes(); }

  /// Number of samples in a batch. Throws InvalidArgument if the batch does not exist.
  std::int64_t batch_count(std::int64_t epoch, std::int64_t step) const {
    check_exists(epoch, step);
    return server_.order().part(epoch, step).count();
  }

  std::int64_t largest_batch_count() const { return server_.order().largest_count(); }

  std::vector<std::int64_t> indices(std::int64_t epoch, std::int64_t step) const {
    check_exists(epoch, step);
    return server_.order().indices(epoch, step);
  }

  /// Throws InvalidArgument if the batch does not exist and is not the one after the last of its epoch.
  LoaderState state(std::int64_t epoch, std::int64_t step) const {
    if (step == 0 || step != batches_per_epoch(epoch)) check_exists(epoch, step);
    return server_.state(epoch, step);
  }

  std::optional<LoaderState> state_at(const LoaderPlace& place) const {
    const auto batch = server_.order().batch_at(place);
    return batch ? std::optional(server_.state(batch->epoch, batch->step)) : std::nullopt;
  }

  LoaderPlace place_of(const LoaderState& state) const { return loader::checked_place(state, server_.state(0, 0)); }

  RankShare share(std::int64_t epoch, std::int64_t step) const {
    check_exists(epoch, step);
    const loader::BatchPart part = server_.order().part(epoch, step);
    return {part.own.count, part.repeats, server_.order().whole(epoch, step).count};
  }

  void make(std::int64_t epoch, std::int64_t step, const TensorView& images, const TensorView& labels, StreamRef stream,
            const TensorView& masks) const {
    const std::int64_t count = batch_count(epoch, step);
    store::check_batch_tensors(server_.samples(), options().spec, count, images, labels, masks);
    backend::refuse_capture(*server_.backend(), stream, "make a batch");
    server_.serve(epoch, step, {images.data, store::label_target(labels, server_.labels().kind), masks.data}, stream);
  }

  std::vector<DrawnSample> drawn(std::int64_t epoch, std::int64_t step) const {
    check_exists(epoch, step);
    return loader::drawn_samples(samples_->shape, server_.order(), epoch, step);
  }

  std::string fingerprint(std::int64_t epoch, bool with_pixels) const {
    check_exists(epoch, 0);
    const LoaderOptions& options = server_.order().options();
    if (with_pixels) return loader::fingerprint_with_pixels(samples_, options, epoch);
    return loader::fingerprint(samples_->shape, samples_->sample_count, options, epoch);
  }

 private:
  /// Throws InvalidArgument if the batch does not exist.
  void check_exists(std::int64_t epoch, std::int64_t step) const {
    if (epoch < 0 || step < 0 || step >= batches_per_epoch(epoch)) {
      throw InvalidArgument("make batch " + std::to_string(step) + " of epoch " + std::to_string(epoch) +
                            ": no such batch; an epoch has " +
                            std::to_string(batches_per_epoch(std::max<std::int64_t>(0, epoch))) + " batches");
    }
  }

  std::shared_ptr<const store::StoredSamples> samples_;
  loader::PackedServer server_;
};

BatchMaker::BatchMaker(const Store& store, LoaderOptions options)
    : implementation_(std::make_shared<const Implementation>(store, std::move(options))) {}

const LoaderOptions& BatchMaker::options() const { return implementation_->options(); }
std::int64_t BatchMaker::batches_per_epoch(std::int64_t epoch) const {
  return implementation_->batches_per_epoch(epoch);
}
std::int64_t BatchMaker::batch_count(std::int64_t epoch, std::int64_t step) const {
  return implementation_->batch_count(epoch, step);
}
std::int64_t BatchMaker::largest_batch_count() const { return implementation_->largest_batch_count(); }
std::vector<std::int64_t> BatchMaker::indices(std::int64_t epoch, std::int64_t step) const {
  return implementation_->indices(epoch, step);
}
LoaderState BatchMaker::state(std::int64_t epoch, std::int64_t step) const {
  return implementation_->state(epoch, step);
}
RankShare BatchMaker::share(std::int64_t epoch, std::int64_t step) const { return implementation_->share(epoch, step); }
std::optional<LoaderState> BatchMaker::state_at(const LoaderPlace& place) const {
  return implementation_->state_at(place);
}
LoaderPlace BatchMaker::place_of(const LoaderState& state) const { return implementation_->place_of(state); }
std::int64_t BatchMaker::device_bytes() const { return implementation_->device_bytes(); }
void BatchMaker::make(std::int64_t epoch, std::int64_t step, const TensorView& images, const TensorView& labels,
                      StreamRef stream, const TensorView& masks) const {
  implementation_->make(epoch, step, images, labels, stream, masks);
}

std::vector<DrawnSample> BatchMaker::drawn(std::int64_t epoch, std::int64_t step) const {
  return implementation_->drawn(epoch, step);
}
std::string BatchMaker::fingerprint(std::int64_t epoch, bool with_pixels) const {
  return implementation_->fingerprint(epoch, with_pixels);
}

}  // namespace octavo
