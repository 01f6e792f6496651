// Determines which samples each batch of each epoch holds.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <octavo/loader.hpp>

#include "kernels/row_selection.hpp"
#include "kernels/sample_selection.hpp"
#include "loader/epoch_division.hpp"
#include "loader/sampler.hpp"
#include "store/staging/batch_rows.hpp"

namespace octavo::loader {

/// Positions [first, first + count) of an epoch. Negative positions are the last ones of the epoch before.
struct BatchPositions {
  std::int64_t first;
  std::int64_t count;
};

/// This rank's part of a batch.
struct BatchPart {
  BatchPositions own;
  /// Samples after them that repeat others of the batch; none without LoaderOptions::equal_shares.
  std::int64_t repeats;

  std::int64_t count() const { return own.count + repeats; }
};

/// The order that a loader's options define for N samples of a split. Cheap to copy.
class BatchOrder {
 public:
  /// The options must have been checked. Throws InvalidArgument if their sampling is invalid.
  BatchOrder(LoaderOptions options, std::int64_t sample_count);

  const LoaderOptions& options() const { return *options_; }
  /// Corrects the number of batches that are prefetched.
  void set_prefetch(int depth) { options_->prefetch = depth; }
  /// Samples of an epoch.
  std::int64_t sample_count() const { return sample_count_; }
  /// How kernels divide an epoch into batches. Ignores LoaderOptions::origin.
  kernels::EpochBatches batches() const;
  EpochDivision division() const { return {batches(), options_->origin}; }
  /// Includes a short last batch unless it is dropped. Depends on the epoch only if batches carry over.
  std::int64_t batches_per_epoch(std::int64_t epoch) const { return division().count(epoch); }
  /// The largest number of samples in this rank's part of a batch.
  std::int64_t largest_count() const;

  /// The batch of all ranks.
  BatchPositions whole(std::int64_t epoch, std::int64_t step) const;
  /// This rank's part: positions [floor(rb/R), floor((r+1)b/R)) of a batch of b samples; with equal shares,
  /// ceil(b/R) positions from r ceil(b/R) on, which begin again after the last one.
  BatchPart part(std::int64_t epoch, std::int64_t step) const { return part(epoch, step, options_->rank); }
  /// The batch that begins at this place. After the last batch of an epoch, this is the number that its next batch
  /// would have. Nothing if no batch begins there. With carry_over, a batch belongs to the epoch in which it ends.
  std::optional<kernels::BatchNumber> batch_at(LoaderPlace place) const;
  /// The selection from which a kernel computes the samples of a batch; nothing for orders that kernels do not support.
  std::optional<kernels::RowSelection> selection(std::int64_t epoch, std::int64_t step) const {
    return selection(epoch, step, part(epoch, step));
  }
  /// The state of a loader whose next batch is this one, without the fields that identify samples and values.
  LoaderState state(std::int64_t epoch, std::int64_t step) const;
  /// The row numbers of the batch's samples.
  std::vector<std::int64_t> indices(std::int64_t epoch, std::int64_t step) const { return rows(epoch, step).rows; }
  /// The same, and the indices and epochs for their random numbers.
  store::BatchRows rows(std::int64_t epoch, std::int64_t step) const { return rows(epoch, step, options_->rank); }
  /// The same for the part of another rank.
  store::BatchRows rows(std::int64_t epoch, std::int64_t step, std::int64_t rank) const;

  /// For orders that visit windows of `window_samples` samples one after another: the window at position `number`.
  /// Window w holds samples [w * window_samples, (w + 1) * window_samples); the last one may be shorter.
  std::int64_t window_at(std::int64_t epoch, std::int64_t number, std::int64_t window_samples) const;

 private:
  BatchPart part(std::int64_t epoch, std::int64_t step, std::int64_t rank) const;
  std::optional<kernels::RowSelection> selection(std::int64_t epoch, std::int64_t step, const BatchPart& part) const;
  /// Appends the samples at positions of an epoch. Negative ones are the last of the epoch before.
  void append(std::int64_t epoch, BatchPositions positions, store::BatchRows& batch) const;
  /// The same, none of them negative, without their epochs.
  void append_of_epoch(std::int64_t epoch, BatchPositions positions, store::BatchRows& batch) const;
  void append_window_rows(std::int64_t epoch, BatchPositions positions, std::vector<std::int64_t>& rows) const;

  std::shared_ptr<LoaderOptions> options_;  ///< of all copies
  std::shared_ptr<const Sampler> sampler_;  ///< null if an epoch shows every sample once
  std::int64_t sample_count_;
};

}  // namespace octavo::loader
