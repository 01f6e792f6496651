// Iterates over the batches of an epoch and prefetches them on the device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string>

#include <octavo/batch_spec.hpp>
#include <octavo/sampling.hpp>
#include <octavo/shuffle.hpp>
#include <octavo/store.hpp>
#include <octavo/tensor.hpp>

namespace octavo {

namespace loader {
class Pipeline;
class BatchServer;
}  // namespace loader

/// One batch. The loader owns the tensors. They hold this batch until the loop advances; work that was enqueued on
/// the epoch's stream before that still sees this batch.
class Batch {
 public:
  /// [B,C,H,W] or [B,H,W,C] of the spec's type, on the store's device.
  const TensorView& images() const { return images_; }
  /// int32 or float32 [B] or [B,K] (see label_axes()) on the same device. `data` is null if there are no labels.
  const TensorView& labels() const { return labels_; }
  /// [B,H,W] of BatchSpec::mask_dtype on the same device, with the geometry of the images. `data` is null, and there
  /// are no axes, if the store has no masks.
  const TensorView& masks() const { return masks_; }
  /// B: number of samples in this rank's part of the batch.
  std::int64_t size() const { return images_.shape.empty() ? 0 : images_.shape[0]; }
  std::int64_t epoch() const { return epoch_; }
  /// Number of the batch in the epoch, from 0.
  std::int64_t step() const { return step_; }

 private:
  friend class loader::Pipeline;
  TensorView images_;
  TensorView labels_;
  TensorView masks_;
  std::int64_t epoch_ = 0;
  std::int64_t step_ = 0;
};

/// A place in the order: `samples` of `epoch` come before it. With carry_over, a negative number is that of the samples
/// of the epoch before that are still to come.
struct LoaderPlace {
  std::int64_t epoch = 0;
  std::int64_t samples = 0;
  bool operator==(const LoaderPlace&) const = default;
};

/// Options of a Loader, BatchMaker or GraphLoader.
struct LoaderOptions {
  // These change the batches.
  std::int64_t batch_size = 256;  ///< samples in a global batch, over all ranks
  Shuffle shuffle = false;        ///< true: a new order each epoch; false: file order; or one of the cheaper orders
  std::uint64_t seed = 0;         ///< seed of the order
  bool drop_last = false;         ///< leave out the last batch if it is short
  /// Let the samples that do not fill the last batch of an epoch begin the first batch of the next one, so that all
  /// batches are full and no sample is left out. Only with the orders none and global.
  bool carry_over = false;
  std::int64_t rank = 0;        ///< number of this process, in [0, world_size)
  std::int64_t world_size = 1;  ///< number of processes that share each global batch
  /// Give every rank as many samples: the last ranks repeat samples of a batch that the ranks cannot share evenly, so
  /// that collective operations see equal shapes. Otherwise the parts of ranks differ by at most one sample, and
  /// nothing is repeated.
  bool equal_shares = false;
  /// A batch begins here. Set it to the place of a state that was saved with another batch_size, whose batches may
  /// begin elsewhere; the first batch of that epoch may then be short.
  LoaderPlace origin = {};
  BatchSpec spec = {};
  Sampling sampling = {};  ///< with the orders none and global; not with the residency window
  // These change only speed and memory.
  int prefetch = -1;  ///< batches to prefetch; fewer if memory is short. -1: 2 on a GPU or if samples are read from the
                      ///< file, else 0, to leave the cores to the model. options() has the actual number
};

/// Position of a loader: which batch comes next. Small enough to save with every checkpoint.
struct LoaderState {
  static constexpr std::int64_t kLastEpoch = std::int64_t{1} << 62;  ///< epochs are at most this one
  int order_version = 1;
  std::int64_t epoch = 0;  ///< of the next batch
  std::int64_t step = 0;   ///< of the next batch in its epoch
  /// Samples of the epoch before the next batch, if they are not those of `step` batches of batch_size samples.
  std::optional<std::int64_t> samples;
  std::uint64_t seed = 0;
  std::int64_t batch_size = 0;
  std::int64_t sample_count = 0;
  Shuffle shuffle = false;
  bool drop_last = false;
  bool carry_over = false;
  std::string sampling;       ///< a digest; empty for the default
  std::string split;          ///< its name; empty for samples in memory
  std::string data;           ///< a digest of the samples and labels
  std::string normalization;  ///< a description, and a digest of its numbers
  std::string augmentation;   ///< a description; empty for none

  /// Where the next batch begins, which does not depend on batch_size.
  LoaderPlace place() const;
  /// Returns the state as one line of JSON.
  std::string to_json() const;
  /// Parses what to_json() returns. Throws FormatError for other text or another order version.
  static LoaderState from_json(const std::string& json);
  bool operator==(const LoaderState&) const = default;
};

/// The batches of one epoch, for a range-based for loop. Single pass. Valid until the loader begins another epoch.
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

/// Serves batches from a store, epoch by epoch. A batch is a pure function of (file, split, shuffle, seed, epoch, step,
/// batch_size, drop_last, spec). Device, residency, threads, prefetch, ranks and resuming do not change a single bit.
/// With the residency `window`, shuffle = true becomes Shuffle::windows with the store's window size; options() returns
/// the actual order. Not thread-safe, but several loaders may use one store from different threads.
class Loader {
 public:
  /// Throws InvalidArgument for invalid options: batch_size below 1, rank outside [0, world_size), a batch with fewer
  /// samples than ranks (with equal_shares, a batch_size that is not a multiple of the ranks), Center::batch with
  /// several ranks, drop_last with fewer samples than a batch, or an order that the store's residency cannot serve.
  /// Throws OutOfMemory if there is no room for a batch.
  Loader(const Store& store, LoaderOptions options);
  ~Loader();
  Loader(Loader&&) noexcept;
  Loader& operator=(Loader&&) noexcept;

  /// Number of batches in `epoch`, on which it depends only with carry_over. The same on every rank.
  std::int64_t batches_per_epoch(std::int64_t epoch = 0) const;
  /// The options in effect: `prefetch` and `shuffle` may differ from those passed in.
  const LoaderOptions& options() const;

  /// Begins `epoch` >= 0 at its first batch. If restore() moved the loader into this epoch, begins there instead.
  /// Batches are ordered on `stream`, which belongs to the store's device; by default on the device's default stream.
  /// The stream must live until the loader is destroyed or an epoch has begun on another stream.
  EpochRange epoch(std::int64_t epoch, StreamRef stream = {});

  /// Returns the position of the batch after the current one.
  LoaderState state() const;
  /// Moves to a position returned by state(). Throws InvalidArgument, naming the difference, if the state comes from a
  /// loader with other samples or another order; ranks, device, residency, type and layout may differ. So may
  /// batch_size, if a batch of this loader begins there: see LoaderOptions::origin. To resume:
  ///   for (std::int64_t e = state.epoch; e < epochs; ++e) for (const Batch& batch : loader.epoch(e)) ...
  void restore(const LoaderState& state);

  /// Bytes on the device in addition to the store's: batch buffers and prefetched samples.
  std::int64_t device_bytes() const;

 private:
  friend Loader make_loader(std::shared_ptr<loader::BatchServer> server);
  explicit Loader(std::unique_ptr<loader::Pipeline> pipeline);
  std::unique_ptr<loader::Pipeline> pipeline_;
};

}  // namespace octavo
