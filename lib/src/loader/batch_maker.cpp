#include <octavo/batch_maker.hpp>

#include <string>
#include <utility>

#include <octavo/errors.hpp>

#include "loader/batch_places.hpp"
#include "loader/options_check.hpp"
#include "store/prepared_maps.hpp"
#include "store/store_access.hpp"
#include "store/tensor_check.hpp"

namespace octavo {

class BatchMaker::Implementation {
 public:
  Implementation(const Store& store, LoaderOptions options)
      : samples_(store::StoreAccess::samples(store)),
        options_(loader::checked(std::move(options), samples_->sample_count, samples_->backend->is_host())),
        maps_(samples_, options_.spec) {}

  const LoaderOptions& options() const { return options_; }
  std::int64_t batches_per_epoch() const { return loader::batches_per_epoch(options_, samples_->sample_count); }
  std::int64_t device_bytes() const { return maps_.device_bytes(); }

  loader::BatchPlaces places(std::int64_t epoch, std::int64_t step) const {
    if (epoch < 0 || step < 0 || step >= batches_per_epoch()) {
      throw InvalidArgument("make batch " + std::to_string(step) + " of epoch " + std::to_string(epoch) +
                            ": there is none; an epoch has " + std::to_string(batches_per_epoch()) + " batches");
    }
    return loader::batch_places(options_, samples_->sample_count, step);
  }

  std::vector<std::int64_t> rows(std::int64_t epoch, std::int64_t step) const {
    const loader::BatchPlaces places = this->places(epoch, step);
    const kernels::RowSelection selection{nullptr, order(epoch), places.first};
    std::vector<std::int64_t> rows;
    for (std::int64_t b = 0; b < places.count; ++b) rows.push_back(kernels::row_at(selection, b));
    return rows;
  }

  void make(std::int64_t epoch, std::int64_t step, const TensorView& images, const TensorView& labels,
            StreamRef stream) const {
    const loader::BatchPlaces places = this->places(epoch, step);
    store::check_batch_tensors(*samples_, options_.spec, places.count, images, labels);
    maps_.gather({nullptr, order(epoch), places.first}, places.count, images.data,
                 store::label_target(labels, samples_->labels.kind), stream);
  }

 private:
  kernels::OrderKey order(std::int64_t epoch) const {
    return kernels::make_order_key(samples_->sample_count, options_.seed, static_cast<std::uint64_t>(epoch),
                                   options_.shuffle);
  }

  std::shared_ptr<const store::ResidentSamples> samples_;
  LoaderOptions options_;
  store::PreparedMaps maps_;
};

BatchMaker::BatchMaker(const Store& store, LoaderOptions options)
    : implementation_(std::make_shared<const Implementation>(store, std::move(options))) {}

const LoaderOptions& BatchMaker::options() const { return implementation_->options(); }
std::int64_t BatchMaker::batches_per_epoch() const { return implementation_->batches_per_epoch(); }
std::int64_t BatchMaker::batch_count(std::int64_t step) const { return implementation_->places(0, step).count; }
std::vector<std::int64_t> BatchMaker::rows(std::int64_t epoch, std::int64_t step) const {
  return implementation_->rows(epoch, step);
}
std::int64_t BatchMaker::device_bytes() const { return implementation_->device_bytes(); }
void BatchMaker::make(std::int64_t epoch, std::int64_t step, const TensorView& images, const TensorView& labels,
                      StreamRef stream) const {
  implementation_->make(epoch, step, images, labels, stream);
}

}  // namespace octavo
