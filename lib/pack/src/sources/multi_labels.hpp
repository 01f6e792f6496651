// Multi-labels as class numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace octavo::sources {

/// The positions, ascending, of the labels that are not 0. `labels` is int32 [K] as bytes.
inline std::vector<std::int32_t> classes_of_multi_labels(std::span<const std::byte> labels) {
  std::vector<std::int32_t> classes;
  for (std::size_t at = 0; at + sizeof(std::int32_t) <= labels.size(); at += sizeof(std::int32_t)) {
    std::int32_t label;
    std::memcpy(&label, labels.data() + at, sizeof label);
    if (label != 0) classes.push_back(static_cast<std::int32_t>(at / sizeof label));
  }
  return classes;
}

}  // namespace octavo::sources
