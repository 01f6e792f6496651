// Decoding a run of codes to values, one at a time: the definition that the SIMD paths reproduce bit for bit.
#pragma once

#include <cstdint>

#include "kernels/gather.hpp"

namespace octavo::kernels::cpu {

/// Consecutive codes and how each is mapped.
struct Run {
  const std::int8_t* codes;  ///< [count]
  std::int64_t count;
  Affine map;                   ///< of all values, as far as the next two do not say otherwise
  const float* scales;          ///< [count], in place of map.scale; or null
  const float* shifts;          ///< [count], in place of map.shift; or null, as it must not be with `scales`
  const std::int8_t* prefetch;  ///< [count] that will be wanted soon, never read otherwise; or null
};

/// The part [first, first + count) of a run.
inline Run part(const Run& run, std::int64_t first, std::int64_t count) {
  const auto from = [&](const auto* pointer) { return pointer == nullptr ? nullptr : pointer + first; };
  return {run.codes + first, count, run.map, from(run.scales), from(run.shifts), from(run.prefetch)};
}

/// Decodes a whole run.
template <typename Value>
inline void decode_run_scalar(const Run& run, Value* out) {
  for (std::int64_t i = 0; i < run.count; ++i) {
    const Affine map{run.scales == nullptr ? run.map.scale : run.scales[i],
                     run.shifts == nullptr ? run.map.shift : run.shifts[i]};
    out[i] = round_to<Value>(decode(run.codes[i], map));
  }
}

/// Whether the output of a sample has the order of its codes.
inline bool keeps_order(const GatherArgs& args) { return args.layout == Layout::nchw || args.channel_count == 1; }

/// Whether a sample is decoded as one run of C*P values rather than one run a channel.
inline bool is_one_run(const GatherArgs& args) { return args.uniform_map && keeps_order(args); }

}  // namespace octavo::kernels::cpu
