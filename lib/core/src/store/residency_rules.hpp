// The rules for choosing a residency, shared by loading and planning.
#pragma once

#include <cstdint>

namespace octavo::store {

/// If less than this fraction of the samples (1/20) fits on the device, hybrid is not worthwhile and all are streamed.
inline constexpr std::int64_t kLeastHybridShare = 20;
/// The fewest of N samples that `hybrid` keeps.
inline std::int64_t least_hybrid_count(std::int64_t sample_count) {
  return (sample_count + kLeastHybridShare - 1) / kLeastHybridShare;
}

/// Returns the prefetch depth: the requested one, up to 64; by default 2, or 0 if all samples are in host memory.
inline int prefetch_depth(int asked_for, bool is_host, bool is_resident) {
  constexpr int kUsual = 2, kMost = 64;
  if (asked_for < 0) return is_host && is_resident ? 0 : kUsual;
  return asked_for < kMost ? asked_for : kMost;
}

}  // namespace octavo::store
