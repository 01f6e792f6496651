#include "loader/graph_position.hpp"

#include <utility>
#include <vector>

#include <octavo/errors.hpp>

#include "loader/sampler.hpp"

namespace octavo::loader {
namespace {

kernels::BatchShare share_of(const LoaderOptions& options) {
  return kernels::batch_share(options.batch_size, options.rank, options.world_size);
}

/// For orders that are a permutation: the gather computes the samples, and advances the position.
class CursorPosition final : public GraphPosition {
 public:
  CursorPosition(std::shared_ptr<backend::Backend> backend, const BatchOrder& order)
      : backend_(std::move(backend)),
        order_(order),
        cursor_(backend_, sizeof(kernels::OrderCursor), "the position of a graph loader") {
    seek({0, 0}, {});
  }

  kernels::RowSelection select(StreamRef) override {
    return kernels::rows_at(cursor_.as<kernels::OrderCursor>(), order_.sample_count());
  }
  void seek(kernels::BatchNumber batch, StreamRef stream) override {
    const LoaderOptions& options = order_.options();
    const kernels::OrderCursor cursor =
        kernels::make_order_cursor(order_.sample_count(), options.seed, options.shuffle == Shuffle(true),
                                   options.batch_size, share_of(options), batch.epoch, batch.step);
    backend_->copy_to_device(cursor_.data(), &cursor, sizeof cursor, stream);
  }
  kernels::BatchNumber next(StreamRef stream) const override {
    kernels::OrderCursor cursor{};
    backend_->copy_to_host(&cursor, cursor_.data(), sizeof cursor, stream);
    return {cursor.epoch, cursor.step};
  }

 private:
  std::shared_ptr<backend::Backend> backend_;
  BatchOrder order_;
  backend::DeviceBuffer cursor_;  ///< an OrderCursor
};

/// For all others: a launch of its own selects the samples before each gather.
class SelectedPosition final : public GraphPosition {
 public:
  SelectedPosition(std::shared_ptr<backend::Backend> backend, const BatchOrder& order, std::int64_t split_samples,
                   std::int64_t batches_per_launch)
      : backend_(std::move(backend)), split_samples_(split_samples) {
    const LoaderOptions& options = order.options();
    const Sampler sampler(options.sampling, split_samples, options.seed, options.shuffle == Shuffle(true));
    if (!sampler.has_replacement()) {
      throw InvalidArgument(
          "set up a graph loader: weights without replacement are not available in a graph; draw with replacement, or "
          "use a Loader");
    }
    args_.order = sampler.order();
    const std::int64_t choices = args_.order.choice_count;
    args_.order.indices = upload(indices_, args_.order.indices, choices);
    args_.order.buckets = upload(buckets_, args_.order.buckets, choices);
    args_.order.members = upload(members_, args_.order.members, choices);
    args_.order.group_starts = upload(group_starts_, args_.order.group_starts, args_.order.group_count + 1);
    args_.batches = order.batches();
    args_.share = share_of(options);
    args_.batch_count = batches_per_launch;
    next_ = buffer(sizeof(kernels::BatchNumber));
    args_.next = next_.as<kernels::BatchNumber>();
    const std::int64_t count = args_.sample_count();
    samples_ = buffer(3 * static_cast<std::size_t>(count) * sizeof(std::int64_t));
    args_.rows = samples_.as<std::int64_t>();
    args_.indices = args_.rows + count;
    args_.epochs = args_.indices + count;
    seek({0, 0}, {});
  }

  kernels::RowSelection select(StreamRef stream) override {
    backend_->select_samples(args_, stream);
    kernels::RowSelection selection = kernels::given_rows(args_.rows, split_samples_);
    selection.indices = args_.indices;
    selection.epochs = args_.epochs;
    return selection;
  }
  void seek(kernels::BatchNumber batch, StreamRef stream) override {
    backend_->copy_to_device(next_.data(), &batch, sizeof batch, stream);
  }
  kernels::BatchNumber next(StreamRef stream) const override {
    kernels::BatchNumber batch{};
    backend_->copy_to_host(&batch, next_.data(), sizeof batch, stream);
    return batch;
  }

 private:
  backend::DeviceBuffer buffer(std::size_t bytes) const { return {backend_, bytes, "the samples of a graph loader"}; }
  template <typename T>
  const T* upload(backend::DeviceBuffer& to, const T* from, std::int64_t count) const {
    if (from == nullptr) return nullptr;
    to = buffer(static_cast<std::size_t>(count) * sizeof(T));
    backend_->copy_to_device(to.data(), from, to.bytes(), {});
    return to.as<T>();
  }

  std::shared_ptr<backend::Backend> backend_;
  std::int64_t split_samples_;
  backend::DeviceBuffer indices_, buckets_, members_, group_starts_;  ///< arrays of args_.order
  backend::DeviceBuffer next_;                                        ///< a BatchNumber
  backend::DeviceBuffer samples_;                                     ///< rows, indices and epochs of a launch
  kernels::SampleSelectionArgs args_ = {};
};

}  // namespace

std::unique_ptr<GraphPosition> make_graph_position(std::shared_ptr<backend::Backend> backend, const BatchOrder& order,
                                                   std::int64_t split_samples, std::int64_t batches_per_launch) {
  const LoaderOptions& options = order.options();
  if (is_default(options.sampling) && !options.carry_over)
    return std::make_unique<CursorPosition>(std::move(backend), order);
  return std::make_unique<SelectedPosition>(std::move(backend), order, split_samples, batches_per_launch);
}

}  // namespace octavo::loader
