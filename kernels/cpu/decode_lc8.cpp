// Decodes several groups of strips side by side: a lane of 32 bits is a strip, and a strip is one row behind the one on
// its left. Compiled once per instruction set and chosen at run time (Highway).
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/decode_lc8.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstring>

#include "kernels/codecs/lc8_rows.hpp"
#include "kernels/cpu/add_plane-inl.hpp"
#include "kernels/cpu/decode_lc8.hpp"
#include "kernels/thread_group.hpp"

HWY_BEFORE_NAMESPACE();
namespace octavo::kernels::cpu {
namespace HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR

void decode_lc8_here(const PackedRows& packed, std::int64_t row, std::int8_t* tile) {
  Lc8Rows(packed).decode(row, tile, OneThread());
}

#else

namespace hn = hwy::HWY_NAMESPACE;
// Without a name, so that the functions of different targets are not confused.
namespace {

using Lanes = hn::CappedTag<std::int32_t, 16>;
using Words = hn::RebindToUnsigned<Lanes>;
using Floats = hn::RebindToFloat<Lanes>;
using Vector = hn::Vec<Lanes>;
using LaneMask = hn::Mask<Lanes>;

constexpr std::int64_t kLaneCount = hn::MaxLanes(Lanes());
/// A block of 128 bits has the strips of one group of a plane.
static_assert(kLaneCount % kLc8GroupStrips == 0);
constexpr std::int64_t kGroupCount = kLaneCount / kLc8GroupStrips;
constexpr std::int32_t kSilentClass = kLc8Classes;

/// A vector whose blocks of 128 bits are those at every fourth address.
template <typename D>
HWY_INLINE hn::Vec<D> load_blocks(D d, const std::uint8_t* const* addresses) {
  if constexpr (hn::MaxLanes(d) == kLc8GroupStrips) {
    return hn::BitCast(d, hn::LoadU(hn::Repartition<std::uint8_t, D>(), addresses[0]));
  } else {
    const hn::Half<D> half;
    return hn::Combine(d, load_blocks(half, addresses + hn::MaxLanes(half)), load_blocks(half, addresses));
  }
}

/// The next 128 bits of each lane. A row needs at most 121.
class RowBits {
 public:
  /// Bit `bit` of each lane, less than 8, is the first one at its address.
  RowBits(const std::uint8_t* const* addresses, Vector bit) : used_(bit) {
    const Lanes d;
    const hn::Repartition<std::uint64_t, Lanes> pairs;
    const auto first = load_blocks(d, addresses), second = load_blocks(d, addresses + 1);
    const auto third = load_blocks(d, addresses + 2), fourth = load_blocks(d, addresses + 3);
    const auto low = hn::BitCast(pairs, hn::InterleaveLower(d, first, second));
    const auto low_of_others = hn::BitCast(pairs, hn::InterleaveLower(d, third, fourth));
    const auto high = hn::BitCast(pairs, hn::InterleaveUpper(d, first, second));
    const auto high_of_others = hn::BitCast(pairs, hn::InterleaveUpper(d, third, fourth));
    words_[0] = hn::BitCast(d, hn::InterleaveLower(pairs, low, low_of_others));
    words_[1] = hn::BitCast(d, hn::InterleaveUpper(pairs, low, low_of_others));
    words_[2] = hn::BitCast(d, hn::InterleaveLower(pairs, high, high_of_others));
    words_[3] = hn::BitCast(d, hn::InterleaveUpper(pairs, high, high_of_others));
  }

