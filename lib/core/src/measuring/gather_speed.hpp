// Times gathers and compares them with copies on the same device.
#pragma once

#include <memory>

#include <octavo/batch_spec.hpp>
#include <octavo/measurements.hpp>
#include <octavo/store.hpp>

namespace octavo::measuring {

/// Smaller splits are not timed: the result would show call overhead, not data movement.
inline constexpr std::int64_t kSmallestTimedBytes = std::int64_t{64} << 10;

/// The copies on the device that gathers are compared with.
class CopyReference;

/// Times gathers of one store.
class GatherTimer {
 public:
  explicit GatherTimer(const Store& store);
  ~GatherTimer();
  GatherTimer(const GatherTimer&) = delete;
  GatherTimer& operator=(const GatherTimer&) = delete;

  /// False for splits below kSmallestTimedBytes, or if there is not enough memory for the copies.
  bool can_measure() const { return reference_ != nullptr; }
  /// Times whole batches in a shuffled order, alternating with copies. Requires can_measure().
  GatherSpeed measure(const BatchSpec& spec, std::int64_t batch_size);

 private:
  const Store& store_;
  std::unique_ptr<CopyReference> reference_;
};

}  // namespace octavo::measuring
