// Random access to batches: writes any batch of any epoch into the caller's tensors.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <octavo/loader.hpp>
#include <octavo/replay.hpp>
#include <octavo/store.hpp>
#include <octavo/tensor.hpp>

namespace octavo {

/// What a rank has of a batch.
struct RankShare {
  std::int64_t own;      ///< samples that only this rank has
  std::int64_t repeats;  ///< samples after them that repeat others of the batch; see LoaderOptions::equal_shares
  std::int64_t batch;    ///< samples of all ranks, without repeats

  /// The factor for this rank's mean loss over its own samples with which the average over `world_size` ranks is the
  /// mean over the whole batch, and so are the gradients.
  double loss_scale(std::int64_t world_size) const {
    return static_cast<double>(own) * static_cast<double>(world_size) / static_cast<double>(batch);
  }
};

/// Makes the batches that a Loader with the same options serves, in any order and any number of times, in memory that
/// the caller allocates. Meant for frameworks that have their own allocator. Keeps no position. If samples are read
/// from the file, the `prefetch` batches after the last one are read ahead; otherwise `prefetch` has no effect.
/// Thread-safe.
class BatchMaker {
 public:
  /// Throws InvalidArgument in the same cases as Loader.
  BatchMaker(const Store& store, LoaderOptions options);

  const LoaderOptions& options() const;
  /// Number of batches in `epoch`, on which it depends only with carry_over. The same on every rank.
  std::int64_t batches_per_epoch(std::int64_t epoch = 0) const;
  /// B: number of this rank's samples in batch `step` of `epoch`. Throws InvalidArgument if the batch does not exist.
  std::int64_t batch_count(std::int64_t epoch, std::int64_t step) const;
  /// The largest B of any batch.
  std::int64_t largest_batch_count() const;
  /// The B sample indices of this batch. Throws InvalidArgument if the batch does not exist.
  std::vector<std::int64_t> indices(std::int64_t epoch, std::int64_t step) const;
  /// This rank's part of the batch. Throws InvalidArgument if the batch does not exist.
  RankShare share(std::int64_t epoch, std::int64_t step) const;
  /// The state of a Loader with the same options whose next batch is this one. The batch may be the one after the last
  /// of its epoch: of that epoch, nothing is left.
  LoaderState state(std::int64_t epoch, std::int64_t step) const;
  /// The state of a Loader with the same options whose next batch begins at this place; nothing if no batch begins
  /// there.
  std::optional<LoaderState> state_at(const LoaderPlace& place) const;
  /// The place of a state of a Loader. Throws InvalidArgument, as Loader::restore() does, if the state is from a loader
  /// with other samples or another order. Batches of this object need not begin there: see state_at().
  LoaderPlace place_of(const LoaderState& state) const;
  /// Bytes on the device in addition to the store's.
  std::int64_t device_bytes() const;

  /// Makes batch `step` of `epoch`.
  ///
  /// images  B*C*H*W elements of the spec's type and layout
  /// labels  as for Store::gather(); data == nullptr for none
  /// masks   as for Store::gather(); data == nullptr for none
  /// Ordered on `stream`; may return before the work is done. The tensors and this object must live until the stream
  /// has completed it. Throws InvalidArgument, and writes nothing, if the batch does not exist or a tensor does not
  /// match. Throws IoError or FormatError if reading samples from the file fails.
  void make(std::int64_t epoch, std::int64_t step, const TensorView& images, const TensorView& labels = {},
            StreamRef stream = {}, const TensorView& masks = {}) const;

  /// This rank's samples of batch `step` of `epoch`, and what their images draw. Throws InvalidArgument if the batch
  /// does not exist.
  std::vector<DrawnSample> drawn(std::int64_t epoch, std::int64_t step) const;
  /// A digest of 16 hex digits (docs/numerics.md, "Replay") of the samples of `epoch`, their order, and everything that
  /// their images draw; `with_pixels`: also of the values of all batches, which this makes. The same on every machine
  /// and rank. Throws InvalidArgument if the epoch is negative; with pixels, what make() throws.
  std::string fingerprint(std::int64_t epoch, bool with_pixels = false) const;

 private:
  class Implementation;
  std::shared_ptr<const Implementation> implementation_;
};

}  // namespace octavo
