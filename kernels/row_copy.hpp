// Gathering rows that are float32 already: what a float32-resident data set costs, for comparison.
#pragma once

#include <cstdint>

#include "kernels/host_device.hpp"
#include "kernels/row_selection.hpp"

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
};

}  // namespace octavo::kernels
