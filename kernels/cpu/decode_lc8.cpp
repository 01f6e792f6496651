// Decodes several groups of strips side by side, of one row or of several: a lane of 32 bits is a strip, and a strip is
// one row behind the one on its left. Compiled once per instruction set and chosen at run time (Highway).
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/decode_lc8.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>
#include <utility>

#include "kernels/codecs/lc8_rows.hpp"
#include "kernels/cpu/add_plane-inl.hpp"
#include "kernels/cpu/decode_lc8.hpp"
#include "kernels/thread_group.hpp"

HWY_BEFORE_NAMESPACE();
namespace octavo::kernels::cpu {
namespace HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR

void decode_lc8_here(const PackedRows& packed, const std::int64_t* rows, std::int64_t count, const ImagePart& part,
                     std::int8_t* tiles, std::int64_t tile_bytes) {
  for (std::int64_t i = 0; i < count; ++i) Lc8Rows(packed).decode(rows[i], part, tiles + i * tile_bytes, OneThread());
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
/// Vectors that are decoded side by side: each waits for its table entries, and the others hide that.
constexpr int kMostVectors = 4;

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
  RowBits() = default;
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
  alignas(64) std::int32_t first_bit[kLaneCount] = {};
  alignas(64) std::int32_t columns[kLaneCount] = {};
  alignas(64) std::int32_t is_plain[kLaneCount] = {};
  const std::uint8_t* begin[kLaneCount] = {};
  std::int8_t* out[kLaneCount] = {};

  /// Adds the strips of a group of a plane as block `block`.
  void add(std::int64_t block, const Lc8Tiling& tiling, const Lc8Parts& parts, std::int64_t band, std::int64_t group,
           std::int64_t plane, std::int8_t* tile) {
    const std::int64_t strips = tiling.strips_of(group), first = tiling.first_strip(band, group);
    const std::int64_t rows = tiling.rows_of(band), width = tiling.shape.width;
    const auto* const payload = reinterpret_cast<const std::uint8_t*>(parts.payload());
    // Where lanes without a strip read.
    std::fill_n(begin + block * kLc8GroupStrips, kLc8GroupStrips, payload);
    std::uint64_t bit = parts.group_bit(band * tiling.groups + group);
    for (std::int64_t i = 0; i < (plane + 1) * strips; ++i) {
      const std::uint32_t length = parts.length(first + i);
      const std::int64_t strip = group * kLc8GroupStrips + i % strips, columns_here = tiling.columns_of(strip);
      if (i >= plane * strips) {
        const auto lane = static_cast<std::size_t>(block * kLc8GroupStrips + i % strips);
        const std::uint64_t first_of_strip = parts.clamped(bit);
        begin[lane] = payload + first_of_strip / 8;
        first_bit[lane] = static_cast<std::int32_t>(first_of_strip % 8);
        columns[lane] = static_cast<std::int32_t>(columns_here);
        is_plain[lane] = length == kLc8PlainLength ? -1 : 0;
        out[lane] = tile + (plane * tiling.shape.height + band * tiling.band_rows) * width + strip * kLc8Columns;
      }
      bit += Lc8Parts::bits_of_strip(length, rows, columns_here);
    }
  }

  /// Lets the blocks after `block` decode the same strips. They write the same codes to the same places.
  void repeat(std::int64_t block) {
    for (std::int64_t lane = (block + 1) * kLc8GroupStrips; lane < kLaneCount; ++lane) {
      const std::int64_t from = lane - kLc8GroupStrips;
      first_bit[lane] = first_bit[from];
      columns[lane] = columns[from];
      is_plain[lane] = is_plain[from];
      begin[lane] = begin[from];
      out[lane] = out[from];
    }
  }
};

/// A vector of strips.
class StripLanes {
 public:
  StripLanes(const std::uint32_t* entries, const Strips& strips)
      : entries_(reinterpret_cast<const std::int32_t*>(entries)), strips_(strips) {
    const Lanes d;
    strip_ = hn::And(hn::Iota(d, 0), hn::Set(d, 3));
    bits_ = hn::Load(d, strips.first_bit);
    columns_ = hn::Load(d, strips.columns);
    is_plain_ = hn::Load(d, strips.is_plain);
    are_wide_ = hn::AllTrue(d, hn::Eq(columns_, hn::Set(d, kLc8Columns)));
    is_first_ = hn::VecFromMask(d, hn::Eq(strip_, hn::Zero(d)));
    above_left_of_strip_ = hn::Zero(d);
    above_left_magnitude_of_strip_ = hn::Set(d, kLc8FirstMagnitude);
    for (std::int32_t x = 0; x < kLc8Columns; ++x) {
      codes_[x] = hn::Zero(d);
      magnitudes_[x] = hn::And(has_column(x), hn::Set(d, kLc8FirstMagnitude));
    }
  }

