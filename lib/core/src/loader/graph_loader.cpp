#include <octavo/graph_loader.hpp>

#include <string>
#include <utility>

#include <octavo/batch_shape.hpp>
#include <octavo/errors.hpp>

#include "backend/capture.hpp"
#include "loader/batch_order.hpp"
#include "loader/graph_position.hpp"
#include "loader/loader_identity.hpp"
#include "loader/options_check.hpp"
#include "store/spec/prepared_maps.hpp"
#include "store/spec/tensor_check.hpp"
#include "store/stored_samples.hpp"

namespace octavo {
namespace {

[[noreturn]] void refuse(const std::string& why) { throw InvalidArgument("set up a graph loader: " + why); }

}  // namespace

class GraphLoader::Implementation {
 public:
  Implementation(const Store& store, LoaderOptions options, std::int64_t batches_per_launch)
      : samples_(store.samples()),
        order_(checked(*samples_, std::move(options), batches_per_launch), samples_->sample_count),
        position_(loader::make_graph_position(samples_->backend, order_, samples_->sample_count, batches_per_launch)),
        maps_(samples_, order_.options().spec),
        batches_per_launch_(batches_per_launch) {
    warm_up();
    position_->seek({0, 0}, {});  // reports kernels that failed
  }

  std::int64_t batches_per_epoch(std::int64_t epoch) const { return order_.batches_per_epoch(epoch); }
  std::int64_t samples_per_launch() const { return order_.part(0, 0).count() * batches_per_launch_; }

  void next(const TensorView& images, const TensorView& labels, StreamRef stream, const TensorView& masks) {
    store::check_batch_tensors(*samples_, order_.options().spec, samples_per_launch(), images, labels, masks);
    maps_.gather(samples_->resident_samples(), position_->select(stream), samples_per_launch(),
                 {images.data, store::label_target(labels, samples_->labels.kind), masks.data}, stream,
                 batches_per_launch_);
  }

  void seek(std::int64_t epoch, std::int64_t step, StreamRef stream) {
    const bool is_epoch = epoch >= 0 && epoch <= LoaderState::kLastEpoch;
    if (!is_epoch || step < 0 || step >= batches_per_epoch(epoch)) {
      throw InvalidArgument("go to batch " + std::to_string(step) + " of epoch " + std::to_string(epoch) +
                            ": no such batch; an epoch has " + std::to_string(batches_per_epoch(is_epoch ? epoch : 0)) +
                            " batches");
    }
    backend::refuse_capture(*samples_->backend, stream, "go to a batch");
    position_->seek({epoch, step}, stream);
  }

  LoaderState state(StreamRef stream) const {
    backend::refuse_capture(*samples_->backend, stream, "get the state of a loader");
    const kernels::BatchNumber next = position_->next(stream);
    return state_at(next.epoch, next.step);
  }

  LoaderPlace place_of(const LoaderState& state) const { return loader::checked_place(state, state_at(0, 0)); }

 private:
  LoaderState state_at(std::int64_t epoch, std::int64_t step) const {
    LoaderState state = order_.state(epoch, step);
    loader::identify(state, *samples_, maps_);
    return state;
  }

  static LoaderOptions checked(const store::StoredSamples& samples, LoaderOptions options,
                               std::int64_t batches_per_launch) {
    options = loader::checked(std::move(options), samples);
    if (!samples.is_resident()) {
      refuse(std::string("the residency is ") + to_string(samples.residency) +
             ", but a graph can only read samples that are on the device; load them with the residency device");
    }
    if (options.shuffle != Shuffle(true) && options.shuffle != Shuffle(false)) {
      refuse("shuffle is \"" + to_string(options.shuffle) + "\"; a graph supports only the orders none and global");
    }
    if (options.origin != LoaderPlace{}) refuse("batches of a graph begin at the first sample; origin must be 0, 0");
    if (!options.drop_last && !options.carry_over) {
      refuse("neither drop_last nor carry_over is set, but every batch of a graph must be full; set one");
    }
    const std::int64_t batches = loader::BatchOrder(options, samples.sample_count).batches_per_epoch(0);
    if (batches_per_launch < 1 || batches_per_launch > batches) {
      refuse("batches_per_launch is " + std::to_string(batches_per_launch) + "; an epoch has " +
             std::to_string(batches) + " batches; expected 1 to that many");
    }
    if (batches_per_launch > 1 && options.spec.center == Center::batch) {
      refuse("several batches per launch cannot each be centered on their own mean; use 1, or another center");
    }
    return options;
  }

  /// Makes one sample, aligned and unaligned: CUDA loads a kernel at its first launch, which must not be captured.
  void warm_up() {
    const BatchSpec& spec = order_.options().spec;
    const BatchShape shape = batch_shape(spec, samples_->shape);
    const std::int64_t value_bytes = bytes_of(spec.dtype);
    const auto buffer = [&](std::int64_t bytes, const char* what) {
      return backend::DeviceBuffer(samples_->backend, static_cast<std::size_t>(bytes), what);
    };
    const auto images = buffer(shape.bytes() + value_bytes, "a batch of images");
    const auto labels = buffer(batch_labels(spec, samples_->labels).bytes_per_sample(), "the labels of a batch");
    const std::int64_t mask_bytes = samples_->has_masks ? shape.mask_values() * bytes_of(spec.mask_dtype) : 0;
    const auto masks = buffer(mask_bytes, "the masks of a batch");
    const backend::FinishAtEnd finish_at_end(samples_->backend, {});
    for (const std::int64_t offset : {std::int64_t{0}, value_bytes}) {
      maps_.gather(samples_->resident_samples(), position_->select({}), 1,
                   {images.as<std::byte>() + offset, {labels.data()}, masks.data()}, {});
    }
  }

  std::shared_ptr<const store::StoredSamples> samples_;
  loader::BatchOrder order_;
  std::unique_ptr<loader::GraphPosition> position_;  ///< before the maps, which wait for the launches that use it
  store::PreparedMaps maps_;
  std::int64_t batches_per_launch_;
};

GraphLoader::GraphLoader(const Store& store, LoaderOptions options, std::int64_t batches_per_launch)
    : implementation_(std::make_unique<Implementation>(store, std::move(options), batches_per_launch)) {}
GraphLoader::~GraphLoader() = default;
GraphLoader::GraphLoader(GraphLoader&&) noexcept = default;
GraphLoader& GraphLoader::operator=(GraphLoader&&) noexcept = default;

std::int64_t GraphLoader::samples_per_launch() const { return implementation_->samples_per_launch(); }
std::int64_t GraphLoader::batches_per_epoch(std::int64_t epoch) const {
  return implementation_->batches_per_epoch(epoch);
}
void GraphLoader::next(const TensorView& images, const TensorView& labels, StreamRef stream, const TensorView& masks) {
  implementation_->next(images, labels, stream, masks);
}
void GraphLoader::seek(std::int64_t epoch, std::int64_t step, StreamRef stream) {
  implementation_->seek(epoch, step, stream);
}
LoaderState GraphLoader::state(StreamRef stream) const { return implementation_->state(stream); }
LoaderPlace GraphLoader::place_of(const LoaderState& state) const { return implementation_->place_of(state); }

}  // namespace octavo
