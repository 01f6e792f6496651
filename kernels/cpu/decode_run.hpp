// Decoding a run of codes to values, one at a time: the definition that the SIMD paths reproduce bit for bit.
#pragma once

#include <cstdint>

#include "../gather.hpp"

namespace octavo::kernels::cpu {

/// A run of codes that share one map, or have one shift each.
template <typename Value>
struct Run {
  const std::int8_t* codes;  ///< [count]
  Value* out;                ///< [count]
  std::int64_t count;
  Affine map;
  const float* shifts;          ///< [count], in place of map.shift; or null
  const std::int8_t* prefetch;  ///< [count] that will be wanted soon; or null
};

/// Values [first, last) of a run.
template <typename Value>
inline void decode_run_scalar(const Run<Value>& run, std::int64_t first, std::int64_t last) {
  for (std::int64_t i = first; i < last; ++i) {
    const Affine map{run.map.scale, run.shifts == nullptr ? run.map.shift : run.shifts[i]};
    run.out[i] = round_to<Value>(decode(run.codes[i], map));
  }
}

/// Whether a sample is decoded as one run of C*P values rather than one run a channel.
inline bool is_one_run(const GatherArgs& args) {
  return args.uniform_map && (args.layout == Layout::nchw || args.channel_count == 1);
}

/// Whether the output of a sample has the order of its codes.
inline bool keeps_order(const GatherArgs& args) { return args.layout == Layout::nchw || args.channel_count == 1; }

}  // namespace octavo::kernels::cpu
