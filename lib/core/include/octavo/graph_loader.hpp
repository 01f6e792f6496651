// Batches for CUDA graphs: which batch comes next is kept on the device, so that a replayed graph yields the next one.
#pragma once

#include <cstdint>
#include <memory>

#include <octavo/loader.hpp>
#include <octavo/store.hpp>
#include <octavo/tensor.hpp>

namespace octavo {

/// The batches that a Loader with the same options and drop_last serves, epoch after epoch, into tensors of the
/// caller's. next() always enqueues the same work: on CUDA it allocates nothing, waits for nothing, and reads and
/// advances its place in device memory. So it can be captured in a CUDA graph together with the step that uses the
/// batch.
///
///     GraphLoader loader(store, {.batch_size = 256, .shuffle = true, .seed = 7, .drop_last = true});
///     cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
///     loader.next(images, labels, StreamRef(stream));
///     train_step(images, labels, stream);
///     cudaStreamEndCapture(stream, &graph);        // each launch of the graph is a step on the next batch
///
/// Works on every device; on the CPU it saves nothing. Not thread-safe.
class GraphLoader {
 public:
  /// `batches_per_launch` batches are made by each next(): for batches so small that launching them takes longer than
  /// making them. They lie one after another, and may be of two epochs.
  /// Throws InvalidArgument as Loader does; for samples that are not all on the device, and for the orders blocks and
  /// windows; without drop_last, since every batch must be whole; for a rank whose share
  /// of a batch is empty; for batches_per_launch below 1 or above the batches of an epoch; for several batches a launch
  /// that are to be centered each on its own mean.
  GraphLoader(const Store& store, LoaderOptions options, std::int64_t batches_per_launch = 1);
  ~GraphLoader();
  GraphLoader(GraphLoader&&) noexcept;
  GraphLoader& operator=(GraphLoader&&) noexcept;

  /// Samples that next() makes: this rank's share of a batch, times batches_per_launch.
  std::int64_t samples_per_launch() const;
  std::int64_t batches_per_epoch() const;

  /// Enqueues the next batches into `images`, samples_per_launch()*C*H*W numbers of the spec's type and layout, and
  /// `labels` (data == nullptr for none), as Store::gather() takes them. Throws InvalidArgument as that does. This
  /// loader, `images` and `labels` must live until the stream has passed the call; of a captured one, as long as its
  /// graph is launched.
  void next(const TensorView& images, const TensorView& labels, StreamRef stream = {});

  /// Goes to batch `step` of `epoch`; waits for `stream`, which must be the one that next(), or the graph, runs on. Not
  /// to be captured. Throws InvalidArgument if there is no such batch.
  void seek(std::int64_t epoch, std::int64_t step, StreamRef stream = {});
  /// The place of the next batch, when `stream`, which must be that one too, has done what it was given; waits for it.
  /// Not to be captured.
  /// Loader::restore() of a Loader with the same options takes it, and seek(state.epoch, state.step).
  LoaderState state(StreamRef stream = {}) const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace octavo
