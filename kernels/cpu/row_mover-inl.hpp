// Moves the pixels of rows: flips and crops. A per-target part of the augmented gather (Highway), hence the special
// include guard.
#if defined(OCTAVO_KERNELS_CPU_ROW_MOVER_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef OCTAVO_KERNELS_CPU_ROW_MOVER_INL_HPP
#undef OCTAVO_KERNELS_CPU_ROW_MOVER_INL_HPP
#else
#define OCTAVO_KERNELS_CPU_ROW_MOVER_INL_HPP
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "kernels/augment/program.hpp"

HWY_BEFORE_NAMESPACE();
namespace octavo::kernels::cpu {
namespace HWY_NAMESPACE {
#if HWY_NATIVE_FMA

namespace hn = hwy::HWY_NAMESPACE;

/// Where the pixels of an axis come from: pixel i of the output is pixel start + step * i of the input, step is 1 or
/// -1.
struct AxisMap {
  std::int32_t start = 0, step = 1;

  bool is_identity() const { return start == 0 && step == 1; }
  std::int32_t at(std::int32_t out) const { return start + step * out; }
  /// The map of an output that begins at `first` of this output.
  AxisMap from(std::int32_t first) const { return {at(first), step}; }
  /// The map of this output, mirrored.
  AxisMap mirrored(std::int32_t count) const { return {at(count - 1), -step}; }
};

/// Bytes that one instruction permutes.
constexpr std::int32_t kVectorBytes = 16;
using ByteVector = hn::FixedTag<std::uint8_t, kVectorBytes>;

/// Moves the pixels of rows: along an axis of at least 16 pixels, 16 pixels of the output come from 16 neighbors in the
/// input, also at a border, in an order that is the same for all rows.
class RowMover {
 public:
  /// Prepares for rows of `count` pixels, of which `map` selects `out_count`.
  void prepare(AxisMap map, std::int32_t count, std::int32_t out_count, Border border) {
    map_ = map;
    count_ = count;
    out_count_ = out_count;
    border_ = border;
    // Positions are computed in 16 bits.
    const auto fits = [](std::int32_t at) { return at >= -kFarthest && at <= kFarthest; };
    has_groups_ = count >= kVectorBytes && count <= kFarthest && out_count >= kVectorBytes &&
                  out_count <= kMostGroups * kVectorBytes && fits(map.at(0)) && fits(map.at(out_count - 1));
    if (!has_groups_) return;
    group_count_ = (out_count + kVectorBytes - 1) / kVectorBytes;
    for (std::int32_t g = 0; g < group_count_; ++g)
      prepare_group(std::min(g * kVectorBytes, out_count - kVectorBytes), groups_[g]);
  }

  /// Makes `row_count` rows of the output, the first at `to`. Row i is row offsets[i] / count of `plane`, or the fill
  /// value if offsets[i] is negative.
  void move(const std::int8_t* plane, const std::int32_t* offsets, std::int32_t row_count, std::int8_t fill,
            std::int8_t* to) const {
    if (has_groups_) {
      if (border_ == Border::constant)
        move_groups<true>(plane, offsets, row_count, fill, to);
      else
        move_groups<false>(plane, offsets, row_count, fill, to);
      return;
    }
    for (std::int32_t i = 0; i < row_count; ++i, to += out_count_) {
      if (offsets[i] < 0)
        std::memset(to, fill, static_cast<std::size_t>(out_count_));
      else
        move_one_by_one(plane + offsets[i], fill, to);
    }
  }

 private:
  /// 16 pixels of the output.
  struct Group {
    alignas(kVectorBytes) std::uint8_t places[kVectorBytes];  ///< in the 16 pixels from `base` on; 0x80: none
    alignas(kVectorBytes) std::uint8_t filled[kVectorBytes];  ///< 0xFF for the fill value, else 0
    std::int32_t first;                                       ///< pixel of the output
    std::int32_t base;                                        ///< pixel of the input
  };
  static constexpr std::int32_t kMostGroups = 32;
  static constexpr std::int32_t kFarthest = 8192;

