// Decodes up to eight tiles of a band side by side: each is a lane of 64 bits, which has a row of its tile. Compiled
// once per instruction set and chosen at run time (Highway).
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/decode_lp8.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstring>

#include "kernels/codecs/lp8_rows.hpp"
#include "kernels/cpu/add_plane-inl.hpp"
#include "kernels/cpu/decode_lp8.hpp"
#include "kernels/thread_group.hpp"

HWY_BEFORE_NAMESPACE();
namespace octavo::kernels::cpu {
namespace HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR

void decode_here(const PackedRows& packed, std::int64_t row, const ImagePart& part, std::int8_t* tile) {
  Lp8Rows(packed).decode(row, part, tile, OneThread());
}

#else

namespace hn = hwy::HWY_NAMESPACE;
// Without a name, so that the functions of different targets are not confused.
namespace {

/// A lane per tile.
using EightTiles = hn::CappedTag<std::uint64_t, 8>;
using FourTiles = hn::CappedTag<std::uint64_t, 4>;
template <typename D>
using Bytes = hn::Repartition<std::uint8_t, D>;

/// The first eight bytes at each address. Reads sixteen.
template <typename D>
HWY_INLINE hn::Vec<D> load_lanes(D d, const std::uint8_t* const* addresses) {
  if constexpr (hn::MaxLanes(d) == 2) {
    const Bytes<D> bytes;
    return hn::InterleaveLower(d, hn::BitCast(d, hn::LoadU(bytes, addresses[0])),
                               hn::BitCast(d, hn::LoadU(bytes, addresses[1])));
  } else {
    const hn::Half<D> half;
    return hn::Combine(d, load_lanes(half, addresses + hn::MaxLanes(half)), load_lanes(half, addresses));
  }
}

/// Residuals and the number of bits of each, by lane.
template <typename D>
struct Residuals {
  hn::Vec<D> bytes;
  hn::Vec<D> width;
};

#if HWY_TARGET <= HWY_AVX3_DL

/// For each width: the shift of each residual, a residual of ones, 2^(width-1) in each byte, and the width.
struct WidthTables {
  alignas(64) std::uint64_t shifts[8], ones[8], biases[8], widths[8];
};
constexpr WidthTables width_tables() {
  WidthTables tables = {};
  for (std::uint64_t number = 0; number < 8; ++number) {
    const std::uint64_t width = lp8_width(static_cast<std::uint32_t>(number)), each_byte = 0x0101010101010101u;
    for (std::uint64_t i = 0; i < 8; ++i) tables.shifts[number] |= i * width << (8 * i);
    tables.ones[number] = ((std::uint64_t{1} << width) - 1) * each_byte;
    tables.biases[number] = (std::uint64_t{1} << width >> 1) * each_byte;
    tables.widths[number] = width;
  }
  return tables;
}
constexpr WidthTables kWidthTables = width_tables();

HWY_INLINE __m512i shift_bytes(__m512i shifts, __m512i bits) { return _mm512_multishift_epi64_epi8(shifts, bits); }
HWY_INLINE __m256i shift_bytes(__m256i shifts, __m256i bits) { return _mm256_multishift_epi64_epi8(shifts, bits); }

/// The entries of a table of eight.
HWY_INLINE hn::Vec<EightTiles> entries(EightTiles d, const std::uint64_t* table, hn::Vec<EightTiles> numbers) {
  return {_mm512_permutexvar_epi64(numbers.raw, hn::Load(d, table).raw)};
}
HWY_INLINE hn::Vec<FourTiles> entries(FourTiles d, const std::uint64_t* table, hn::Vec<FourTiles> numbers) {
  return {_mm256_permutex2var_epi64(hn::Load(d, table).raw, numbers.raw, hn::Load(d, table + 4).raw)};
}

template <typename D>
HWY_INLINE Residuals<D> unpack(D d, hn::Vec<D> bits, hn::Vec<D> numbers) {
  const Bytes<D> bytes;
  const hn::Vec<D> fields = {shift_bytes(entries(d, kWidthTables.shifts, numbers).raw, bits.raw)};
  const auto residuals = hn::Sub(hn::BitCast(bytes, hn::And(fields, entries(d, kWidthTables.ones, numbers))),
                                 hn::BitCast(bytes, entries(d, kWidthTables.biases, numbers)));
  return {hn::BitCast(d, residuals), entries(d, kWidthTables.widths, numbers)};
}

#else

/// Halves the distance between the fields three times: four fields in 32 bits, two in 16, one in 8.
template <typename D>
HWY_INLINE Residuals<D> unpack(D d, hn::Vec<D> bits, hn::Vec<D> numbers) {
  const Bytes<D> bytes;
  const auto one = hn::Set(d, 1u);
  const auto width = hn::Add(numbers, hn::IfThenElseZero(hn::Eq(numbers, hn::Set(d, 7u)), one));
  const auto twice = hn::Add(width, width), four_times = hn::Add(twice, twice);
  const auto four = hn::Sub(hn::Shl(one, four_times), one);
  auto two = hn::Sub(hn::Shl(one, twice), one);
  auto field = hn::Sub(hn::Shl(one, width), one);
  two = hn::Or(two, hn::ShiftLeft<32>(two));
  field = hn::Or(field, hn::ShiftLeft<32>(field));
  field = hn::Or(field, hn::ShiftLeft<16>(field));
  bits = hn::Or(hn::And(bits, four), hn::ShiftLeft<32>(hn::And(hn::Shr(bits, four_times), four)));
  bits = hn::Or(hn::And(bits, two), hn::ShiftLeft<16>(hn::And(hn::Shr(bits, twice), two)));
  bits = hn::Or(hn::And(bits, field), hn::ShiftLeft<8>(hn::And(hn::Shr(bits, width), field)));
  const auto ones = hn::Or(field, hn::ShiftLeft<8>(field));
  const auto biases = hn::Sub(ones, hn::And(hn::ShiftRight<1>(ones), hn::Set(d, 0x7F7F7F7F7F7F7F7Fu)));
  return {hn::BitCast(d, hn::Sub(hn::BitCast(bytes, bits), hn::BitCast(bytes, biases))), width};
}

#endif

/// Tiles of a band that are next to each other.
template <typename D>
class TileLanes {
 public:
  /// The first `count` lanes are the tiles of `records`; the others repeat the last one.
  TileLanes(const Lp8Parts& parts, const Lp8Record* records, std::int64_t count, std::int64_t last_columns) {
    alignas(64) std::uint64_t numbers[2][kLanes], first[kLanes], vertical[kLanes], columns[kLanes];
    for (std::int64_t lane = 0; lane < kLanes; ++lane) {
      const std::int64_t number = std::min(lane, count - 1);
      const Lp8Record& record = records[number];
      const std::uint64_t low = record.width_numbers[0], middle = record.width_numbers[1];
      numbers[0][lane] = middle << 32 | low;
      numbers[1][lane] = static_cast<std::uint64_t>(record.width_numbers[2]) << 1 | middle >> 31;
      first[lane] = record.first_code() * 0x0101010101010101u;
      vertical[lane] = record.is_vertical() ? 1 : 0;
      columns[lane] = static_cast<std::uint64_t>(number == count - 1 ? last_columns : kLp8Columns);
      next_[lane] = reinterpret_cast<const std::uint8_t*>(parts.payload_of(record));
    }
    const D d;
    is_vertical_ = hn::Eq(hn::Load(d, vertical), hn::Set(d, 1u));
    columns_ = hn::Load(d, columns);
    above_ = hn::Load(d, first);
    numbers_ = hn::Load(d, numbers[0]);
    later_numbers_ = hn::Load(d, numbers[1]);
  }

