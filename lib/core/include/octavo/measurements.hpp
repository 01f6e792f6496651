// Measurements on a device: the memory use of samples and the speed of a gather.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <octavo/batch_spec.hpp>
#include <octavo/dataset.hpp>
#include <octavo/device.hpp>
#include <octavo/store.hpp>

namespace octavo {

/// Memory use of a split stored in one data type.
struct ResidencyCost {
  std::string name;                            ///< "float32", "float16", "int8", or "lp8"
  std::int64_t computed_bytes = 0;             ///< values, masks and labels
  std::optional<std::int64_t> measured_bytes;  ///< change of the device's free memory (CPU: of the resident set); empty
                                               ///< if it would need more than half of the free memory
  std::int64_t batch_buffer_bytes = 0;         ///< batch buffers of a loader, including its prefetch
};

/// Measures decoded samples, in the order float32, float16. `store` holds the packed samples and is not counted.
std::vector<ResidencyCost> measure_decoded(const Store& store, std::int64_t batch_size);

/// Measures packed samples: loads `split` and releases it. `batch_buffer_bytes` is copied to the result. Throws like
/// Store::load().
ResidencyCost measure_packed(const Split& split, Device device, std::int64_t batch_buffer_bytes);

/// Speed of a gather, compared with a copy in the same run.
struct GatherSpeed {
  std::int64_t batch_size = 0;
  std::int64_t moved_bytes = 0;        ///< bytes that one gather reads and writes
  double median_seconds = 0.0;         ///< time of one gather
  double spread = 0.0;                 ///< (third quartile - first quartile) / median
  double copy_bytes_per_second = 0.0;  ///< read + written, by the fastest copy of a batch's bytes from memory of the
                                       ///< split's size, on the same device in the same run
  double fraction_of_copy = 0.0;       ///< speed of the gather relative to that copy: median over rounds
  double lowest_fraction = 0.0;        ///< first quartile over rounds
  double highest_fraction = 0.0;       ///< third quartile
  bool fits_cache = false;             ///< samples and batch fit in the last-level cache

  /// The largest interquartile range, relative to the median, of a steady result.
  static constexpr double kSteadySpread = 0.1;
  bool is_noisy() const { return highest_fraction - lowest_fraction >= kSteadySpread * fraction_of_copy; }
  double images_per_second() const { return static_cast<double>(batch_size) / median_seconds; }
};

/// "85 % of the speed of a memory copy", or "between 70 % and 123 % of the speed of a memory copy (noisy)".
std::string describe_fraction(const GatherSpeed& speed);

/// Smaller splits are not timed: the result would show call overhead, not data movement.
inline constexpr std::int64_t kSmallestTimedBytes = std::int64_t{64} << 10;

bool can_time_gathers(const Store& store);

/// Times whole batches in a shuffled order, alternating with copies of as many bytes from memory of the same size.
/// Requires can_time_gathers(). Throws OutOfMemory if the device has no room for the batch and the copies.
GatherSpeed time_gathers(const Store& store, const BatchSpec& spec, std::int64_t batch_size);

}  // namespace octavo
