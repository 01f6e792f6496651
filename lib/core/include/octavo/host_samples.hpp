// Packed samples that are in host memory already.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <octavo/sample.hpp>
#include <octavo/statistics.hpp>

namespace octavo {

/// Samples of the caller's. If they are borrowed, the spans must live as long as the store and everything made from it.
struct HostSamples {
  SampleShape shape;
  LabelLayout labels = {};
  std::span<const std::int8_t> codes;      ///< int8 [N,C,H,W]: u8 - 128; N >= 1
  std::span<const std::byte> label_bytes;  ///< N * labels.bytes_per_sample(), as a file has them
  std::vector<std::string> class_names = {};
  std::optional<Statistics> statistics = {};  ///< what batches are centered by; none: that of these samples, of uint8
                                              ///< values
  std::shared_ptr<const void> owner =
      {};  ///< of the memory, kept as long as it is borrowed; null if the caller keeps it
};

/// What becomes of the caller's memory.
enum class HostMemory {
  copy,    ///< it is read when the store is made, and not needed afterwards
  borrow,  ///< samples that a device does not hold are read from it in place; on the CPU, all are
};

}  // namespace octavo