  /// The next 32 bits.
  HWY_INLINE Vector peek() const {
    const Lanes d;
    const Words u;
    const auto used = hn::BitCast(u, used_), rest = hn::BitCast(u, hn::Sub(hn::Set(d, 31), used_));
    const auto high = hn::Shl(hn::ShiftLeft<1>(hn::BitCast(u, words_[1])), rest);
    return hn::BitCast(d, hn::Or(hn::Shr(hn::BitCast(u, words_[0]), used), high));
  }
  /// At most 32.
  HWY_INLINE void skip(Vector count) {
    const Lanes d;
    used_ = hn::Add(used_, count);
    const auto is_next = hn::Gt(used_, hn::Set(d, 31));
    used_ = hn::And(used_, hn::Set(d, 31));
    words_[0] = hn::IfThenElse(is_next, words_[1], words_[0]);
    words_[1] = hn::IfThenElse(is_next, words_[2], words_[1]);
    words_[2] = hn::IfThenElse(is_next, words_[3], words_[2]);
  }

 private:
  Vector words_[4];
  Vector used_;  ///< bits of the first word
};

/// Groups that are decoded together, by lane. A lane without a strip has no columns.
struct Strips {
  alignas(64) std::int32_t first_byte[kLaneCount] = {};
  alignas(64) std::int32_t first_bit[kLaneCount] = {};
  alignas(64) std::int32_t columns[kLaneCount] = {};
  alignas(64) std::int32_t is_plain[kLaneCount] = {};
  std::int8_t* out[kLaneCount] = {};

  /// Adds the strips of a group of a plane as block `block`.
  void add(std::int64_t block, const Lc8Tiling& tiling, const Lc8Parts& parts, std::int64_t band, std::int64_t group,
           std::int64_t plane, std::int8_t* tile) {
    const std::int64_t strips = tiling.strips_of(group), first = tiling.first_strip(band, group);
    const std::int64_t rows = tiling.rows_of(band), width = tiling.shape.width;
    std::uint64_t bit = parts.group_bit(band * tiling.groups + group);
    for (std::int64_t i = 0; i < (plane + 1) * strips; ++i) {
      const std::uint32_t length = parts.length(first + i);
      const std::int64_t strip = group * kLc8GroupStrips + i % strips, columns_here = tiling.columns_of(strip);
      if (i >= plane * strips) {
        const auto lane = static_cast<std::size_t>(block * kLc8GroupStrips + i % strips);
        const std::uint64_t begin = parts.clamped(bit);
        first_byte[lane] = static_cast<std::int32_t>(begin / 8);
        first_bit[lane] = static_cast<std::int32_t>(begin % 8);
        columns[lane] = static_cast<std::int32_t>(columns_here);
        is_plain[lane] = length == kLc8PlainLength ? -1 : 0;
        out[lane] = tile + (plane * tiling.shape.height + band * tiling.band_rows) * width + strip * kLc8Columns;
      }
      bit += Lc8Parts::bits_of_strip(length, rows, columns_here);
    }
  }
};

class StripLanes {
 public:
  StripLanes(const std::uint32_t* payload, const std::uint32_t* entries, const Strips& strips)
      : payload_(reinterpret_cast<const std::uint8_t*>(payload)),
        entries_(reinterpret_cast<const std::int32_t*>(entries)),
        strips_(strips) {
    const Lanes d;
    const auto lane = hn::Iota(d, 0);
    const auto strip = hn::And(lane, hn::Set(d, 3));
    first_byte_ = hn::Load(d, strips.first_byte);
    bits_ = hn::Load(d, strips.first_bit);
    columns_ = hn::Load(d, strips.columns);
    is_plain_ = hn::Load(d, strips.is_plain);
    strip_ = strip;
    is_first_ = hn::VecFromMask(d, hn::Eq(strip, hn::Zero(d)));
    left_codes_ = hn::Zero(d);
    left_magnitudes_ = hn::Set(d, kLc8FirstMagnitude);
    for (std::int32_t x = 0; x < kLc8Columns; ++x) {
      codes_[x] = hn::Zero(d);
      magnitudes_[x] = hn::And(has_column(x), hn::Set(d, kLc8FirstMagnitude));
    }
    is_special_ =
        !hn::AllTrue(d, hn::Eq(columns_, hn::Set(d, kLc8Columns))) || !hn::AllTrue(d, hn::Eq(is_plain_, hn::Zero(d)));
  }

