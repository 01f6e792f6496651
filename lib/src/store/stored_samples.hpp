// The packed samples of a split in the memory of a device, and what describes them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <octavo/sample.hpp>
#include <octavo/statistics.hpp>
#include <octavo/store.hpp>

#include "backend/backend.hpp"

namespace octavo::store {

/// Immutable once loaded.
class ResidentSamples {
 public:
  std::shared_ptr<backend::Backend> backend;
  std::string split_name;
  std::int64_t sample_count = 0;
  SampleShape shape;
  LabelLayout labels;
  std::vector<std::string> class_names;
  Statistics statistics;
  std::string statistics_split;
  std::int64_t row_stride_bytes = 0;  ///< at least shape.values()
  backend::DeviceBuffer codes;        ///< N rows
  backend::DeviceBuffer label_words;  ///< [N,K] words
  backend::DeviceBuffer error_slot;   ///< one word, for the kernels

  std::int64_t device_bytes() const {
    return static_cast<std::int64_t>(codes.bytes() + label_words.bytes() + error_slot.bytes());
  }
};

/// Bytes from one row to the next: rows are padded to 16 bytes on a GPU where that costs less than 2 %, so that its
/// loads are aligned; never on the CPU.
std::int64_t row_stride_bytes(std::int64_t values_per_sample, bool is_host);

/// Reads the samples and labels of `split` into `samples` (shape, backend and buffers are set), checking them.
void read_samples(const Split& split, const LoadOptions& options, const ResidentSamples& samples);

}  // namespace octavo::store
