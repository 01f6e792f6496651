// Moves the pixels of rows: flips and crops, and decodes them on the way. A per-target part of the augmented gather
// (Highway), hence the special include guard.
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
#include <type_traits>
#include <utility>

#include "kernels/augment/program.hpp"
#include "kernels/cpu/decode_run-inl.hpp"

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

/// The maps of the values of a row.
struct RowMaps {
  Affine map;           ///< of all values, unless replaced by the next two
  const float* scales;  ///< [out_count], or null
  const float* shifts;  ///< [out_count], or null with `scales`
};

/// Moves the pixels of rows: along an axis of at least 16 pixels, 16 pixels of the output come from 16 neighbors in the
/// input, also at a border, in an order that is the same for all rows.
class RowMover {
 public:
  /// Prepares for rows of `count` pixels; `map` selects `out_count` of them.
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

  /// Whether decode() can make values of this type.
  template <typename Value>
  bool can_decode() const {
    return has_groups_ && out_count_ % (kGroupsPerStep<Value> * kVectorBytes) == 0;
  }
  /// Decodes the rows that move() makes, without storing their codes. Prefetches codes `ahead` bytes after each row; 0:
  /// none. With kStream, stores bypass the cache, and `to` must be aligned to a vector.
  template <bool kStream, typename Value>
  void decode(const std::int8_t* plane, const std::int32_t* offsets, std::int32_t row_count, std::int8_t fill,
              const RowMaps& maps, std::int64_t ahead, Value* to) const {
    const auto decode_as = [&](auto fills, auto has_own_maps) {
      decode_rows<kStream, fills.value, has_own_maps.value>(plane, offsets, row_count, fill, maps, ahead, to);
    };
    const auto with_fill = [&](auto has_own_maps) {
      if (border_ == Border::constant)
        decode_as(std::true_type{}, has_own_maps);
      else
        decode_as(std::false_type{}, has_own_maps);
    };
    if (maps.scales != nullptr)
      with_fill(std::true_type{});
    else
      with_fill(std::false_type{});
  }

