// Batches for CUDA graphs. The position is kept on the device, so each replay of a graph produces the next batch.
#pragma once

#include <cstdint>
#include <memory>

#include <octavo/loader.hpp>
#include <octavo/store.hpp>
#include <octavo/tensor.hpp>

namespace octavo {

/// Writes batches into the caller's tensors: the same ones that a Loader with the same options serves, epoch after
/// epoch. next() always enqueues the same work. On CUDA it never allocates or waits, and it reads and
/// advances its position in device memory, so it can be captured in a CUDA graph together with the training step that
/// uses the batch.
///
///     GraphLoader loader(store, {.batch_size = 256, .shuffle = true, .seed = 7, .drop_last = true});
///     cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
///     loader.next(images, labels, StreamRef(stream));
///     train_step(images, labels, stream);
///     cudaStreamEndCapture(stream, &graph);        // each launch of the graph trains on the next batch
///
/// Works on every device, but has no advantage on the CPU. Not thread-safe.
class GraphLoader {
 public:
  /// Each next() makes `batches_per_launch` consecutive batches, which may span two epochs. Use more than one when
  /// batches are so small that the launch takes longer than the work.
  /// Throws InvalidArgument in the same cases as Loader, and also
  /// - if not all samples are resident on the device,
  /// - for the orders blocks and windows,
  /// - without drop_last or carry_over, because every batch must have the full size,
  /// - for weights without replacement,
  /// - if this rank's share of a batch is empty,
  /// - for batches_per_launch below 1 or above the number of batches in an epoch,
  /// - for batches_per_launch above 1 with Center::batch.
  GraphLoader(const Store& store, LoaderOptions options, std::int64_t batches_per_launch = 1);
  ~GraphLoader();
  GraphLoader(GraphLoader&&) noexcept;
  GraphLoader& operator=(GraphLoader&&) noexcept;

  /// Number of samples that next() writes: this rank's share of a batch, times batches_per_launch.
  std::int64_t samples_per_launch() const;
  /// Number of batches in `epoch`, on which it depends only with carry_over.
  std::int64_t batches_per_epoch(std::int64_t epoch = 0) const;

  /// Enqueues the next batches on `stream`.
  ///
  /// images  samples_per_launch()*C*H*W elements of the spec's type and layout
  /// labels  as for Store::gather(); data == nullptr for none
  /// masks   as for Store::gather(); data == nullptr for none
  /// This loader and the tensors must live until the stream has completed this work. If the call is captured,
  /// they must live as long as the graph is launched. Throws InvalidArgument if a tensor does not match, like
  /// Store::gather().
  void next(const TensorView& images, const TensorView& labels, StreamRef stream = {}, const TensorView& masks = {});

  /// Moves to batch `step` of `epoch`. Waits for `stream`, which must be the stream that next() or the graph runs on.
  /// Must not be captured. Throws InvalidArgument if the batch does not exist.
  void seek(std::int64_t epoch, std::int64_t step, StreamRef stream = {});
  /// Returns the position of the next batch after all work enqueued on `stream`; waits for that work. `stream` must be
  /// the same stream as for seek(). Must not be captured.
  /// To resume, pass the state to Loader::restore() of a Loader with the same options, or call
  /// seek(state.epoch, state.step).
  LoaderState state(StreamRef stream = {}) const;
  /// As BatchMaker::place_of().
  LoaderPlace place_of(const LoaderState& state) const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace octavo
