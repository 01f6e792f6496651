// Packed samples in the caller's host memory.
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

/// Samples owned by the caller. With HostMemory::borrow, the spans must outlive the store and everything made from it.
struct HostSamples {
  SampleShape shape;
  LabelLayout labels = {};
  std::span<const std::int8_t> codes;      ///< int8 [N,C,H,W]: u8 - 128; N >= 1
  std::span<const std::byte> label_bytes;  ///< N * labels.bytes_per_sample() bytes, laid out as in a dataset file
  std::vector<std::string> class_names = {};
  std::optional<Statistics> statistics = {};  ///< used to center batches; if empty, computed from these samples as
                                              ///< uint8 values
  std::shared_ptr<const void> owner =
      {};  ///< keeps the memory alive while it is borrowed; null if the caller does that
};

/// How a store uses the caller's memory.
enum class HostMemory {
  copy,    ///< read it when the store is made; it is not needed afterwards
  borrow,  ///< read samples that are not resident from it in place; on the CPU, all samples
};

}  // namespace octavo