  /// Decodes `rows` rows, `width` values apart.
  void decode(std::int64_t rows, std::int64_t width) {
    for (std::int64_t step = 0; step < rows + kLc8GroupStrips - 1; ++step) {
      const bool are_all = step >= kLc8GroupStrips - 1 && step < rows;
      if (is_special_) {
        next_row<false, true>(step, rows);
      } else if (are_all) {
        next_row<true, false>(step, rows);
      } else {
        next_row<false, false>(step, rows);
      }
      store(step, rows, width, are_all);
    }
  }

 private:
  HWY_INLINE Vector has_column(std::int32_t x) const {
    const Lanes d;
    return hn::VecFromMask(d, hn::Gt(columns_, hn::Set(d, x)));
  }
  static HWY_INLINE Vector either(Vector mask, Vector yes, Vector no) {
    return hn::IfThenElse(hn::MaskFromVec(mask), yes, no);
  }
  static HWY_INLINE Vector shifted(Vector values, Vector counts) {
    const Lanes d;
    const Words words;
    return hn::BitCast(d, hn::Shr(hn::BitCast(words, values), hn::BitCast(words, counts)));
  }

  /// The bits from here on.
  HWY_INLINE RowBits row_bits() const {
    const Lanes d;
    alignas(64) std::int32_t places[kLaneCount];
    hn::Store(hn::Add(first_byte_, hn::ShiftRight<3>(bits_)), d, places);
    const std::uint8_t* addresses[kLaneCount];
    for (std::int64_t lane = 0; lane < kLaneCount; ++lane) addresses[lane] = payload_ + places[lane];
    return RowBits(addresses, hn::And(bits_, hn::Set(d, 7)));
  }

  static HWY_INLINE Vector class_of(Vector magnitudes) {
    const Lanes d;
    const auto number = hn::ConvertTo(Floats(), hn::Add(magnitudes, hn::Set(d, 1)));
    const auto half_octaves = hn::Sub(hn::ShiftRight<22>(hn::BitCast(d, number)), hn::Set(d, 255));
    return hn::Min(hn::Max(half_octaves, hn::Zero(d)), hn::Set(d, kLc8Classes - 1));
  }

