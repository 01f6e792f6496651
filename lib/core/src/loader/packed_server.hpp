// Serves batches decoded from packed samples.
#pragma once

#include <memory>
#include <utility>

#include "loader/batch_server.hpp"
#include "loader/loader_identity.hpp"
#include "loader/options_check.hpp"
#include "loader/rows/row_provider.hpp"
#include "store/spec/prepared_maps.hpp"

namespace octavo::loader {

class PackedServer final : public BatchServer {
 public:
  /// Throws InvalidArgument in the same cases as Loader.
  PackedServer(std::shared_ptr<const store::StoredSamples> samples, LoaderOptions options)
      : samples_(std::move(samples)),
        order_(checked(std::move(options), *samples_), samples_->sample_count),
        maps_(samples_, order_.options().spec),
        rows_(make_row_provider(samples_, order_)) {}

  /// Makes the options say how many batches are prefetched without a pipeline.
  void show_own_prefetch() { order_.set_prefetch(depth()); }

  const std::shared_ptr<backend::Backend>& backend() const override { return samples_->backend; }
  const BatchOrder& order() const override { return order_; }
  LoaderState state(std::int64_t epoch, std::int64_t step) const override {
    LoaderState state = order_.state(epoch, step);
    identify(state, *samples_, maps_);
    return state;
  }
  BatchShape shape() const override { return batch_shape(maps_.spec(), samples_->shape); }
  LabelLayout labels() const override { return batch_labels(maps_.spec(), samples_->labels); }
  bool depends_on_batch() const override { return maps_.spec().center == Center::batch; }
  std::int64_t device_bytes() const override { return maps_.device_bytes() + rows_->device_bytes(); }
  int depth() const override { return rows_->depth(); }
  bool has_masks() const override { return samples_->has_masks && maps_.spec().with_masks; }
  void serve(std::int64_t epoch, std::int64_t step, const store::BatchTarget& to, StreamRef stream) const override {
    rows_->with_batch(epoch, step, stream, [&](const auto& samples, const auto& selection, std::int64_t batch_count) {
      maps_.gather(samples, selection, batch_count, to, stream);
    });
  }

  /// Enqueues the first `count` samples, in file order, as one batch. They must be resident. `masks` may be null.
  void serve_first(std::int64_t count, void* images, void* labels, void* masks) const {
    maps_.gather(samples_->resident_samples(), kernels::rows_from(0, samples_->sample_count), count,
                 {images, {labels}, masks}, {});
  }

  const store::StoredSamples& samples() const { return *samples_; }

 private:
  std::shared_ptr<const store::StoredSamples> samples_;
  BatchOrder order_;
  store::PreparedMaps maps_;
  std::unique_ptr<RowProvider> rows_;
};

}  // namespace octavo::loader
