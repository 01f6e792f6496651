// How an epoch is divided into batches if one of them begins at a given place, as after resuming with another batch
// size. Kernels divide regularly (kernels/epoch_batches.hpp): this needs registers that they lack.
#pragma once

#include <algorithm>
#include <cstdint>

#include <octavo/loader.hpp>

#include "kernels/epoch_batches.hpp"

namespace octavo::loader {

class EpochDivision {
 public:
  EpochDivision(const kernels::EpochBatches& regular, const LoaderPlace& origin)
      : regular_(regular), origin_epoch_(origin.epoch) {
    const std::int64_t B = regular.batch_size;
    phase_ = (origin.samples % B + B) % B;  // samples may be negative
    if (carries()) phase_ = (regular.carried_into(origin.epoch) + phase_) % B;
  }

  /// Whether batches of `epoch` do not begin where those of a loader without an origin do.
  bool is_shifted(std::int64_t epoch) const { return phase_ > 0 && (carries() || epoch == origin_epoch_); }
  /// How far the first batch of `epoch` extends before it: if batches carry over, into the epoch before; otherwise into
  /// positions that do not exist.
  std::int64_t lead(std::int64_t epoch) const {
    if (carries()) return (regular_.carried_into(epoch) + regular_.batch_size - phase_) % regular_.batch_size;
    return is_shifted(epoch) ? regular_.batch_size - phase_ : 0;
  }
  /// Batches of `epoch`; if batches carry over, those that end in it.
  std::int64_t count(std::int64_t epoch) const {
    const std::int64_t positions = lead(epoch) + regular_.position_count;
    const bool keeps_short = regular_.last == kernels::LastBatch::keep;
    return (keeps_short ? positions + regular_.batch_size - 1 : positions) / regular_.batch_size;
  }
  /// The positions of a batch are [first, end). Negative positions are the last ones of the epoch before.
  std::int64_t first(std::int64_t epoch, std::int64_t step) const {
    const std::int64_t position = step * regular_.batch_size - lead(epoch);
    return carries() && epoch > 0 ? position : std::max<std::int64_t>(0, position);
  }
  std::int64_t end(std::int64_t epoch, std::int64_t step) const {
    return std::min(regular_.position_count, (step + 1) * regular_.batch_size - lead(epoch));
  }

 private:
  bool carries() const { return regular_.last == kernels::LastBatch::carry; }

  kernels::EpochBatches regular_;
  std::int64_t origin_epoch_;
  std::int64_t phase_;  ///< in [0, B): a batch begins at this position of the origin's epoch; if carried, of epoch 0
};

}  // namespace octavo::loader