  /// Writes rows of `bytes` bytes, `stride` apart.
  void decode(std::int64_t row_count, std::int8_t* out, std::int64_t stride, std::int64_t bytes) {
    const bool is_whole = bytes == kLanes * kLp8Columns;
    const std::int64_t middle = std::min<std::int64_t>(row_count, 21);  // three bits of 64 for each
    for (std::int64_t y = 0; y < middle; ++y, out += stride) store(next_row(), is_whole, bytes, out);
    numbers_ = later_numbers_;
    for (std::int64_t y = middle; y < row_count; ++y, out += stride) store(next_row(), is_whole, bytes, out);
  }

 private:
  static constexpr std::int64_t kLanes = hn::MaxLanes(D());

  HWY_INLINE hn::Vec<D> next_row() {
    const D d;
    const hn::Repartition<std::uint32_t, D> words;
    const auto numbers = hn::And(numbers_, hn::Set(d, 7u));
    numbers_ = hn::ShiftRight<3>(numbers_);
    const Residuals<D> residuals = unpack(d, load_lanes(d, next_), numbers);

    alignas(64) std::uint64_t read[kLanes];
    const auto bits = hn::MulEven(hn::BitCast(words, residuals.width), hn::BitCast(words, columns_));
    hn::Store(hn::ShiftRight<3>(hn::Add(bits, hn::Set(d, 7u))), d, read);
    for (std::int64_t lane = 0; lane < kLanes; ++lane) next_[lane] += read[lane];

    auto sums = residuals.bytes;
    sums = add(sums, hn::ShiftLeft<8>(sums));
    sums = add(sums, hn::ShiftLeft<16>(sums));
    sums = add(sums, hn::ShiftLeft<32>(sums));
    above_ = add(above_, hn::IfThenElse(is_vertical_, residuals.bytes, sums));
    return above_;
  }
  static HWY_INLINE hn::Vec<D> add(hn::Vec<D> a, hn::Vec<D> b) {
    const Bytes<D> bytes;
    return hn::BitCast(D(), hn::Add(hn::BitCast(bytes, a), hn::BitCast(bytes, b)));
  }

