// The gather of LC8 rows whose values keep the order of their codes: four lanes decode the strips of a plane of a
// group, convert each row of eight codes and store it, without memory in between. Also decodes rows of any shape to
// codes.
//
// A code depends on the codes on its left, and those of a strip on the strip on the left. So each lane is a row behind
// the lane on its left, which passes on the last column of the row before.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "kernels/codecs/lc8_format.hpp"
#include "kernels/cuda/block/batch_rows.cuh"
#include "kernels/cuda/block/launch.cuh"
#include "kernels/cuda/block/needed_units.cuh"
#include "kernels/cuda/block/row_stores.cuh"
#include "kernels/cuda/gather_variants.hpp"
#include "kernels/divider.hpp"

namespace octavo::kernels::cuda {
namespace {

constexpr unsigned kLc8Threads = 128;
/// Of a multiprocessor, which leaves each thread 64 registers.
constexpr unsigned kLc8Blocks = 8;
constexpr auto kGroupLanes = static_cast<unsigned>(kLc8GroupStrips);
constexpr int kColumns = static_cast<int>(kLc8Columns);

// ---- The tables in shared memory --------------------------------------------

// Codes, with flipped signs, and residuals are in the upper byte of a word, so that sums wrap as codes do. Magnitudes
// are floats of the same scale, each 0.17 units too large. The definition finds a class by a sum of six magnitudes (two
// of them count twice) plus 1. The sum of these exceeds it by 0.02, so rounding does not change the class.
constexpr float kUnit = 1 << 24;
constexpr float kExcess = 0.17f * kUnit;

/// There is a table for each half octave of this sum, which is its exponent and the first bit of its significand. The
/// first one is for a sum of 1. The second one, for 1.5, which no sum has, is the one of zeros. The last ones are
/// copies of the table of the last class.
constexpr std::uint32_t kSlots = 20;
constexpr std::uint32_t kFirstHalfOctave = 2 * (127 + 24);
constexpr std::uint32_t kZeroSlot = 1;
constexpr std::uint32_t kTableBits = 8;
static_assert(kLc8TableEntries == 1u << kTableBits);

__device__ std::uint32_t class_of_slot(std::uint32_t slot) {
  constexpr std::uint32_t kClasses = kLc8Classes;
  if (slot == kZeroSlot) return kClasses;
  return slot == 0 ? 0 : slot - 1 < kClasses ? slot - 1 : kClasses - 1;
}

/// An Lc8Entry whose parts need no more work:
///   bits  0 to  4  how far the bits after the prefix are from the upper byte
///   bits  8 to 15  base
///   bits 16 to 23  all bits
///   bits 24 to 30  as many bits as there are after the prefix
struct LaneEntry {
  std::uint32_t word;

  __device__ static LaneEntry of(Lc8Entry entry) {
    const auto base = static_cast<std::uint32_t>(entry.base()) & 0xFF;
    return {(24 - entry.prefix_bits()) | base << 8 | entry.all_bits() << 16 | ((1u << entry.extra_bits()) - 1) << 24};
  }
  /// The residual of `next`, which begins with its bits.
  __device__ std::uint32_t residual(std::uint32_t next) const {
    const std::uint32_t extra = shift_left(next, word) & word & 0x7F000000u;
    return select_bytes(word, 0, 0x1444) + extra;
  }
  __device__ std::uint32_t all_bits() const { return select_bytes(word, 0, 0x4442); }
  __device__ std::uint32_t add_all_bits(std::uint32_t used) const { return add_byte<2>(word, used); }
};

/// By all threads of the block.
__device__ void fill_tables(const std::uint32_t* entries, std::uint32_t* tables) {
  for (std::uint32_t i = 4 * threadIdx.x; i < kSlots * kLc8TableEntries; i += 4 * kLc8Threads) {
    const std::uint32_t from = class_of_slot(i / kLc8TableEntries) * kLc8TableEntries + i % kLc8TableEntries;
    auto four = *reinterpret_cast<const Words<16>*>(entries + from);
    for (std::uint32_t& word : four.words) word = LaneEntry::of({word}).word;
    *reinterpret_cast<Words<16>*>(tables + i) = four;
  }
}

__device__ float magnitude_of(std::uint32_t residual) {
  return fabsf(static_cast<float>(static_cast<std::int32_t>(residual))) + kExcess;
}

// ---- A strip ----------------------------------------------------------------

constexpr std::uint32_t kZeroCode = 0x80000000u;

/// What a code sees of another one.
struct Neighbor {
  std::uint32_t code;
  std::uint32_t residual;
  float magnitude;