  /// All rows of one group after the other, so that its places stay in registers.
  template <bool kFills>
  void move_groups(const std::int8_t* plane, const std::int32_t* offsets, std::int32_t row_count, std::int8_t fill,
                   std::int8_t* to) const {
    const ByteVector bytes;
    const auto* const in = reinterpret_cast<const std::uint8_t*>(plane);
    const auto fill_bytes = hn::Set(bytes, static_cast<std::uint8_t>(fill));
    for (std::int32_t g = 0; g < group_count_; ++g) {
      const Group& group = groups_[g];
      const auto places = hn::Load(bytes, group.places);
      const auto filled = hn::And(hn::Load(bytes, group.filled), fill_bytes);
      const std::uint8_t* const from = in + group.base;
      auto* out = reinterpret_cast<std::uint8_t*>(to) + group.first;
      for (std::int32_t i = 0; i < row_count; ++i, out += out_count_) {
        if constexpr (kFills) {
          if (offsets[i] < 0) {
            hn::StoreU(fill_bytes, bytes, out);
            continue;
          }
          // A place with the upper bit set gives 0, instead of which the fill value is set.
          hn::StoreU(hn::Or(hn::TableLookupBytesOr0(hn::LoadU(bytes, from + offsets[i]), places), filled), bytes, out);
        } else {
          hn::StoreU(hn::TableLookupBytes(hn::LoadU(bytes, from + offsets[i]), places), bytes, out);
        }
      }
    }
  }

  void prepare_group(std::int32_t first, Group& group) const {
    const std::int32_t one = map_.at(first), other = map_.at(first + kVectorBytes - 1);
    const std::int32_t low = std::min(one, other), high = std::max(one, other);
    group.first = first;
    group.base = std::clamp(least_inside(low, high), 0, count_ - kVectorBytes);
    constexpr std::int32_t kHalf = kVectorBytes / 2;
    const hn::FixedTag<std::int16_t, kHalf> numbers;
    const hn::Rebind<std::uint8_t, decltype(numbers)> bytes;
    const auto zero = hn::Zero(numbers), last = hn::Set(numbers, static_cast<std::int16_t>(count_ - 1));
    const auto base = hn::Set(numbers, static_cast<std::int16_t>(group.base));
    const auto iota = hn::Iota(numbers, 0);
    for (std::int32_t half = 0; half < kVectorBytes; half += kHalf) {
      const auto start = hn::Set(numbers, static_cast<std::int16_t>(map_.at(first + half)));
      auto at = map_.step == 1 ? hn::Add(start, iota) : hn::Sub(start, iota);
      auto filled = zero;
      if (border_ == Border::reflect) {
        at = hn::Sub(last, hn::Abs(hn::Sub(last, hn::Abs(at))));
      } else {
        const auto nearest = hn::Min(hn::Max(at, zero), last);
        if (border_ == Border::constant) filled = hn::VecFromMask(numbers, hn::Ne(nearest, at));
        at = nearest;
      }
      const auto places = hn::Or(hn::And(filled, hn::Set(numbers, std::int16_t{0x80})), hn::Sub(at, base));
      hn::StoreU(hn::DemoteTo(bytes, hn::And(places, hn::Set(numbers, std::int16_t{0xFF}))), bytes,
                 group.places + half);
      hn::StoreU(hn::DemoteTo(bytes, hn::And(filled, hn::Set(numbers, std::int16_t{0xFF}))), bytes,
                 group.filled + half);
    }
  }
  /// The first pixel of the input that a group shows, if its pixels lie at `low` to `high`.
  std::int32_t least_inside(std::int32_t low, std::int32_t high) const {
    if (border_ != Border::reflect) return low;
    const std::int32_t mirrored = 2 * (count_ - 1) - high;
    if (low < 0) return high < 0 ? -high : 0;
    return std::min(low, mirrored);
  }
  void move_one_by_one(const std::int8_t* from, std::int8_t fill, std::int8_t* to) const {
    for (std::int32_t x = 0; x < out_count_; ++x) {
      const std::int32_t at = inside(border_, map_.at(x), count_);
      to[x] = at < 0 ? fill : from[at];
    }
  }

  AxisMap map_;
  std::int32_t count_ = 0, out_count_ = 0, group_count_ = 0;
  Border border_ = Border::constant;
  bool has_groups_ = false;
  Group groups_[kMostGroups];
};

#endif  // HWY_NATIVE_FMA
}  // namespace HWY_NAMESPACE
}  // namespace octavo::kernels::cpu
HWY_AFTER_NAMESPACE();

#endif