 private:
  /// Float vectors of a group, and groups of a vector of output.
  static constexpr std::int32_t kLanes = static_cast<std::int32_t>(hn::MaxLanes(Floats()));
  static constexpr std::int32_t kParts = kVectorBytes / kLanes;
  template <typename Value>
  static constexpr std::int32_t kGroupsPerStep = std::max<std::int32_t>(1, kStep<Value> / kVectorBytes);

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
          // The lookup gives 0 if the upper bit of a place is set. `filled` has the fill value there.
          hn::StoreU(hn::Or(hn::TableLookupBytesOr0(hn::LoadU(bytes, from + offsets[i]), places), filled), bytes, out);
        } else {
          hn::StoreU(hn::TableLookupBytes(hn::LoadU(bytes, from + offsets[i]), places), bytes, out);
        }
      }
    }
  }

  template <bool kStream, bool kFills, bool kHasOwnMaps, typename Value>
  void decode_rows(const std::int8_t* plane, const std::int32_t* offsets, std::int32_t row_count, std::int8_t fill,
                   const RowMaps& maps, std::int64_t ahead, Value* to) const {
    const MapVectors map{hn::Set(Floats(), maps.map.scale), hn::Set(Floats(), maps.map.shift)};
    const auto fill_bytes = hn::Set(ByteVector(), static_cast<std::uint8_t>(fill));
    for (std::int32_t i = 0; i < row_count; ++i, to += out_count_) {
      const bool is_filled = kFills && offsets[i] < 0;
      const auto* const from = reinterpret_cast<const std::uint8_t*>(plane) + (is_filled ? 0 : offsets[i]);
      if (ahead != 0) prefetch_row(from, ahead);
      for (std::int32_t g = 0; g < group_count_; g += kGroupsPerStep<Value>) {
        FloatVector values[kGroupsPerStep<Value> * kParts];
        for (std::int32_t k = 0; k < kGroupsPerStep<Value>; ++k) {
          const auto codes = is_filled ? fill_bytes : moved<kFills>(groups_[g + k], from, fill_bytes);
          decode_parts<kHasOwnMaps>(codes, map, maps, (g + k) * kVectorBytes, values + k * kParts,
                                    std::make_integer_sequence<std::int32_t, kParts>());
        }
        store_values<kStream>(values, to + g * kVectorBytes);
      }
    }
  }
  void prefetch_row(const std::uint8_t* row, std::int64_t ahead) const {
    // As a number, because the address may be beyond the end of the samples.
    const std::uintptr_t first = reinterpret_cast<std::uintptr_t>(row) + static_cast<std::uintptr_t>(ahead);
    for (std::int32_t x = 0; x < count_; x += 64) {
      prefetch(reinterpret_cast<const std::int8_t*>(first + static_cast<std::uintptr_t>(x)));
    }
  }
  /// The codes of a group in a row. The lookup gives 0 if the upper bit of a place is set; the fill value replaces it.
  template <bool kFills>
  static hn::Vec<ByteVector> moved(const Group& group, const std::uint8_t* row, hn::Vec<ByteVector> fill_bytes) {
    const ByteVector bytes;
    const auto codes = hn::LoadU(bytes, row + group.base), places = hn::Load(bytes, group.places);
    if constexpr (!kFills) return hn::TableLookupBytes(codes, places);
    return hn::Or(hn::TableLookupBytesOr0(codes, places), hn::And(hn::Load(bytes, group.filled), fill_bytes));
  }
  template <bool kHasOwnMaps, std::int32_t... kPart>
  static void decode_parts(hn::Vec<ByteVector> codes, MapVectors map, const RowMaps& maps, std::int32_t first,
                           FloatVector* values, std::integer_sequence<std::int32_t, kPart...>) {
    ((values[kPart] = decode_part<kHasOwnMaps, kPart>(codes, map, maps, first + kPart * kLanes)), ...);
  }
  template <bool kHasOwnMaps, std::int32_t kPart>
  static FloatVector decode_part(hn::Vec<ByteVector> codes, MapVectors map, const RowMaps& maps, std::int32_t at) {
    const Floats floats;
    const hn::Rebind<std::int8_t, Floats> bytes;
    const hn::Rebind<std::int32_t, Floats> words;
    if constexpr (kPart > 0) codes = hn::ShiftRightBytes<kPart * kLanes>(ByteVector(), codes);
    if constexpr (kHasOwnMaps) map = {hn::LoadU(floats, maps.scales + at), hn::LoadU(floats, maps.shifts + at)};
    const hn::Rebind<std::uint8_t, Floats> lower;
    const auto numbers = hn::ConvertTo(floats, hn::PromoteTo(words, hn::BitCast(bytes, lower_part(lower, codes))));
    return hn::MulAdd(numbers, map.scale, map.shift);
  }
  /// As many of the first bytes of a vector as `Part` has.
  template <typename Part, typename Whole>
  static hn::Vec<Part> lower_part(Part part, Whole whole) {
    if constexpr (hn::MaxLanes(Part()) == hn::MaxLanes(hn::DFromV<Whole>()))
      return whole;
    else
      return lower_part(part, hn::LowerHalf(hn::Half<hn::DFromV<Whole>>(), whole));
  }
  template <bool kStream>
  static void store_values(const FloatVector (&values)[kParts], float* to) {
    for (std::int32_t i = 0; i < kParts; ++i) store<kStream>(values[i], Floats(), to + i * kLanes);
  }
  template <bool kStream, std::size_t kCount, typename Half>
  static void store_values(const FloatVector (&values)[kCount], Half* to) {
    for (std::size_t i = 0; i < kCount; i += 2) {
      store<kStream>(half_bits(Half{}, values[i], values[i + 1]), Halves(), &to[i * kLanes].bits);
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
  /// The first pixel of the input that a group shows, if its pixels are at `low` to `high`.
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
