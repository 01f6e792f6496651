// Gathers float32 rows, to compare with a dataset that is resident as float32.
#pragma once

#include <cstdint>

#include "kernels/host_device.hpp"
#include "kernels/row_selection.hpp"

namespace octavo::kernels {

/// Borrowed pointers, in memory of the device that runs the kernel.
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