  /// Decodes row `step` of the first strips, the one before it of the second ones, and so on. With kAreAll, all of
  /// these exist. With kIsSpecial, strips may be plain or have fewer columns.
  template <bool kAreAll, bool kIsSpecial>
  HWY_INLINE void next_row(std::int64_t step, std::int64_t rows) {
    const Lanes d;
    const auto left_now = hn::ShiftLeftLanes<1>(d, codes_[kLc8Columns - 1]);
    const auto left_magnitudes_now = hn::ShiftLeftLanes<1>(d, magnitudes_[kLc8Columns - 1]);
    auto left = either(is_first_, codes_[0], left_now), above_left = either(is_first_, codes_[0], left_codes_);
    auto left_magnitude = either(is_first_, magnitudes_[0], left_magnitudes_now);
    auto above_left_magnitude = either(is_first_, magnitudes_[0], left_magnitudes_);
    left_codes_ = left_now;
    left_magnitudes_ = left_magnitudes_now;

    const auto row = hn::Sub(hn::Set(d, static_cast<std::int32_t>(step)), strip_);
    const auto exists = hn::VecFromMask(
        d, hn::And(hn::Gt(row, hn::Set(d, -1)), hn::Lt(row, hn::Set(d, static_cast<std::int32_t>(rows)))));
    auto silent = kAreAll ? hn::Zero(d) : hn::AndNot(exists, hn::Set(d, kSilentClass));

    auto any = left_magnitude;
    for (const Vector& magnitude : magnitudes_) any = hn::Or(any, magnitude);
    auto has_flag = hn::VecFromMask(d, hn::Eq(any, hn::Zero(d)));
    if constexpr (!kAreAll) has_flag = hn::And(has_flag, exists);
    RowBits bits = row_bits();
    if (!hn::AllFalse(d, hn::MaskFromVec(has_flag))) {
      const auto flag = hn::And(has_flag, hn::And(bits.peek(), hn::Set(d, 1)));
      silent = hn::Max(silent, hn::ShiftLeft<4>(flag));
      bits.skip(hn::And(has_flag, hn::Set(d, 1)));
      bits_ = hn::Sub(bits_, has_flag);
    }

    // Two residuals have at most 30 bits.
    auto next = bits.peek(), read = hn::Zero(d);
    for (std::int32_t x = 0; x < kLc8Columns; ++x) {
      const auto above = codes_[x], above_magnitude = magnitudes_[x];
      auto next_magnitude = x + 1 < kLc8Columns ? magnitudes_[x + 1] : above_magnitude;
      auto silent_here = silent;
      if constexpr (kIsSpecial) {
        next_magnitude = either(has_column(x + 1), next_magnitude, above_magnitude);
        silent_here = hn::Max(silent, hn::AndNot(has_column(x), hn::Set(d, kSilentClass)));
      }
      const auto least = hn::Min(left, above), most = hn::Max(left, above);
      const auto continued = hn::Sub(hn::Add(left, above), above_left);
      const auto prediction = hn::Max(least, hn::Min(most, continued));
      const auto around = hn::Add(hn::ShiftLeft<1>(hn::Add(left_magnitude, above_magnitude)),
                                  hn::Add(above_left_magnitude, next_magnitude));
      const auto class_number = hn::Max(class_of(around), silent_here);

      const auto at = hn::Or(hn::ShiftLeft<8>(class_number), hn::And(next, hn::Set(d, 0xFF)));
      const auto entry = hn::GatherIndex(d, entries_, at);
      const auto prefix_bits = hn::And(entry, hn::Set(d, 0xFF)),
                 extra_bits = hn::And(hn::ShiftRight<8>(entry), hn::Set(d, 0xFF));
      auto all_bits = hn::And(hn::ShiftRight<16>(entry), hn::Set(d, 0xFF));
      const auto extra = hn::AndNot(hn::Shl(hn::Set(d, -1), extra_bits), shifted(next, prefix_bits));
      const auto residual = hn::Add(hn::ShiftRight<24>(entry), extra);
      auto code = hn::Add(prediction, residual);
      auto magnitude = hn::Abs(residual);
      if constexpr (kIsSpecial) {
        code = either(is_plain_, next, code);
        magnitude = either(is_plain_, hn::And(has_column(x), hn::Set(d, kLc8PlainMagnitude)), magnitude);
        const auto is_read = hn::VecFromMask(d, hn::Eq(silent_here, hn::Zero(d)));
        all_bits = either(is_plain_, hn::And(is_read, hn::Set(d, 8)), all_bits);
      }
      code = hn::ShiftRight<24>(hn::ShiftLeft<24>(code));
      bits_ = hn::Add(bits_, all_bits);
      if (x % 2 == 0) {
        read = all_bits;
        next = shifted(next, all_bits);
      } else if (x + 1 < kLc8Columns) {
        bits.skip(hn::Add(read, all_bits));
        next = bits.peek();
      }
      if constexpr (!kAreAll) {
        code = either(exists, code, above);
        magnitude = either(exists, magnitude, above_magnitude);
      }
      above_left = above;
      above_left_magnitude = above_magnitude;
      left = codes_[x] = code;
      left_magnitude = magnitudes_[x] = magnitude;
    }
  }

