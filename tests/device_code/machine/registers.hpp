// The registers of a warp: 64 bits for each lane, and which of them are undefined.
#pragma once

#include <algorithm>
#include <vector>

#include "checks/work_counts.hpp"
#include "ptx/instruction.hpp"

namespace device_code {

inline constexpr u32 kAllLanes = 0xFFFFFFFFu;

/// Calls `visit(lane)` for each lane in `lanes`.
template <typename Visit>
void for_each_lane(u32 lanes, const Visit& visit) {
  if (lanes == kAllLanes) {
    for (u32 lane = 0; lane < kWarpLanes; ++lane) visit(lane);
    return;
  }
  for (u32 rest = lanes; rest != 0; rest &= rest - 1) visit(static_cast<u32>(__builtin_ctz(rest)));
}

/// A register is a value for each lane, or a predicate: the functions that lanes of a warp call at the same time may
/// use one register in both ways.
class Registers {
 public:
  /// Makes at least `count` registers; the new ones are undefined.
  void grow(std::size_t count) {
    if (count <= values_.size()) return;
    values_.resize(count);
    predicates_.resize(count);
    undefined_.resize(count);
    unwritten_.resize(count, kAllLanes);
    partly_.resize(count, 0);
  }
  void forget_all() {
    std::fill(unwritten_.begin(), unwritten_.end(), kAllLanes);
    std::fill(partly_.begin(), partly_.end(), 0u);
  }
  /// Makes registers undefined, in some lanes.
  void forget(std::size_t first, std::size_t count, u32 lanes) {
    for (std::size_t reg = first; reg < first + count; ++reg) unwritten_[reg] |= lanes;
  }

  Lanes& values(std::size_t reg) { return values_[reg]; }
  const Lanes& values(std::size_t reg) const { return values_[reg]; }
  u32 predicate(std::size_t reg) const { return predicates_[reg]; }
  void set_predicate(std::size_t reg, u32 lanes, u32 value) {
    predicates_[reg] = (predicates_[reg] & ~lanes) | (value & lanes);
  }

  /// The lanes in which some bit is undefined.
  u32 undefined_lanes(std::size_t reg) const { return unwritten_[reg] | partly_[reg]; }
  u64 undefined_bits(std::size_t reg, u32 lane) const {
    if ((unwritten_[reg] >> lane & 1) != 0) return ~u64{0};
    return (partly_[reg] >> lane & 1) != 0 ? undefined_[reg][lane] : 0;
  }
  void define(std::size_t reg, u32 lanes) {
    unwritten_[reg] &= ~lanes;
    partly_[reg] &= ~lanes;
  }
  void set_undefined_bits(std::size_t reg, u32 lane, u64 bits) {
    unwritten_[reg] &= ~(1u << lane);
    undefined_[reg][lane] = bits;
    partly_[reg] = bits == 0 ? partly_[reg] & ~(1u << lane) : partly_[reg] | 1u << lane;
  }

 private:
  std::vector<Lanes> values_, undefined_;
  std::vector<u32> predicates_;  ///< a bit for each lane
  std::vector<u32> unwritten_;   ///< lanes in which no bit is defined
  std::vector<u32> partly_;      ///< lanes whose undefined bits are in undefined_
};

}  // namespace device_code