  /// The last column of a row, in two bytes.
  __device__ static Neighbor of(std::uint32_t packed) {
    const std::uint32_t residual = packed << 24;
    return {select_bytes(packed, 0, 0x1444), residual, magnitude_of(residual)};
  }
  __device__ std::uint32_t packed() const { return select_bytes(residual, code, 0x0073); }
};

/// A strip of a plane, as far as it is decoded. Without kNarrow it has kColumns columns.
template <bool kNarrow>
struct LaneStrip {
  std::uint32_t window[3];  ///< the words of the row from that with the next bit on; the last one arrives early
  std::uint32_t bit;        ///< of the row, the next one
  std::uint32_t columns;
  std::uint32_t codes[kColumns];  ///< behind the last column, copies of it
  float magnitudes[kColumns];
  std::uint32_t any_residual;  ///< the bits of all residuals of the row above
  std::uint32_t last;          ///< its last column, packed
  Neighbor above_left;

  __device__ void begin(const std::uint32_t* words, std::uint32_t first_bit, std::uint32_t column_count) {
    bit = first_bit;
    for (std::uint32_t i = 0; i < 3; ++i) window[i] = load_word(words + bit / 32 + i);
    columns = column_count;
    fill(kLc8FirstMagnitude);
    for (int x = 0; x < kColumns; ++x) codes[x] = kZeroCode;
    above_left = {kZeroCode, any_residual, magnitudes[0]};
    last = above_left.packed();
  }

  /// Every residual of the row has this magnitude.
  __device__ void fill(std::int32_t magnitude) {
    any_residual = static_cast<std::uint32_t>(magnitude) << 24;
    for (int x = 0; x < kColumns; ++x) magnitudes[x] = magnitude_of(any_residual);
  }

  /// Decodes the next row; `left` is the column before it.
  __device__ void next_row(const std::uint32_t* words, const std::uint32_t* tables, Neighbor left) {
    // A bit, if nothing around suggests a residual.
    const std::uint32_t row_bits = (any_residual | left.residual) == 0 ? 1 : 0;
    std::uint32_t next = bits_from(window[0], window[1], bit), word = bit / 32;
    const bool is_zero = (next & row_bits) != 0;
    next >>= row_bits;
    bit += row_bits;
    // In a row of zeros, each sum is of the least magnitudes, and with this weight it selects the zeros.
    const float left_weight = is_zero ? 6.0f : 2.0f;
    // What the row above adds to each sum.
    float sums[kColumns];
#pragma unroll
    for (int x = 0; x < kColumns; ++x) {
      const float before_it = x > 0 ? magnitudes[x - 1] : is_zero ? kExcess : above_left.magnitude;
      sums[x] = fmaf(2.0f, magnitudes[x], before_it + magnitudes[x + 1 < kColumns ? x + 1 : x]);
    }
    // The prediction is left + above - the median of both and the code above on the left.
    std::uint32_t least = std::min(above_left.code, codes[0]), most = std::max(above_left.code, codes[0]);
    above_left = left;
    any_residual = 0;
#pragma unroll
    for (int x = 0; x < kColumns; ++x) {
      if (kNarrow && static_cast<std::uint32_t>(x) >= columns) {
        if (static_cast<std::uint32_t>(x) == columns && x % 2 != 0) move_window(words, word);
        codes[x] = left.code;
        magnitudes[x] = left.magnitude;
        continue;
      }
      const float sum = fmaf(left_weight, left.magnitude, sums[x]);
      if (x > 0 && x % 2 == 0) next = bits_from(window[0], window[1], bit);
      const std::uint32_t index =
          select_bits(kLc8TableEntries - 1, next, bits_of(sum) >> (22 - kTableBits)) - (kFirstHalfOctave << kTableBits);
      const LaneEntry entry{tables[static_cast<std::int32_t>(index)]};
      left.residual = entry.residual(next);
      bit = entry.add_all_bits(bit);
      const std::uint32_t median = std::max(least, std::min(most, left.code)), above = codes[x];
      if (x + 1 < kColumns) {
        least = std::min(above, codes[x + 1]);
        most = std::max(above, codes[x + 1]);
      }
      left.code = left.code + above - median + left.residual;
      left.magnitude = magnitude_of(left.residual);
      codes[x] = left.code;
      magnitudes[x] = left.magnitude;
      any_residual |= left.residual;
      // Two residuals, and the bit before them, have at most 31 bits.
      if (x % 2 == 0) {
        next = bits_from(next, 0, entry.all_bits());
      } else {
        move_window(words, word);
      }
    }
    last = left.packed();
  }

