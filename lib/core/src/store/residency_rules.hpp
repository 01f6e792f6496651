// The rules by which loading decides, for loading itself and for the plan that foretells it.
#pragma once

#include <cstdint>

namespace octavo::store {

/// With fewer than this part of the samples on the device, 1/20, two places are not worth it: all are streamed.
inline constexpr std::int64_t kLeastHybridShare = 20;
/// The fewest of N samples that `hybrid` keeps.
inline std::int64_t least_hybrid_count(std::int64_t sample_count) {
  return (sample_count + kLeastHybridShare - 1) / kLeastHybridShare;
}

/// Labels of more bytes are read with their sample and not kept in host memory.
inline constexpr std::int64_t kMostKeptLabelBytes = 64;

/// Batches that are made ahead: as asked for, up to 64; else 2, or none where all samples are in host memory already.
inline int prefetch_depth(int asked_for, bool is_host, bool is_resident) {
  constexpr int kUsual = 2, kMost = 64;
  if (asked_for < 0) return is_host && is_resident ? 0 : kUsual;
  return asked_for < kMost ? asked_for : kMost;
}

}  // namespace octavo::store
