// How much memory training on a split takes, as a function of residency and batch size.
#pragma once

#include <cstdint>
#include <octavo/plan.hpp>

namespace octavo::planning {

/// Bytes, all products checked.
struct MemoryModel {
  // Of the split and the batches.
  std::int64_t sample_count = 0;
  std::int64_t sample_values = 0;
  std::int64_t row_bytes = 0;    ///< of a packed sample on the device
  std::int64_t label_bytes = 0;  ///< of a sample
  std::int64_t value_bytes = 0;  ///< of a number of a batch
  int resident_prefetch = 0;     ///< batches ahead where all samples are resident
  int staged_prefetch = 0;       ///< where they are not
  // Of the model.
  std::int64_t parameters = 0, gradients = 0, optimizer_state = 0, half_copy = 0;
  std::int64_t activations = 0;  ///< for each sample of a batch

  std::int64_t model_bytes() const { return parameters + gradients + optimizer_state + half_copy; }
  /// Of a packed sample and its label.
  std::int64_t packed_bytes() const { return row_bytes + label_bytes; }
  /// Of a sample as it lies in a batch, with its label.
  std::int64_t batched_bytes() const { return sample_values * value_bytes + label_bytes; }
  /// Of a sample that waits to be expanded: packed, with its label and row number.
  std::int64_t staged_bytes() const { return packed_bytes() + 8; }
  /// For each sample of a batch: its places in batches, in the making and ahead, and activations.
  std::int64_t bytes_per_batch_sample(bool staged) const {
    return staged ? batched_bytes() + (1 + staged_prefetch) * staged_bytes() + activations
                  : (1 + resident_prefetch) * batched_bytes() + activations;
  }
};

/// The model for a split. Throws InvalidArgument for numbers that make no sense or are too large to be added up.
MemoryModel memory_model(const Split& split, const PlanOptions& options, bool is_host);

/// What a memory has room for.
struct Fit {
  bool fits = false;
  Residency residency = Residency::device;
  std::int64_t resident_count = 0;
};

/// The first of device, hybrid and streamed for which `room` bytes suffice at that batch size.
Fit fit(const MemoryModel& model, std::int64_t room, std::int64_t batch_size);

/// The largest batch, at most all samples, with `resident_bytes` of samples kept; 0 if not even one.
std::int64_t largest_batch(const MemoryModel& model, std::int64_t room, std::int64_t resident_bytes, bool staged);

}  // namespace octavo::planning
