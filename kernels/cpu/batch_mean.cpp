#include "kernels/cpu/batch_mean.hpp"

#include <algorithm>

#include "kernels/cpu/floating_point_mode.hpp"
#include "kernels/cpu/row_codes.hpp"

namespace octavo::kernels::cpu {
namespace {

/// Sums `count` codes, in pieces whose 32-bit sums cannot overflow, so that the compiler can vectorize the loop.
std::int64_t sum_of_codes(const std::int8_t* codes, std::int64_t count) {
  constexpr std::int64_t kPiece = std::int64_t{1} << 20;
  std::int64_t sum = 0;
  for (std::int64_t start = 0; start < count; start += kPiece) {
    std::int32_t piece = 0;
    for (std::int64_t i = start; i < std::min(count, start + kPiece); ++i) piece += codes[i];
    sum += piece;
  }
  return sum;
}

}  // namespace

std::int64_t mean_scratch_bytes(const BatchMeanArgs& args) {
  ScratchParts parts(nullptr);
  RowCodes(args.packed, args.channel_count * args.values_per_channel, parts);
  return parts.bytes();
}

void add_batch_sums(const BatchMeanArgs& args, std::int64_t first, std::int64_t last, std::int64_t* sums,
                    std::byte* scratch) {
  ScratchParts parts(scratch);
  const RowCodes rows(args.packed, args.channel_count * args.values_per_channel, parts);
  for (std::int64_t b = first; b < last; ++b) {
    const std::int8_t* const codes = rows.of(row_at(args.selection, b));
    for (std::int64_t c = 0; c < args.channel_count; ++c) {
      sums[c] +=
          sum_of_codes(codes + c * args.values_per_channel, args.values_per_channel) + 128 * args.values_per_channel;
    }
  }
}

void fold_batch_maps(const BatchMeanArgs& args) {
  const DefaultFloatingPointMode mode;
  const double pooled =
      pooled_sum(args.sums, args.quantization, args.channel_count, args.batch_count * args.values_per_channel);
  for (std::int64_t c = 0; c < args.channel_count; ++c) args.maps[c] = batch_map(args, pooled, c);
}

}  // namespace octavo::kernels::cpu
