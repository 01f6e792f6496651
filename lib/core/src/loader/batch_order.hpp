// Which samples each batch of each epoch holds.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <octavo/loader.hpp>

#include "kernels/row_selection.hpp"

namespace octavo::loader {

/// Positions [first, first + count) of an epoch.
struct BatchPlaces {
  std::int64_t first;
  std::int64_t count;  ///< 0 for a rank that has no part in the batch
};

/// What the options of a loader say about the order, for N samples. Every function is pure.
class BatchOrder {
 public:
  /// The options must have been checked.
  BatchOrder(LoaderOptions options, std::int64_t sample_count);

  const LoaderOptions& options() const { return options_; }
  std::int64_t sample_count() const { return sample_count_; }
  /// The last batch may be short unless it is dropped.
  std::int64_t batches_per_epoch() const;
  /// The most samples that a batch has for this rank.
  std::int64_t largest_count() const;

  /// What this rank draws: places [floor(rB/R), floor((r+1)B/R)) of each batch; of a short one, those that exist.
  BatchPlaces places(std::int64_t step) const;
  /// The samples of a batch for a kernel to find by itself; nothing for orders that kernels do not know.
  std::optional<kernels::RowSelection> selection(std::int64_t epoch, std::int64_t step) const;
  /// The row numbers of its samples.
  std::vector<std::int64_t> rows(std::int64_t epoch, std::int64_t step) const;

  /// Of an order that visits one stretch of `window_samples` samples after the other: which stretch comes as number
  /// `ordinal`. Stretch w is samples [w * window_samples, (w + 1) * window_samples), the last one shorter.
  std::int64_t window_at(std::int64_t epoch, std::int64_t ordinal, std::int64_t window_samples) const;

 private:
  void append_window_rows(std::int64_t epoch, BatchPlaces places, std::vector<std::int64_t>& rows) const;

  LoaderOptions options_;
  std::int64_t sample_count_;
};

}  // namespace octavo::loader