  /// Decodes the next row of a plain strip, whose rows are `bits` bits apart.
  __device__ void next_plain_row(const std::uint32_t* words, std::uint32_t bits) {
    const std::uint32_t* const from = words + bit / 32;
    const std::uint32_t middle = load_word(from + 1);
    const std::uint32_t four[2] = {bits_from(load_word(from), middle, bit) ^ 0x80808080u,
                                   bits_from(middle, load_word(from + 2), bit) ^ 0x80808080u};
    Neighbor edge = {};
#pragma unroll
    for (int x = 0; x < kColumns; ++x) {
      codes[x] = four[x / 4] << (24 - 8 * (x % 4)) & 0xFF000000u;
      if (!kNarrow || static_cast<std::uint32_t>(x) < columns) edge.code = codes[x];
    }
    bit += bits;
    fill(kLc8PlainMagnitude);
    edge.residual = any_residual;
    last = edge.packed();
  }

  /// The codes of the row, with flipped signs.
  __device__ EightCodes row() const {
    std::uint32_t words[2];
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const std::uint32_t* const four = codes + 4 * i;
      words[i] = select_bytes(select_bytes(four[0], four[1], 0x0073), select_bytes(four[2], four[3], 0x0073), 0x5410);
    }
    return {words[0], words[1]};
  }

 private:
  /// Moves the window, which begins at `word`, on by a word if that is used.
  __device__ void move_window(const std::uint32_t* words, std::uint32_t& word) {
    const std::uint32_t next_word = bit / 32;
    load_next_word(next_word, word, words + next_word, window[0], window[1], window[2]);
    word = next_word;
  }
};

// ---- The kernel -------------------------------------------------------------

/// A unit is the work of four lanes for each of kPlanes planes: a group of strips. Planes that may be differences to
/// each other belong to one unit. Units are in the order of samples, groups of planes, bands, groups.
struct Lc8Work {
  Lc8Tiling tiling;
  std::uint32_t units;  ///< of the batch
  Divider units_per_sample, groups, bands;
};

/// Where a lane's strip is.
struct Lc8Place {
  std::uint32_t sample, plane, band, group, strip;

  /// `unit_lane` is the number of the lane in the unit.
  __device__ Lc8Place(const Lc8Work& work, std::uint32_t unit, std::uint32_t unit_lane) {
    sample = work.units_per_sample.quotient(unit);
    const std::uint32_t rest = work.units_per_sample.remainder(unit), place = work.groups.quotient(rest);
    group = work.groups.remainder(rest);
    plane = work.bands.quotient(place) + unit_lane / kGroupLanes;
    band = work.bands.remainder(place);
    strip = unit_lane % kGroupLanes;
  }
};

/// The sum of the `value` of the lanes before this one, number `lane` of kLanes lanes; `all` is that of all of them.
/// Lanes that are not among any kLanes get any sum.
template <unsigned kLanes>
__device__ std::uint32_t sum_before(std::uint32_t value, std::uint32_t lane, std::uint32_t& all) {
  std::uint32_t sum = value;
#pragma unroll
  for (unsigned distance = 1; distance < kLanes; distance *= 2) {
    const std::uint32_t other = __shfl_up_sync(~0u, sum, distance);
    if (lane >= distance) sum += other;
  }
  all = __shfl_sync(~0u, sum, static_cast<int>(threadIdx.x % kWarpThreads - lane + kLanes - 1));
  return sum - value;
}

/// Decodes the rows of a lane's strip.
template <int kPlanes, bool kNarrow>
class StripRows {
 public:
  static constexpr unsigned kUnitLanes = kPlanes * kGroupLanes, kBaseLane = kLc8ColorBase * kGroupLanes;