  static HWY_INLINE void store(hn::Vec<D> row, bool is_whole, std::int64_t count, std::int8_t* out) {
    const Bytes<D> bytes;
    auto* const to = reinterpret_cast<std::uint8_t*>(out);
    if (is_whole)
      hn::StoreU(hn::BitCast(bytes, row), bytes, to);
    else
      hn::BlendedStore(hn::BitCast(bytes, row), hn::FirstN(bytes, static_cast<std::size_t>(count)), bytes, to);
  }

  const std::uint8_t* next_[kLanes];
  hn::Vec<D> numbers_, later_numbers_;  ///< of the widths of the rows to come, three bits for each
  hn::Vec<D> above_, columns_;
  hn::Mask<D> is_vertical_;
};

/// Decodes tiles [first, first + count) of a band of a plane.
template <typename D>
void decode_tiles(const Lp8Tiling& tiling, const Lp8Parts& parts, std::int64_t plane, std::int64_t band,
                  std::int64_t first, std::int64_t count, std::int8_t* tile) {
  TileLanes<D> lanes(parts, parts.records + tiling.tile(plane, band, first), count,
                     tiling.columns_of(first + count - 1));
  const std::int64_t x = first * kLp8Columns;
  std::int8_t* const out = tile + (plane * tiling.shape.height + band * tiling.band_rows) * tiling.shape.width + x;
  lanes.decode(tiling.rows_of(band), out, tiling.shape.width,
               std::min<std::int64_t>(count * kLp8Columns, tiling.shape.width - x));
}

/// Decodes tiles `columns` of a band of a plane.
void decode_band(const Lp8Tiling& tiling, const Lp8Parts& parts, std::int64_t plane, std::int64_t band,
                 AxisPart columns, std::int8_t* tile) {
  constexpr auto kMost = static_cast<std::int64_t>(hn::MaxLanes(EightTiles()));
  constexpr auto kFew = static_cast<std::int64_t>(hn::MaxLanes(FourTiles()));
  for (std::int64_t first = columns.first; first < columns.end;) {
    const std::int64_t rest = columns.end - first, count = std::min(rest, rest > kFew ? kMost : kFew);
    if (count > kFew)
      decode_tiles<EightTiles>(tiling, parts, plane, band, first, count, tile);
    else
      decode_tiles<FourTiles>(tiling, parts, plane, band, first, count, tile);
    first += count;
  }
}

}  // namespace

void decode_here(const PackedRows& packed, std::int64_t row, const ImagePart& part, std::int8_t* tile) {
  const CodedRow coded = coded_row(packed, row);
  const Lp8Tiling tiling(packed.shape);
  if (coded.size >= tiling.plain_bytes()) {
    std::memcpy(tile, coded.bytes, static_cast<std::size_t>(packed.shape.values()));
    return;
  }
  const Lp8Parts parts(coded, tiling);
  const SampleShape& shape = tiling.shape;
  const bool adds_base = shape.channels == kLp8ColorChannels && parts.records[0].has_color_differences();
  const AxisPart bands = part.rows.units(tiling.band_rows), columns = part.columns.units(kLp8Columns);
  for (std::int64_t band = bands.first; band < bands.end; ++band) {
    for (std::int64_t plane = 0; plane < shape.channels; ++plane)
      decode_band(tiling, parts, plane, band, columns, tile);
    if (!adds_base) continue;
    const std::int64_t first = band * tiling.band_rows;
    add_base_plane(shape, kLp8ColorBase, AxisPart::of(first, first + tiling.rows_of(band)),
                   columns.lines(kLp8Columns, shape.width), tile);
  }
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace octavo::kernels::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace octavo::kernels::cpu {

HWY_EXPORT(decode_here);

void decode_lp8(const PackedRows& packed, std::int64_t row, const ImagePart& part, std::int8_t* tile) {
  HWY_DYNAMIC_DISPATCH(decode_here)(packed, row, part, tile);
}

}  // namespace octavo::kernels::cpu
#endif
