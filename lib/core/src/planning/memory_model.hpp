// The memory use of training on a split, as a function of residency and batch size.
#pragma once

#include <cstdint>
#include <octavo/plan.hpp>

namespace octavo::planning {

/// Sizes in bytes. All products are checked for overflow.
struct MemoryModel {
  // The split and its batches.
  std::int64_t sample_count = 0;
  std::int64_t sample_values = 0;
  std::int64_t plain_bytes = 0;   ///< per sample as int8, with its mask
  std::int64_t stored_bytes = 0;  ///< the same as it is on the device: less, if samples stay compressed
  std::int64_t mask_bytes = 0;    ///< per sample
  std::int64_t label_bytes = 0;   ///< per sample
  std::int64_t value_bytes = 0;   ///< per element of a batch
  int resident_prefetch = 0;      ///< prefetch depth if all samples are resident
  int staged_prefetch = 0;        ///< prefetch depth if they are not
  // The model.
  std::int64_t parameters = 0, gradients = 0, optimizer_state = 0, half_copy = 0;
  std::int64_t activations = 0;  ///< per sample of a batch

  std::int64_t model_bytes() const { return parameters + gradients + optimizer_state + half_copy; }
  /// Per packed sample, with its label.
  std::int64_t packed_bytes() const { return stored_bytes + label_bytes; }
  /// Per sample in a batch, with its mask and its label.
  std::int64_t batched_bytes() const { return sample_values * value_bytes + mask_bytes + label_bytes; }
  /// Per staged sample: packed, with its label, row number, index and epoch.
  std::int64_t staged_bytes() const { return packed_bytes() + 24; }
  /// Per sample of a batch: its share of the current and prefetched batches, and activations.
  std::int64_t bytes_per_batch_sample(bool staged) const {
    return staged ? batched_bytes() + (1 + staged_prefetch) * staged_bytes() + activations
                  : (1 + resident_prefetch) * batched_bytes() + activations;
  }
  /// The same if ranks exchange samples: those that a rank sends are as many as it receives, with room to spare.
  std::int64_t bytes_per_exchanged_sample() const { return bytes_per_batch_sample(true) + packed_bytes() * 5 / 4; }
};

/// Builds the model for a split. Throws InvalidArgument for numbers that are invalid or would overflow.
MemoryModel memory_model(const Split& split, const PlanOptions& options, bool is_host);

/// The largest of `world_size` parts of `count`.
inline std::int64_t share_of(std::int64_t count, std::int64_t world_size) {
  return (count + world_size - 1) / world_size;
}

/// What fits in a memory.
struct MemoryFit {
  bool fits = false;
  Residency residency = Residency::device;
  std::int64_t resident_count = 0;
};

/// Returns the first of device, hybrid and streamed that fits in `room` bytes with this batch size.
MemoryFit fit(const MemoryModel& model, std::int64_t room, std::int64_t batch_size);

/// The same for one of `world_size` devices that share each batch; the first of device, sharded, hybrid and streamed.
MemoryFit fit_on_each(const MemoryModel& model, std::int64_t room, std::int64_t batch_size, std::int64_t world_size);

/// Returns the largest batch (at most all samples) that fits next to `resident_bytes` of samples; 0 if none does.
std::int64_t largest_batch(const MemoryModel& model, std::int64_t room, std::int64_t resident_bytes, bool staged);

}  // namespace octavo::planning