  /// Whether strips are plain, or have fewer columns.
  bool is_special() const {
    const Lanes d;
    return !are_wide_ || !hn::AllTrue(d, hn::Eq(is_plain_, hn::Zero(d)));
  }

  /// Begins row `step` of the first strips, the one before it of the second ones, and so on. With kAreAll, all of these
  /// exist.
  template <bool kAreAll>
  HWY_INLINE void begin_row(std::int64_t step, std::int64_t rows) {
    const Lanes d;
    const auto left_now = hn::ShiftLeftLanes<1>(d, codes_[kLc8Columns - 1]);
    const auto left_magnitudes_now = hn::ShiftLeftLanes<1>(d, magnitudes_[kLc8Columns - 1]);
    left_ = either(is_first_, codes_[0], left_now);
    above_left_ = either(is_first_, codes_[0], above_left_of_strip_);
    left_magnitude_ = either(is_first_, magnitudes_[0], left_magnitudes_now);
    above_left_magnitude_ = either(is_first_, magnitudes_[0], above_left_magnitude_of_strip_);
    above_left_of_strip_ = left_now;
    above_left_magnitude_of_strip_ = left_magnitudes_now;

    const auto row = hn::Sub(hn::Set(d, static_cast<std::int32_t>(step)), strip_);
    exists_ = hn::VecFromMask(
        d, hn::And(hn::Gt(row, hn::Set(d, -1)), hn::Lt(row, hn::Set(d, static_cast<std::int32_t>(rows)))));
    silent_ = kAreAll ? hn::Zero(d) : hn::AndNot(exists_, hn::Set(d, kSilentClass));

    auto any = left_magnitude_;
    for (const Vector& magnitude : magnitudes_) any = hn::Or(any, magnitude);
    auto has_flag = hn::VecFromMask(d, hn::Eq(any, hn::Zero(d)));
    if constexpr (!kAreAll) has_flag = hn::And(has_flag, exists_);
    next_ = row_bits();
    if (!hn::AllFalse(d, hn::MaskFromVec(has_flag))) {
      const auto flag = hn::And(has_flag, hn::And(next_.peek(), hn::Set(d, 1)));
      silent_ = hn::Max(silent_, hn::ShiftLeft<4>(flag));
      next_.skip(hn::And(has_flag, hn::Set(d, 1)));
      bits_ = hn::Sub(bits_, has_flag);
    }
    window_ = next_.peek();
    read_ = hn::Zero(d);
  }

  /// Decodes column `x` of the row. With kIsSpecial, strips may be plain or have fewer columns.
  template <bool kAreAll, bool kIsSpecial>
  HWY_INLINE void decode_column(std::int32_t x) {
    const Lanes d;
    const auto above = codes_[x], above_magnitude = magnitudes_[x];
    auto next_magnitude = x + 1 < kLc8Columns ? magnitudes_[x + 1] : above_magnitude;
    auto silent = silent_;
    if constexpr (kIsSpecial) {
      next_magnitude = either(has_column(x + 1), next_magnitude, above_magnitude);
      silent = hn::Max(silent, hn::AndNot(has_column(x), hn::Set(d, kSilentClass)));
    }
    const auto least = hn::Min(left_, above), most = hn::Max(left_, above);
    const auto continued = hn::Sub(hn::Add(left_, above), above_left_);
    const auto prediction = hn::Max(least, hn::Min(most, continued));
    const auto around = hn::Add(hn::ShiftLeft<1>(hn::Add(left_magnitude_, above_magnitude)),
                                hn::Add(above_left_magnitude_, next_magnitude));
    const auto class_number = hn::Max(class_of(around), silent);

    const auto at = hn::Or(hn::ShiftLeft<8>(class_number), hn::And(window_, hn::Set(d, 0xFF)));
    const auto entry = hn::GatherIndex(d, entries_, at);
    const auto prefix_bits = hn::And(entry, hn::Set(d, 0xFF));
    const auto extra_bits = hn::And(hn::ShiftRight<8>(entry), hn::Set(d, 0xFF));
    auto all_bits = hn::And(hn::ShiftRight<16>(entry), hn::Set(d, 0xFF));
    const auto extra = hn::AndNot(hn::Shl(hn::Set(d, -1), extra_bits), shifted(window_, prefix_bits));
    const auto residual = hn::Add(hn::ShiftRight<24>(entry), extra);
    auto code = hn::Add(prediction, residual);
    auto magnitude = hn::Abs(residual);
    if constexpr (kIsSpecial) {
      code = either(is_plain_, window_, code);
      magnitude = either(is_plain_, hn::And(has_column(x), hn::Set(d, kLc8PlainMagnitude)), magnitude);
      const auto is_read = hn::VecFromMask(d, hn::Eq(silent, hn::Zero(d)));
      all_bits = either(is_plain_, hn::And(is_read, hn::Set(d, 8)), all_bits);
    }
    code = hn::ShiftRight<24>(hn::ShiftLeft<24>(code));
    bits_ = hn::Add(bits_, all_bits);
    // Two residuals have at most 30 bits.
    if (x % 2 == 0) {
      read_ = all_bits;
      window_ = shifted(window_, all_bits);
    } else if (x + 1 < kLc8Columns) {
      next_.skip(hn::Add(read_, all_bits));
      window_ = next_.peek();
    }
    if constexpr (!kAreAll) {
      code = either(exists_, code, above);
      magnitude = either(exists_, magnitude, above_magnitude);
    }
    above_left_ = above;
    above_left_magnitude_ = above_magnitude;
    left_ = codes_[x] = code;
    left_magnitude_ = magnitudes_[x] = magnitude;
  }

