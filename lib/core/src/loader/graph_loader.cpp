#include <octavo/graph_loader.hpp>

#include <string>
#include <utility>

#include <octavo/batch_shape.hpp>
#include <octavo/errors.hpp>
#include <octavo/order.hpp>

#include "backend/capture.hpp"
#include "loader/options_check.hpp"
#include "loader/sampler.hpp"
#include "store/prepared_maps.hpp"
#include "store/store_access.hpp"
#include "store/tensor_check.hpp"

namespace octavo {
namespace {

/// Leaves room for all epochs that can be reached from here.
constexpr std::int64_t kLastEpoch = std::int64_t{1} << 62;

[[noreturn]] void refuse(const std::string& why) { throw InvalidArgument("set up a graph loader: " + why); }

}  // namespace

class GraphLoader::Implementation {
 public:
  Implementation(const Store& store, LoaderOptions options, std::int64_t batches_per_launch)
      : samples_(store::StoreAccess::samples(store)),
        options_(loader::checked(std::move(options), *samples_)),
        cursor_(samples_->backend, sizeof(kernels::OrderCursor), "the position of a graph loader"),
        maps_(samples_, options_.spec),
        batches_per_launch_(batches_per_launch),
        share_(kernels::batch_share(options_.batch_size, options_.rank, options_.world_size)) {
    if (!samples_->is_resident()) {
      refuse(std::string("the residency is ") + to_string(samples_->residency) +
             ", but a graph can only read samples that are on the device; load them with the residency device");
    }
    if (options_.shuffle != Shuffle(true) && options_.shuffle != Shuffle(false)) {
      refuse("shuffle is \"" + to_string(options_.shuffle) + "\"; a graph supports only the orders none and global");
    }
    if (!loader::is_default(options_.sampling)) refuse("sampling is not available in a graph; use a Loader");
    if (!options_.drop_last) refuse("drop_last is not set, but every batch of a graph must be full; set it");
    if (share_.first == share_.end) refuse("this rank's share of a batch is empty; use a larger batch_size");
    if (batches_per_launch < 1 || batches_per_launch > batches_per_epoch()) {
      refuse("batches_per_launch is " + std::to_string(batches_per_launch) + "; an epoch has " +
             std::to_string(batches_per_epoch()) + " batches; expected 1 to that many");
    }
    if (batches_per_launch > 1 && options_.spec.center == Center::batch) {
      refuse("several batches per launch cannot each be centered on their own mean; use 1, or another center");
    }
    seek(0, 0, {});
    warm_up();
  }

  std::int64_t batches_per_epoch() const { return samples_->sample_count / options_.batch_size; }
  std::int64_t samples_per_launch() const { return (share_.end - share_.first) * batches_per_launch_; }

  /// Makes one sample, aligned and unaligned: CUDA loads a kernel at its first launch, which must not be captured.
  void warm_up() {
    const auto value_bytes = static_cast<std::size_t>(bytes_of(options_.spec.dtype));
    const auto image_bytes = static_cast<std::size_t>(batch_shape(options_.spec, samples_->shape).bytes());
    const backend::DeviceBuffer images(samples_->backend, image_bytes + value_bytes, "a batch of images");
    const backend::DeviceBuffer labels(
        samples_->backend, static_cast<std::size_t>(batch_labels(options_.spec, samples_->labels).bytes_per_sample()),
        "the labels of a batch");
    const std::int64_t mask_bytes = samples_->has_masks ? batch_shape(options_.spec, samples_->shape).mask_values() *
                                                              bytes_of(options_.spec.mask_dtype)
                                                        : 0;
    const backend::DeviceBuffer masks(samples_->backend, static_cast<std::size_t>(mask_bytes), "the masks of a batch");
    const backend::FinishAtEnd finish_at_end(samples_->backend, {});
    for (const std::size_t offset : {std::size_t{0}, value_bytes}) {
      maps_.gather(samples_->resident_rows(),
                   kernels::rows_at(cursor_.as<kernels::OrderCursor>(), samples_->sample_count), 1,
                   {images.as<std::byte>() + offset, {labels.data()}, masks.data()}, {});
    }
    samples_->backend->synchronize({});
  }

  void next(const TensorView& images, const TensorView& labels, StreamRef stream, const TensorView& masks) {
    store::check_batch_tensors(*samples_, options_.spec, samples_per_launch(), images, labels, masks);
    auto* cursor = cursor_.as<kernels::OrderCursor>();
    maps_.gather(samples_->resident_rows(), kernels::rows_at(cursor, samples_->sample_count), samples_per_launch(),
                 {images.data, store::label_target(labels, samples_->labels.kind), masks.data}, stream,
                 batches_per_launch_);
  }

  void seek(std::int64_t epoch, std::int64_t step, StreamRef stream) {
    if (epoch < 0 || epoch > kLastEpoch || step < 0 || step >= batches_per_epoch()) {
      throw InvalidArgument("go to batch " + std::to_string(step) + " of epoch " + std::to_string(epoch) +
                            ": no such batch; an epoch has " + std::to_string(batches_per_epoch()) + " batches");
    }
    backend::refuse_capture(*samples_->backend, stream, "go to a batch");
    const kernels::OrderCursor cursor =
        kernels::make_order_cursor(samples_->sample_count, options_.seed, options_.shuffle == Shuffle(true),
                                   options_.batch_size, share_, epoch, step);
    samples_->backend->copy_to_device(cursor_.data(), &cursor, sizeof cursor, stream);
  }

  LoaderState state(StreamRef stream) const {
    backend::refuse_capture(*samples_->backend, stream, "get the state of a loader");
    kernels::OrderCursor cursor{};
    samples_->backend->copy_to_host(&cursor, cursor_.data(), sizeof cursor, stream);
    LoaderState state;
    state.order_version = kOrderVersion;
    state.epoch = cursor.epoch;
    state.step = cursor.step;
    state.seed = options_.seed;
    state.batch_size = options_.batch_size;
    state.sample_count = samples_->sample_count;
    state.shuffle = options_.shuffle;
    state.drop_last = true;
    return state;
  }

 private:
  std::shared_ptr<const store::StoredSamples> samples_;
  LoaderOptions options_;
  backend::DeviceBuffer cursor_;  ///< an OrderCursor; declared before the maps, which wait for the launches that use it
  store::PreparedMaps maps_;
  std::int64_t batches_per_launch_;
  kernels::BatchShare share_;
};

GraphLoader::GraphLoader(const Store& store, LoaderOptions options, std::int64_t batches_per_launch)
    : implementation_(std::make_unique<Implementation>(store, std::move(options), batches_per_launch)) {}
GraphLoader::~GraphLoader() = default;
GraphLoader::GraphLoader(GraphLoader&&) noexcept = default;
GraphLoader& GraphLoader::operator=(GraphLoader&&) noexcept = default;

std::int64_t GraphLoader::samples_per_launch() const { return implementation_->samples_per_launch(); }
std::int64_t GraphLoader::batches_per_epoch() const { return implementation_->batches_per_epoch(); }
void GraphLoader::next(const TensorView& images, const TensorView& labels, StreamRef stream, const TensorView& masks) {
  implementation_->next(images, labels, stream, masks);
}
void GraphLoader::seek(std::int64_t epoch, std::int64_t step, StreamRef stream) {
  implementation_->seek(epoch, step, stream);
}
LoaderState GraphLoader::state(StreamRef stream) const { return implementation_->state(stream); }

}  // namespace octavo
