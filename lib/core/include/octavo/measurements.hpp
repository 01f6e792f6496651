// What is measured on a device: the memory that samples take, and the speed of a gather.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace octavo {

/// What one way of keeping the split costs.
struct ResidencyCost {
  std::string name;                            ///< "float32", "float16", "int8"
  std::int64_t computed_bytes = 0;             ///< values and labels
  std::optional<std::int64_t> measured_bytes;  ///< by which the device's free memory (CPU: the resident set) changed;
                                               ///< none if it would not fit half of the free memory
  std::int64_t batch_buffer_bytes = 0;         ///< of the batches on their way to the model; none are needed twice
};

/// A gather, measured against a copy in the same run.
struct GatherSpeed {
  std::int64_t batch_size = 0;
  std::int64_t moved_bytes = 0;        ///< read and written by one gather
  double median_seconds = 0.0;         ///< of one gather
  double spread = 0.0;                 ///< (third quartile - first quartile) / median
  double copy_bytes_per_second = 0.0;  ///< best copy of the same device in the same run, read + written
  bool fits_cache = false;             ///< samples and batch fit the last cache, so memory was hardly asked: the
                                       ///< fraction of the copy, which does not, then says little
  double fraction_of_copy() const { return static_cast<double>(moved_bytes) / median_seconds / copy_bytes_per_second; }
  double images_per_second() const { return static_cast<double>(batch_size) / median_seconds; }
};

}  // namespace octavo