  /// Stores the rows, whose values are `width` apart in a column.
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
    if (are_all && are_wide_) {
      const std::int64_t first = step * width;
      for (std::int64_t lane = 0; lane < kLaneCount; ++lane) {
        std::int8_t* const out = strips_.out[lane] + (first - lane % kLc8GroupStrips * width);
        std::memcpy(out, &low[lane], sizeof low[lane]);
        std::memcpy(out + sizeof low[lane], &high[lane], sizeof high[lane]);
      }
      return;
    }
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
    hn::Store(hn::ShiftRight<3>(bits_), d, places);
    const std::uint8_t* addresses[kLaneCount];
    for (std::int64_t lane = 0; lane < kLaneCount; ++lane) addresses[lane] = strips_.begin[lane] + places[lane];
    return RowBits(addresses, hn::And(bits_, hn::Set(d, 7)));
  }

  static HWY_INLINE Vector class_of(Vector magnitudes) {
    const Lanes d;
    const auto number = hn::ConvertTo(Floats(), hn::Add(magnitudes, hn::Set(d, 1)));
    const auto half_octaves = hn::Sub(hn::ShiftRight<22>(hn::BitCast(d, number)), hn::Set(d, 255));
    return hn::Min(hn::Max(half_octaves, hn::Zero(d)), hn::Set(d, kLc8Classes - 1));
  }

  const std::int32_t* entries_;
  const Strips& strips_;
  Vector bits_;  ///< from the beginning of the strip, or the byte of it, to the next one
  Vector columns_, is_plain_, strip_, is_first_;
  bool are_wide_;                                               ///< all strips have all columns
  Vector codes_[kLc8Columns], magnitudes_[kLc8Columns];         ///< of the row above
  Vector above_left_of_strip_, above_left_magnitude_of_strip_;  ///< of the strip on the left
  // Of the row that is decoded:
  RowBits next_;
  Vector window_;           ///< the next bits
  Vector read_;             ///< bits of the window before
  Vector exists_, silent_;  ///< kSilentClass: residuals have no bits
  Vector left_, above_left_, left_magnitude_, above_left_magnitude_;
};

/// Decodes `rows` rows of `kVectors` vectors of strips.
template <int kVectors>
void decode_strips(const std::uint32_t* entries, const Strips* strips, std::int64_t rows, std::int64_t width) {
  const auto make_lanes = [&]<std::size_t... i>(std::index_sequence<i...>) {
    return std::array{StripLanes(entries, strips[i])...};
  };
  auto lanes = make_lanes(std::make_index_sequence<kVectors>());
  bool is_special = false;
  for (int i = 0; i < kVectors; ++i) is_special |= lanes[i].is_special();
  const auto decode_step = [&](std::int64_t step, auto are_all, auto special) {
    for (int i = 0; i < kVectors; ++i) lanes[i].template begin_row<are_all()>(step, rows);
    for (std::int32_t x = 0; x < kLc8Columns; ++x) {
      for (int i = 0; i < kVectors; ++i) lanes[i].template decode_column<are_all(), special()>(x);
    }
    for (int i = 0; i < kVectors; ++i) lanes[i].store(step, rows, width, are_all());
  };
  for (std::int64_t step = 0; step < rows + kLc8GroupStrips - 1; ++step) {
    const bool are_all = step >= kLc8GroupStrips - 1 && step < rows;
    if (is_special) {
      decode_step(step, std::false_type(), std::true_type());
    } else if (are_all) {
      decode_step(step, std::true_type(), std::false_type());
    } else {
      decode_step(step, std::false_type(), std::false_type());
    }
  }
}

