// Centering a minibatch on its own mean: exact integer sums, then one fold that both backends share.
#pragma once

#include <cstdint>

#include "kernels/affine.hpp"
#include "kernels/host_device.hpp"
#include "kernels/packed_rows.hpp"
#include "kernels/row_selection.hpp"

namespace octavo::kernels {

/// Borrowed pointers, on the device that runs it.
struct BatchMeanArgs {
  PackedRows packed;                 ///< N rows; without labels
  std::int64_t channel_count;        ///< C
  std::int64_t values_per_channel;   ///< P
  RowSelection selection;            ///< which rows; a cursor is read and stays
  std::int64_t batch_count;          ///< B
  const Quantization* quantization;  ///< [C]
  const double* divisors;            ///< [C]
  std::int64_t* sums;                ///< [C] scratch: sums of code + 128
  Affine* maps;                      ///< [C], written: centered on the one mean of the batch, in source units
};

/// The map of channel `c` once `sums` are complete; `pooled` is pooled_sum() of them.
OCTAVO_HOST_DEVICE inline Affine batch_map(const BatchMeanArgs& args, double pooled, std::int64_t c) {
  const std::int64_t value_count = args.batch_count * args.channel_count * args.values_per_channel;
  return fold(args.quantization[c], pooled / static_cast<double>(value_count), args.divisors[c]);
}

}  // namespace octavo::kernels
