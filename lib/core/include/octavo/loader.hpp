// Batches of an epoch, in order, ready on the device when they are asked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string>

#include <octavo/batch_spec.hpp>
#include <octavo/shuffle.hpp>
#include <octavo/store.hpp>
#include <octavo/tensor.hpp>

namespace octavo {

namespace loader {
class Pipeline;
class BatchServer;
}  // namespace loader

/// One minibatch. Its tensors belong to the loader and hold this batch until the loop moves on to the next one; work
/// that a consumer has enqueued on the epoch's stream by then still sees it.
class Batch {
 public:
  /// [B,C,H,W] or [B,H,W,C] of the spec's type, on the store's device. B is 0 for a rank that has no part in it.
  const TensorView& images() const { return images_; }
  /// int32 [B], int32 [B,K] or float32 [B,K], on the same device; data is null if there are no labels.
  const TensorView& labels() const { return labels_; }
  /// Samples in this rank's part of the batch.
  std::int64_t size() const { return images_.shape.empty() ? 0 : images_.shape[0]; }
  std::int64_t epoch() const { return epoch_; }
  /// Its number in the epoch.
  std::int64_t step() const { return step_; }

 private:
  friend class loader::Pipeline;
  TensorView images_;
  TensorView labels_;
  std::int64_t epoch_ = 0;
  std::int64_t step_ = 0;
};

/// How batches are drawn.
struct LoaderOptions {
  // What changes the batches.
  std::int64_t batch_size = 256;  ///< samples in a global batch, over all ranks
  Shuffle shuffle = false;        ///< true: a new order each epoch; false: that of the file; or a cheaper one
  std::uint64_t seed = 0;         ///< of the order
  bool drop_last = false;         ///< leave out a last batch that would be short
  std::int64_t rank = 0;          ///< this process's number among world_size
  std::int64_t world_size = 1;    ///< processes that share each global batch
  BatchSpec spec = {};
  // What changes only speed and memory.
  int prefetch = -1;  ///< batches prepared ahead, if memory suffices; -1: 2 on a GPU or where samples are read from the
                      ///< file, else 0: the model needs the cores. options() tells what came of it
};

/// Where a loader stands: which batch comes next. Small, to be saved beside the model.
struct LoaderState {
  int order_version = 1;
  std::int64_t epoch = 0;  ///< of the next batch
  std::int64_t step = 0;   ///< of the next batch in its epoch
  std::uint64_t seed = 0;
  std::int64_t batch_size = 0;
  std::int64_t sample_count = 0;
  Shuffle shuffle = false;
  bool drop_last = false;

  /// One line of JSON.
  std::string to_json() const;
  /// Throws FormatError if it is not what to_json() gives, or of a newer order.
  static LoaderState from_json(const std::string& json);
  bool operator==(const LoaderState&) const = default;
};

/// The batches of one epoch, for a range-based for loop; runs once. Valid until the loader begins another epoch.
class EpochRange {
 public:
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = Batch;
    using difference_type = std::ptrdiff_t;

    const Batch& operator*() const;
    const Batch* operator->() const { return &**this; }
    Iterator& operator++();
    void operator++(int) { ++*this; }
    bool operator==(std::default_sentinel_t) const;

   private:
    friend class EpochRange;
    explicit Iterator(loader::Pipeline* pipeline) : pipeline_(pipeline) {}
    loader::Pipeline* pipeline_;
  };
  Iterator begin() const;
  std::default_sentinel_t end() const { return {}; }

 private:
  friend class Loader;
  explicit EpochRange(loader::Pipeline* pipeline) : pipeline_(pipeline) {}
  loader::Pipeline* pipeline_;
};

/// Draws the batches of a store, epoch by epoch. A batch is a pure function of (file, split, shuffle, seed, epoch,
/// step, batch_size, drop_last, spec): device, residency, threads, prefetch, ranks and resuming change no bit. (In the
/// residency `window`, shuffle = true becomes Shuffle::windows of its windows, as options() tells.) Not thread-safe;
/// two loaders over one store may run in two threads.
class Loader {
 public:
  /// Throws InvalidArgument for options that make no sense: batch_size below 1, a rank outside world_size,
  /// Center::batch with several ranks, drop_last with fewer samples than a batch, an order that the residency of the
  /// store cannot serve. Throws OutOfMemory if there is no room for a batch.
  Loader(const Store& store, LoaderOptions options);
  ~Loader();
  Loader(Loader&&) noexcept;
  Loader& operator=(Loader&&) noexcept;

  /// Batches in an epoch; the same on every rank.
  std::int64_t batches_per_epoch() const;
  const LoaderOptions& options() const;

  /// Begins `epoch` >= 0: at its first batch, or, right after restore() to a place in this epoch, at that place.
  /// Batches become ready on `stream` (of the store's device); by default on the device's default stream. The stream
  /// must outlive the loader, or the next epoch if that has another one.
  EpochRange epoch(std::int64_t epoch, StreamRef stream = {});

  /// The place of the batch after the one that is being looked at.
  LoaderState state() const;
  /// Goes to a place that state() gave. Throws InvalidArgument if it is of a loader with other options or another
  /// number of samples. A loop then goes on with `for (e = state.epoch; ...) for (batch : loader.epoch(e))`.
  void restore(const LoaderState& state);

  /// Bytes on the device beside the store's: batch buffers, and what is read ahead.
  std::int64_t device_bytes() const;

 private:
  friend Loader make_loader(std::shared_ptr<loader::BatchServer> server);
  explicit Loader(std::unique_ptr<loader::Pipeline> pipeline);
  std::unique_ptr<loader::Pipeline> pipeline_;
};

}  // namespace octavo