/// A row that is not plain, and where its codes go.
struct CodedTile {
  CodedRow row;
  std::int8_t* tile;

  Lc8Parts parts(const Lc8Tiling& tiling) const { return {row.bytes, row.size, tiling}; }
};

/// Decodes `groups` of a band of several rows.
void decode_band(const PackedRows& packed, const Lc8Tiling& tiling, const CodedTile* tiles, std::int64_t tile_count,
                 std::int64_t band, AxisPart groups) {
  const std::int64_t of_tile = groups.count() * tiling.shape.channels, count = tile_count * of_tile;
  const std::int64_t rows = tiling.rows_of(band), width = tiling.shape.width;
  if (count == 0) return;
  // As many vectors in every round, rather than few in the last one.
  const std::int64_t vectors = (count + kGroupCount - 1) / kGroupCount;
  const std::int64_t rounds = (vectors + kMostVectors - 1) / kMostVectors;
  const std::int64_t of_round = (vectors + rounds - 1) / rounds * kGroupCount;
  for (std::int64_t first = 0; first < count; first += of_round) {
    Strips strips[kMostVectors];
    const std::int64_t here = std::min(of_round, count - first);
    for (std::int64_t i = 0; i < here; ++i) {
      const CodedTile& one = tiles[(first + i) / of_tile];
      const std::int64_t number = (first + i) % of_tile;
      strips[i / kGroupCount].add(i % kGroupCount, tiling, one.parts(tiling), band,
                                  groups.first + number / tiling.shape.channels, number % tiling.shape.channels,
                                  one.tile);
    }
    strips[(here - 1) / kGroupCount].repeat((here - 1) % kGroupCount);
    constexpr decltype(&decode_strips<1>) kDecode[kMostVectors] = {&decode_strips<1>, &decode_strips<2>,
                                                                   &decode_strips<3>, &decode_strips<4>};
    kDecode[(here - 1) / kGroupCount](packed.tables, strips, rows, width);
  }
}

/// Adds the base plane of `groups` of a band to the others, if they are differences.
void add_base(const Lc8Tiling& tiling, const CodedTile& one, std::int64_t band, AxisPart groups) {
  const SampleShape& shape = tiling.shape;
  if (shape.channels != kLc8ColorChannels || !one.parts(tiling).has_color_differences()) return;
  const std::int64_t first = band * tiling.band_rows;
  add_base_plane(shape, kLc8ColorBase, AxisPart::of(first, first + tiling.rows_of(band)),
                 groups.lines(kLc8GroupStrips * kLc8Columns, shape.width), one.tile);
}

}  // namespace

void decode_lc8_here(const PackedRows& packed, const std::int64_t* rows, std::int64_t count, const ImagePart& part,
                     std::int8_t* tiles, std::int64_t tile_bytes) {
  const Lc8Tiling tiling(packed.shape);
  const AxisPart bands = part.rows.units(tiling.band_rows);
  const AxisPart groups = part.columns.units(kLc8GroupStrips * kLc8Columns);
  for (std::int64_t done = 0; done < count;) {
    CodedTile coded_tiles[kMostLc8Rows];
    std::int64_t coded_count = 0;
    for (; done < count && coded_count < kMostLc8Rows; ++done) {
      const CodedRow coded = coded_row(packed, rows[done]);
      std::int8_t* const tile = tiles + done * tile_bytes;
      if (coded.size >= tiling.plain_bytes()) {
        std::memcpy(tile, coded.bytes, static_cast<std::size_t>(packed.shape.values()));
      } else {
        coded_tiles[coded_count++] = {coded, tile};
      }
    }
    for (std::int64_t band = bands.first; band < bands.end && coded_count > 0; ++band) {
      decode_band(packed, tiling, coded_tiles, coded_count, band, groups);
      for (std::int64_t i = 0; i < coded_count; ++i) add_base(tiling, coded_tiles[i], band, groups);
    }
  }
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace octavo::kernels::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace octavo::kernels::cpu {

HWY_EXPORT(decode_lc8_here);

void decode_lc8(const PackedRows& packed, const std::int64_t* rows, std::int64_t count, const ImagePart& part,
                std::int8_t* tiles, std::int64_t tile_bytes) {
  HWY_DYNAMIC_DISPATCH(decode_lc8_here)(packed, rows, count, part, tiles, tile_bytes);
}

}  // namespace octavo::kernels::cpu
#endif
