// The labels of a split, as numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <set>
#include <span>

#include <octavo/dataset.hpp>

namespace octavo::exporting {

/// Element `at` of stored labels: std::int32_t, or float for targets.
template <typename Number>
Number label_number(std::span<const std::byte> labels, std::size_t at) {
  Number number;
  std::memcpy(&number, labels.data() + at * sizeof number, sizeof number);
  return number;
}

/// The classes that occur in a split; {0} if it has no class labels.
std::set<std::int32_t> classes_in(const Split& split);

}  // namespace octavo::exporting