  /// Lane `unit_lane` of a unit. All lanes of the warp call these functions.
  __device__ StripRows(const Lc8Tiling& tiling, const CodedRow& row, const Lc8Place& place, std::uint32_t unit_lane,
                       const std::uint32_t* tables)
      : words_(reinterpret_cast<const std::uint32_t*>(row.bytes)),
        tables_(tables),
        strip_(place.strip),
        base_lane_(threadIdx.x % kWarpThreads - unit_lane + kBaseLane + place.strip) {
    const bool is_plain_row = row.size >= tiling.plain_bytes();
    const Lc8Parts parts(row.bytes, row.size, tiling);
    const std::int64_t strips = tiling.strips_of(place.group), rows = tiling.rows_of(place.band);
    const bool has_strip = place.strip < strips;
    const std::int64_t column = place.group * kLc8GroupStrips + (has_strip ? place.strip : 0);
    const auto columns = static_cast<std::uint32_t>(kNarrow ? tiling.columns_of(column) : kLc8Columns);
    rows_ = has_strip ? static_cast<std::uint32_t>(rows) : 0;
    if (kPlanes == kLc8ColorChannels && place.plane != kLc8ColorBase && !is_plain_row && parts.has_color_differences())
      differences_ = ~0u;

    // Lengths are in the order of planes, then strips. Lanes exchange those of their unit.
    std::uint64_t begin = is_plain_row ? 0 : parts.group_bit(place.band * tiling.groups + place.group);
    const std::int64_t first_strip = tiling.first_strip(place.band, place.group) + place.strip;
    const auto length_of = [&](std::int64_t plane) {
      return is_plain_row || !has_strip ? 0 : parts.length(first_strip + plane * strips);
    };
    const auto bits_of_length = [&](std::uint32_t length) {
      return static_cast<std::uint32_t>(Lc8Parts::bits_of_strip(length, rows, columns));
    };
    std::uint32_t length = 0, all;
    if constexpr (kPlanes == 1) {
      // Lanes of a warp may decode other planes, but exchange the lengths of all of them.
      std::uint64_t bit = begin;
      for (std::uint32_t plane = 0; plane < tiling.shape.channels; ++plane) {
        const std::uint32_t other = length_of(plane);
        const std::uint32_t before = sum_before<kUnitLanes>(bits_of_length(other), unit_lane, all);
        if (plane == place.plane) {
          length = other;
          begin = bit + before;
        }
        bit += all;
      }
    } else {
      length = length_of(place.plane);
      begin += sum_before<kUnitLanes>(bits_of_length(length), unit_lane, all);
    }
    auto bit = static_cast<std::uint32_t>(parts.clamped(begin));
    auto first_word = static_cast<std::uint32_t>(tiling.header_words());
    is_plain_ = is_plain_row || length == kLc8PlainLength;
    row_bits_ = 8 * columns;
    if (is_plain_row) {
      const std::int64_t y = place.plane * tiling.shape.height + place.band * tiling.band_rows;
      bit = static_cast<std::uint32_t>(8 * (y * tiling.shape.width + column * kLc8Columns));
      first_word = 0;
      row_bits_ = static_cast<std::uint32_t>(8 * tiling.shape.width);
    }
    codes_.begin(words_, 32 * first_word + bit, columns);
  }

  /// Of the strip; 0 if the lane has none.
  __device__ std::uint32_t rows() const { return rows_; }

  __device__ bool is_plain() const { return is_plain_; }

  /// Decodes the next row if the strip has one. Returns its codes with flipped signs. With kIsCommon, it has one, or
  /// the lane has no strip, and no strip of the warp is plain.
  template <bool kIsCommon>
  __device__ EightCodes next(bool has_row) {
    Neighbor left = Neighbor::of(__shfl_up_sync(~0u, codes_.last, 1));
    if (kIsCommon || has_row) {
      if (strip_ == 0) codes_.above_left = left = {codes_.codes[0], 0, codes_.magnitudes[0]};
      if (!kIsCommon && is_plain_)
        codes_.next_plain_row(words_, row_bits_);
      else
        codes_.next_row(words_, tables_, left);
    }
    EightCodes row = codes_.row();
    if constexpr (kPlanes == kLc8ColorChannels) {
      const std::uint32_t low = __shfl_sync(~0u, row.low, static_cast<int>(base_lane_));
      const std::uint32_t high = __shfl_sync(~0u, row.high, static_cast<int>(base_lane_));
      const std::uint32_t flips = differences_ & 0x80808080u;
      row = {add_bytes(row.low, low & differences_) ^ flips, add_bytes(row.high, high & differences_) ^ flips};
    }
    return row;
  }

