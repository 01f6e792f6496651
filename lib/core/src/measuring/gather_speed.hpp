// Timing gathers against copies of the same device.
#pragma once

#include <memory>

#include <octavo/batch_spec.hpp>
#include <octavo/measurements.hpp>
#include <octavo/store.hpp>

namespace octavo::measuring {

/// A smaller split cannot be timed: it would be of calls rather than of data.
inline constexpr std::int64_t kSmallestTimedBytes = std::int64_t{64} << 10;

/// Copies of a device that gathers take turns with.
class CopyReference;

/// Times gathers of one store.
class GatherTimer {
 public:
  explicit GatherTimer(const Store& store);
  ~GatherTimer();
  GatherTimer(const GatherTimer&) = delete;
  GatherTimer& operator=(const GatherTimer&) = delete;

  /// False for splits below kSmallestTimedBytes, or if there is no memory for the copies.
  bool can_measure() const { return reference_ != nullptr; }
  /// Whole batches in a shuffled order, by turns with copies. Only if can_measure().
  GatherSpeed measure(const BatchSpec& spec, std::int64_t batch_size);

 private:
  const Store& store_;
  std::unique_ptr<CopyReference> reference_;
};

}  // namespace octavo::measuring
