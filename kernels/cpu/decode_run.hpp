// Decodes a run of codes one at a time. This is the definition that the SIMD paths reproduce bit for bit.
#pragma once

#include <cstdint>

#include "kernels/gather.hpp"

namespace octavo::kernels::cpu {

/// Consecutive codes and their maps.
struct Run {
  const std::int8_t* codes;  ///< [count]
  std::int64_t count;
  Affine map;                   ///< map of all values, unless replaced by the next two
  const float* scales;          ///< [count], replaces map.scale; or null
  const float* shifts;          ///< [count], replaces map.shift; or null. Required with `scales`
  const std::int8_t* prefetch;  ///< [count] codes that are needed soon; only prefetched, never read; or null
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

/// Whether a sample is decoded as one run of C*P values instead of one run per channel.
inline bool is_one_run(const GatherArgs& args) { return args.uniform_map && keeps_order(args); }

}  // namespace octavo::kernels::cpu