 private:
  const std::uint32_t* words_;
  const std::uint32_t* tables_;
  std::uint32_t strip_, rows_;
  std::uint32_t base_lane_;        ///< the lane of the strip in the base plane
  std::uint32_t differences_ = 0;  ///< all ones: the codes are differences to the base plane
  std::uint32_t row_bits_;         ///< from row to row, if the strip is plain
  bool is_plain_;
  LaneStrip<kNarrow> codes_;
};

template <typename Value, int kPlanes, bool kNarrow>
__global__ void __launch_bounds__(kLc8Threads, kLc8Blocks)
    gather_lc8(const GatherArgs args, const Lc8Work work, const L2Priority priority) {
  alignas(16) __shared__ std::uint32_t tables[kSlots * kLc8TableEntries];
  fill_tables(args.packed.tables, tables);
  constexpr unsigned kUnitLanes = kPlanes * kGroupLanes, kWarpUnits = kWarpThreads / kUnitLanes;
  const unsigned lane = threadIdx.x % kWarpThreads, warp = (blockIdx.x * kLc8Threads + threadIdx.x) / kWarpThreads;
  const unsigned warp_unit = lane / kUnitLanes, unit_lane = lane % kUnitLanes;
  const std::uint32_t unit = warp * kWarpUnits + warp_unit;
  const bool is_wanted = warp_unit < kWarpUnits && unit < work.units;
  // Lanes without work take the last unit, because all lanes of a warp exchange codes.
  const Lc8Place place(work, is_wanted ? unit : work.units - 1, unit_lane);
  const std::int64_t row = row_at(args.selection, place.sample);
  __syncthreads();  // the tables are complete; and before the cursor advances
  // Here, so that the loop needs no registers for it.
  if (args.out_labels != nullptr && is_wanted) {
    const std::uint32_t lanes = kUnitLanes * work.units_per_sample.divisor();
    const std::uint32_t first = kUnitLanes * work.units_per_sample.remainder(unit) + unit_lane;
    for (std::int64_t word = first; word < args.packed.label_words; word += lanes) {
      copy_label_word(args, row, place.sample, word);
    }
  }
  const Lc8Tiling& tiling = work.tiling;
  if constexpr (std::is_same_v<Value, std::int8_t>) {
    // Rows that are only decoded are those of a selection without a cursor.
    const ImagePart strips = {lines_of(place.band, tiling.band_rows),
                              lines_of(place.group, kLc8GroupStrips * kLc8Columns)};
    if (!warp_needs(args.needed_parts, place.sample, strips)) return;
  }
  StripRows<kPlanes, kNarrow> rows(tiling, coded_row(args.packed, row), place, unit_lane, tables);

  Affine map = {};
  if constexpr (!std::is_same_v<Value, std::int8_t>) map = args.maps[args.uniform_map ? 0 : place.plane];
  const std::int64_t column = place.group * kLc8GroupStrips + place.strip;
  const std::int64_t first_value =
      ((static_cast<std::int64_t>(place.sample) * tiling.shape.channels + place.plane) * tiling.shape.height +
       place.band * tiling.band_rows) *
          tiling.shape.width +
      column * kLc8Columns;
  const std::uint32_t row_count = is_wanted ? rows.rows() : 0;
  const L2Policy policy(priority);
  // Each lane begins a row later than the one on its left.
  RowStores<Value, true> stores({.first = static_cast<Value*>(args.values) + first_value,
                                 .rows = row_count,
                                 .step = place.strip,
                                 .columns = static_cast<std::uint32_t>(tiling.columns_of(column)),
                                 .stride = static_cast<std::uint32_t>(tiling.shape.width)},
                                map, args.packed.value_step, policy);
  // Most values have no step, and in most warps no strip is plain and all have the rows of a whole band. Then all lanes
  // have a row in the common steps: after the last lane has begun, and before the first one is at its end.
  const auto band_rows = static_cast<std::uint32_t>(tiling.band_rows);
  const bool has_common_steps =
      args.packed.value_step == 1 && !rows.is_plain() && (row_count == 0 || row_count == band_rows);
  const std::uint32_t common_begin = kGroupLanes - 1;
  const std::uint32_t common_end = __all_sync(~0u, has_common_steps) ? band_rows : common_begin;
  for (std::uint32_t step = 0; step < band_rows + kGroupLanes - 1;) {
    const std::uint32_t end = step < common_begin ? common_begin : band_rows + kGroupLanes - 1;
#pragma unroll 1
    for (; step < end; ++step)
      stores.template store<false>(step, rows.template next<false>(step - place.strip < row_count));
#pragma unroll 1
    for (; step < common_end; ++step) stores.template store<true>(step, rows.template next<true>(true));
  }
  CursorAdvance(args.selection.cursor, args.cursor_batches).finish();
}

/// Planes of a unit: three of color images, else one.
int planes_of(const GatherArgs& args) { return args.sample.channels == kLc8ColorChannels ? kLc8ColorChannels : 1; }

std::int64_t units_per_sample(const GatherArgs& args, const Lc8Tiling& tiling) {
  return args.sample.channels / planes_of(args) * tiling.group_count();
}

/// Bits of a row have 32-bit numbers.
constexpr std::int64_t kMostLc8Values = std::int64_t{1} << 28;

bool has_lanes(const GatherArgs& args) {
  return args.sample.values() < kMostLc8Values &&
         args.batch_count < (std::int64_t{1} << 27) / units_per_sample(args, Lc8Tiling(args.sample));
}

template <typename Value, bool kNarrow>
cudaError_t launch_lc8(const GatherArgs& args, L2Priority priority, cudaStream_t stream) {
  const Lc8Tiling tiling(args.sample);
  const auto planes = static_cast<unsigned>(planes_of(args));
  const std::int64_t per_sample = units_per_sample(args, tiling), units = args.batch_count * per_sample;
  const Lc8Work work{tiling, static_cast<std::uint32_t>(units), Divider(per_sample), Divider(tiling.groups),
                     Divider(tiling.bands)};
  const std::int64_t block_units = kLc8Threads / kWarpThreads * (kWarpThreads / (planes * kGroupLanes));
  const dim3 blocks(static_cast<unsigned>((units + block_units - 1) / block_units)), threads(kLc8Threads);
  return launch(planes == 1 ? &gather_lc8<Value, 1, kNarrow> : &gather_lc8<Value, kLc8ColorChannels, kNarrow>, blocks,
                threads, stream, args, work, priority);
}

}  // namespace

