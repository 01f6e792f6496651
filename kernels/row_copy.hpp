// Gathering rows that are float32 already: what a float32-resident data set costs, for comparison.
#pragma once

#include <cstdint>

#include "host_device.hpp"
#include "row_selection.hpp"

namespace octavo::kernels {

/// Borrowed pointers, on the device that runs it.
struct RowCopyArgs {
  const float* rows;            ///< [N,S]
  std::int64_t values_per_row;  ///< S
  RowSelection selection;       ///< which rows
  std::int64_t batch_count;     ///< B
  float* out;                   ///< [B,S]
  const std::uint32_t* labels;  ///< [N,label_words], or null
  std::int64_t label_words;     ///< K
  std::uint32_t* out_labels;    ///< [B,label_words], or null
  std::uint32_t* error_slot;    ///< set to 1 if a row is out of range (its place in the output is zeroed)
};

/// Value `index` of the output row that comes from `row`; zero for a row out of range.
OCTAVO_HOST_DEVICE inline float copied_value(const RowCopyArgs& args, std::int64_t row, std::int64_t index) {
  return row < 0 ? 0.0f : args.rows[row * args.values_per_row + index];
}

}  // namespace octavo::kernels
