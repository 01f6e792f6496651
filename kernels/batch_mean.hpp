// Centers a batch on its own mean: exact integer sums, then one fold that both backends share.
#pragma once

#include <cstdint>

#include "kernels/affine.hpp"
#include "kernels/block_memory.hpp"
#include "kernels/host_device.hpp"
#include "kernels/packed_rows.hpp"
#include "kernels/row_selection.hpp"

namespace octavo::kernels {

/// Borrowed pointers, in memory of the device that runs the kernel.
struct BatchMeanArgs {
  PackedRows packed;                 ///< N rows; without labels
  std::int64_t channel_count;        ///< C
  std::int64_t values_per_channel;   ///< P
  RowSelection selection;            ///< which rows; a cursor is read but not advanced
  std::int64_t batch_count;          ///< B
  const Quantization* quantization;  ///< [C]
  const double* divisors;            ///< [C]
  std::int64_t* sums;                ///< [C] scratch: sums of code + 128
  Affine* maps;                      ///< [C], output: centered on the single mean of the batch, in source units
  BlockMemory block_memory = {};     ///< on a CUDA device, for rows that are decoded
};

/// The map of channel `c`, given complete `sums`; `pooled` is their pooled_sum().
OCTAVO_HOST_DEVICE inline Affine batch_map(const BatchMeanArgs& args, double pooled, std::int64_t c) {
  const std::int64_t value_count = args.batch_count * args.channel_count * args.values_per_channel;
  return fold(args.quantization[c], pooled / static_cast<double>(value_count), args.divisors[c]);
}

}  // namespace octavo::kernels