template <typename Value>
bool takes_lc8(const GatherArgs& args) {
  return args.packed.coding == RowCoding::lc8 && is_planar(args) && args.pixel_shifts == nullptr &&
         args.sample.width % kLc8Columns == 0 && is_aligned(args.values, 16) && has_lanes(args);
}

template <typename Value>
cudaError_t launch_gather_lc8(const GatherArgs& args, const CachePolicies& policies, cudaStream_t stream) {
  return launch_lc8<Value, false>(args, policies.values, stream);
}

bool decodes_lc8(const GatherArgs& args) { return args.packed.coding == RowCoding::lc8 && has_lanes(args); }
cudaError_t launch_decode_lc8(const GatherArgs& args, cudaStream_t stream) {
  return args.sample.width % kLc8Columns == 0 ? launch_lc8<std::int8_t, false>(args, L2Priority::normal, stream)
                                              : launch_lc8<std::int8_t, true>(args, L2Priority::normal, stream);
}

#define OCTAVO_INSTANTIATE(Value)                    \
  template bool takes_lc8<Value>(const GatherArgs&); \
  template cudaError_t launch_gather_lc8<Value>(const GatherArgs&, const CachePolicies&, cudaStream_t);
OCTAVO_FOR_VALUE_TYPES(OCTAVO_INSTANTIATE)
#undef OCTAVO_INSTANTIATE

}  // namespace octavo::kernels::cuda