  /// Stores the rows that next_row() decoded.
  HWY_INLINE void store(std::int64_t step, std::int64_t rows, std::int64_t width, bool are_all) const {
    const Lanes d;
    const auto byte = hn::Set(d, 0xFF);
    const auto join = [&](const Vector* four) {
      const auto low = hn::Or(hn::And(four[0], byte), hn::ShiftLeft<8>(hn::And(four[1], byte)));
      return hn::Or(low, hn::Or(hn::ShiftLeft<16>(hn::And(four[2], byte)), hn::ShiftLeft<24>(four[3])));
    };
    alignas(64) std::int32_t low[kLaneCount], high[kLaneCount];
    hn::Store(join(codes_), d, low);
    hn::Store(join(codes_ + 4), d, high);
    for (std::int64_t lane = 0; lane < kLaneCount; ++lane) {
      const std::int64_t row = step - lane % kLc8GroupStrips;
      const std::int64_t columns = strips_.columns[lane];
      if (columns == 0 || (!are_all && (row < 0 || row >= rows))) continue;
      std::int8_t* const out = strips_.out[lane] + row * width;
      const std::uint64_t eight = static_cast<std::uint32_t>(low[lane]) |
                                  static_cast<std::uint64_t>(static_cast<std::uint32_t>(high[lane])) << 32;
      if (columns == kLc8Columns) {
        std::memcpy(out, &eight, sizeof eight);
      } else {
        std::memcpy(out, &eight, static_cast<std::size_t>(columns));
      }
    }
  }

  const std::uint8_t* payload_;
  const std::int32_t* entries_;
  const Strips& strips_;
  bool is_special_;
  Vector first_byte_, bits_, columns_, is_plain_, strip_, is_first_;
  Vector codes_[kLc8Columns], magnitudes_[kLc8Columns];  ///< of the row above
  Vector left_codes_, left_magnitudes_;                  ///< of the strip on the left, in the row above
};

void decode_band(const PackedRows& packed, const Lc8Tiling& tiling, const Lc8Parts& parts, std::int64_t band,
                 std::int8_t* tile) {
  const std::int64_t count = tiling.groups * tiling.shape.channels;
  for (std::int64_t first = 0; first < count; first += kGroupCount) {
    Strips strips;
    for (std::int64_t i = first; i < std::min(first + kGroupCount, count); ++i) {
      strips.add(i - first, tiling, parts, band, i / tiling.shape.channels, i % tiling.shape.channels, tile);
    }
    StripLanes(parts.payload(), packed.tables, strips).decode(tiling.rows_of(band), tiling.shape.width);
  }
}

}  // namespace

void decode_lc8_here(const PackedRows& packed, std::int64_t row, std::int8_t* tile) {
  const CodedRow coded = coded_row(packed, row);
  const Lc8Tiling tiling(packed.shape);
  const SampleShape& shape = tiling.shape;
  if (coded.size >= tiling.plain_bytes()) {
    std::memcpy(tile, coded.bytes, static_cast<std::size_t>(shape.values()));
    return;
  }
  const Lc8Parts parts(coded.bytes, coded.size, tiling);
  const bool adds_base = shape.channels == kLc8ColorChannels && parts.has_color_differences();
  for (std::int64_t band = 0; band < tiling.bands; ++band) {
    decode_band(packed, tiling, parts, band, tile);
    if (!adds_base) continue;
    const std::int64_t count = tiling.rows_of(band) * shape.width, pixels = shape.values_per_channel();
    std::int8_t* const first = tile + band * tiling.band_rows * shape.width;
    for (const std::int64_t plane : {0, 2}) add_plane(first + kLc8ColorBase * pixels, count, first + plane * pixels);
  }
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace octavo::kernels::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace octavo::kernels::cpu {

HWY_EXPORT(decode_lc8_here);

void decode_lc8(const PackedRows& packed, std::int64_t row, std::int8_t* tile) {
  HWY_DYNAMIC_DISPATCH(decode_lc8_here)(packed, row, tile);
}

}  // namespace octavo::kernels::cpu
#endif
