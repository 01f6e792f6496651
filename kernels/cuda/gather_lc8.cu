// The gather of LC8 rows whose values keep the order of their codes: four lanes decode the strips of a group, convert
// each row of eight codes and store it, without memory in between.
//
// A code depends on the codes on its left, and those of a strip on the strip on the left. So each lane is a row behind
// the lane on its left, which passes on the last column of the row before.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "kernels/codecs/lc8_format.hpp"
#include "kernels/cuda/block/batch_rows.cuh"
#include "kernels/cuda/block/decode_words.cuh"
#include "kernels/cuda/block/launch.cuh"
#include "kernels/cuda/gather_variants.hpp"
#include "kernels/divider.hpp"

namespace octavo::kernels::cuda {
namespace {

constexpr unsigned kLc8Threads = 128;
/// Of a multiprocessor, which leaves each thread 128 registers.
constexpr unsigned kLc8Blocks = 4;
constexpr auto kGroupLanes = static_cast<unsigned>(kLc8GroupStrips);
constexpr int kColumns = static_cast<int>(kLc8Columns);

// ---- The tables in shared memory --------------------------------------------

// Codes and residuals are in the upper byte of a word, so that sums wrap as codes do. Magnitudes are floats of the same
// scale, each 0.17 units too large. The definition finds a class by a sum of six magnitudes (two of them count twice)
// plus 1. The sum of these exceeds it by 0.02, so rounding does not change the class.
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

__device__ float magnitude_of(std::uint32_t residual) {
  return fabsf(static_cast<float>(static_cast<std::int32_t>(residual))) + kExcess;
}

// ---- A strip ----------------------------------------------------------------

/// What a code sees of another one.
struct Neighbor {
  std::int32_t code;
  std::uint32_t residual;
  float magnitude;

  /// The last column of a row, in two bytes.
  __device__ static Neighbor of(std::uint32_t packed) {
    const std::uint32_t residual = packed << 24;
    return {static_cast<std::int32_t>(select_bytes(packed, 0, 0x1444)), residual, magnitude_of(residual)};
  }
};
__device__ std::uint32_t pack(std::uint32_t code, std::uint32_t residual) {
  return select_bytes(residual, code, 0x0073);
}

/// A strip of a plane, as far as it is decoded.
struct LaneStrip {
  std::uint32_t window[2];  ///< bits of the row; `used` of them, modulo 32, are used
  std::uint32_t used;
  std::uint32_t refills;   ///< 32 if the bit of this value in `used` shows that the window moves on; 0 if it does not
  std::uint32_t position;  ///< the word of the row after the window; if the strip is plain, the bit of its next row
  std::int32_t codes[kColumns];
  float magnitudes[kColumns];
  std::uint32_t any_residual;  ///< the bits of all residuals of the row above
  std::uint32_t last;          ///< its last column, packed
  Neighbor above_left;

  __device__ bool is_plain() const { return refills == 0; }

  __device__ void begin(const std::uint32_t* words, std::uint32_t word, std::uint32_t bit, bool plain) {
    window[0] = words[word];
    window[1] = words[word + 1];
    used = bit;
    refills = plain ? 0 : 32;
    position = plain ? 32 * word + bit : word + 2;
    fill(kLc8FirstMagnitude);
    for (int x = 0; x < kColumns; ++x) codes[x] = 0;
    last = pack(0, any_residual);
    above_left = Neighbor::of(last);
  }

  /// Every residual of the row has this magnitude.
  __device__ void fill(std::int32_t magnitude) {
    any_residual = static_cast<std::uint32_t>(magnitude) << 24;
    for (int x = 0; x < kColumns; ++x) magnitudes[x] = magnitude_of(any_residual);
  }

  /// Decodes the next row; `left` is the column before it. If the strip is plain, the result is unspecified, and the
  /// window stays where it is.
  __device__ void next_row(const std::uint32_t* words, const std::uint32_t* tables, Neighbor left) {
    // A bit, if nothing around suggests a residual.
    const std::uint32_t row_bits = (any_residual | left.residual) == 0 ? 1 : 0;
    std::uint32_t next = bits_from(window[0], window[1], used);
    const bool is_zero = (next & row_bits) != 0;
    next >>= row_bits;
    std::uint32_t before = used;
    used += row_bits;
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
    std::int32_t least = std::min(above_left.code, codes[0]), most = std::max(above_left.code, codes[0]);
    above_left = left;
    any_residual = 0;
#pragma unroll
    for (int x = 0; x < kColumns; ++x) {
      const float sum = fmaf(left_weight, left.magnitude, sums[x]);
      if (x > 0 && x % 2 == 0) next = bits_from(window[0], window[1], used);
      const std::uint32_t index =
          select_bits(kLc8TableEntries - 1, next, bits_of(sum) >> (22 - kTableBits)) - (kFirstHalfOctave << kTableBits);
      const LaneEntry entry{tables[static_cast<std::int32_t>(index)]};
      const std::uint32_t residual = entry.residual(next);
      used = entry.add_all_bits(used);
      const std::int32_t median = std::max(least, std::min(most, left.code)), above = codes[x];
      if (x + 1 < kColumns) {
        least = std::min(above, codes[x + 1]);
        most = std::max(above, codes[x + 1]);
      }
      left.code = static_cast<std::int32_t>(static_cast<std::uint32_t>(left.code) + static_cast<std::uint32_t>(above) -
                                            static_cast<std::uint32_t>(median) + residual);
      left.magnitude = magnitude_of(residual);
      codes[x] = left.code;
      magnitudes[x] = left.magnitude;
      any_residual |= residual;
      if (x + 1 == kColumns) last = pack(static_cast<std::uint32_t>(left.code), residual);
      // Two residuals, and the bit before them, have at most 31 bits.
      if (x % 2 == 0) {
        next = bits_from(next, 0, entry.all_bits());
      } else {
        move_window(words, before);
        before = used;
      }
    }
  }

  /// Decodes the next row of a plain strip, whose rows are `bits` bits apart.
  __device__ void next_plain_row(const std::uint32_t* words, std::uint32_t bits) {
    const std::uint32_t* const from = words + position / 32;
    const std::uint32_t middle = load_word(from + 1);
    const std::uint32_t four[2] = {bits_from(load_word(from), middle, position),
                                   bits_from(middle, load_word(from + 2), position)};
    for (int x = 0; x < kColumns; ++x) {
      codes[x] = static_cast<std::int32_t>(four[x / 4] << (24 - 8 * (x % 4)) & 0xFF000000u);
    }
    position += bits;
    fill(kLc8PlainMagnitude);
    last = pack(static_cast<std::uint32_t>(codes[kColumns - 1]), any_residual);
  }

  /// Moves the window on by a word if it is used, as it was not `before`.
  __device__ void move_window(const std::uint32_t* words, std::uint32_t before) {
    const std::uint32_t moves = (before ^ used) & refills;
    load_next_word(moves, words + position, window[0], window[1]);
    position += moves >> 5;
  }
};

// ---- The kernel -------------------------------------------------------------

/// A unit is the work of four lanes: a group of kPlanes planes. Planes that may be differences to each other belong to
/// one unit. Units are in the order of samples, planes, bands, groups.
struct Lc8Work {
  Lc8Tiling tiling;
  std::uint32_t units;  ///< of the batch
  Divider units_per_sample, groups, bands;
};

/// Where a lane's strip is.
struct Lc8Place {
  std::uint32_t sample, plane, band, group, lane;

  __device__ Lc8Place(const Lc8Work& work, std::uint32_t unit) {
    sample = work.units_per_sample.quotient(unit);
    const std::uint32_t rest = work.units_per_sample.remainder(unit), place = work.groups.quotient(rest);
    group = work.groups.remainder(rest);
    plane = work.bands.quotient(place);
    band = work.bands.remainder(place);
    lane = threadIdx.x % kGroupLanes;
  }
};

/// The sum of the `value` of the lanes of the group before this one; `all` is that of all four.
__device__ std::uint32_t sum_before(std::uint32_t value, std::uint32_t lane, std::uint32_t& all) {
  std::uint32_t sum = value;
#pragma unroll
  for (unsigned distance = 1; distance < kGroupLanes; distance *= 2) {
    const std::uint32_t other = __shfl_up_sync(~0u, sum, distance, kGroupLanes);
    if (lane >= distance) sum += other;
  }
  all = __shfl_sync(~0u, sum, kGroupLanes - 1, kGroupLanes);
  return sum - value;
}

/// Where a strip begins, from the payload of its row on, or, if that is stored as plain codes, from its first code on.
struct StripBegin {
  std::uint32_t bit;
  bool is_plain;
};

/// Decodes the rows of a lane's strips.
template <int kPlanes>
class LaneRows {
 public:
  __device__ LaneRows(const Lc8Tiling& tiling, const CodedRow& row, const Lc8Place& place, const std::uint32_t* tables)
      : words_(reinterpret_cast<const std::uint32_t*>(row.bytes)),
        tables_(tables),
        lane_(place.lane),
        width_(static_cast<std::uint32_t>(tiling.shape.width)) {
    const bool is_plain = row.size >= tiling.plain_bytes();
    const Lc8Parts parts(row.bytes, row.size, tiling);
    const std::int64_t strips = tiling.strips_of(place.group);
    const std::int64_t first_strip = tiling.first_strip(place.band, place.group) + lane_;
    const std::int64_t rows = tiling.rows_of(place.band);
    rows_ = lane_ < strips ? static_cast<std::uint32_t>(rows) : 0;
    is_plain_row_ = is_plain;
    if (kPlanes == kLc8ColorChannels) has_differences_ = !is_plain && parts.has_color_differences() ? 1 : 0;

    // Lengths are in the order of planes, then strips.
    std::uint64_t bit = is_plain ? 0 : parts.group_bit(place.band * tiling.groups + place.group);
    const auto next_strip = [&](std::int64_t plane) -> StripBegin {
      const std::uint32_t length = is_plain || lane_ >= strips ? 0 : parts.length(first_strip + plane * strips);
      std::uint32_t all;
      const std::uint64_t begin =
          bit + sum_before(static_cast<std::uint32_t>(Lc8Parts::bits_of_strip(length, rows, kLc8Columns)), lane_, all);
      bit += all;
      return {static_cast<std::uint32_t>(parts.clamped(begin)), length == kLc8PlainLength};
    };
    const auto begin_strip = [&](int k, StripBegin begin) {
      std::int64_t first_word = tiling.header_words();
      if (is_plain) {
        const std::int64_t column = place.group * kLc8GroupStrips + (lane_ < strips ? lane_ : 0);
        const std::int64_t y = (place.plane + k) * tiling.shape.height + place.band * tiling.band_rows;
        begin = {static_cast<std::uint32_t>(8 * (y * tiling.shape.width + column * kLc8Columns)), true};
        first_word = 0;
      }
      strips_[k].begin(words_, static_cast<std::uint32_t>(first_word) + begin.bit / 32, begin.bit % 32, begin.is_plain);
      has_plain_ = has_plain_ || begin.is_plain;
    };
    if constexpr (kPlanes == 1) {
      // Lanes of a warp may decode other planes, but exchange the lengths of all of them.
      StripBegin begin = {};
      for (std::uint32_t plane = 0; plane < tiling.shape.channels; ++plane) {
        const StripBegin other = next_strip(plane);
        if (plane == place.plane) begin = other;
      }
      begin_strip(0, begin);
    } else {
#pragma unroll
      for (int k = 0; k < kPlanes; ++k) begin_strip(k, next_strip(k));
    }
  }

  /// Of the strip; 0 if the lane has none.
  __device__ std::uint32_t rows() const { return rows_; }

  /// The lanes decode the next row if their strip has one. All lanes of the warp call it.
  __device__ void next(bool has_row) {
    Neighbor left[kPlanes];
#pragma unroll
    for (int k = 0; k < kPlanes; ++k) left[k] = Neighbor::of(__shfl_up_sync(~0u, strips_[k].last, 1, kGroupLanes));
    if (!has_row) return;
#pragma unroll
    for (int k = 0; k < kPlanes; ++k) {
      LaneStrip& strip = strips_[k];
      if (lane_ == 0) strip.above_left = left[k] = {strip.codes[0], 0, strip.magnitudes[0]};
      strip.next_row(words_, tables_, left[k]);
    }
    if (has_plain_) {
#pragma unroll
      for (int k = 0; k < kPlanes; ++k) {
        if (strips_[k].is_plain()) strips_[k].next_plain_row(words_, 8 * (is_plain_row_ ? width_ : kColumns));
      }
    }
  }

  /// A code of the row.
  __device__ std::int32_t code(int plane, int x) const {
    auto code = static_cast<std::uint32_t>(strips_[plane].codes[x]);
    if (kPlanes == kLc8ColorChannels && plane != kLc8ColorBase) {
      code += has_differences_ * static_cast<std::uint32_t>(strips_[kPlanes == 1 ? 0 : kLc8ColorBase].codes[x]);
    }
    return static_cast<std::int32_t>(code) >> 24;
  }

 private:
  const std::uint32_t* words_;
  const std::uint32_t* tables_;
  std::uint32_t lane_, rows_;
  std::uint32_t width_;
  std::uint32_t has_differences_ = 0;  ///< 1: planes are differences to the base plane
  bool is_plain_row_, has_plain_ = false;
  LaneStrip strips_[kPlanes];
};

/// The values of a row of eight codes, as words.
template <typename Value, typename CodeAt>
__device__ Words<kColumns * sizeof(Value)> decode_row(Affine map, const CodeAt& code_at) {
  Words<kColumns * sizeof(Value)> values;
#pragma unroll
  for (int x = 0; x < kColumns; x += 2) {
    const float low = decode(static_cast<float>(code_at(x)), map);
    const float high = decode(static_cast<float>(code_at(x + 1)), map);
    if constexpr (std::is_same_v<Value, float>) {
      values.words[x] = bits_of(low);
      values.words[x + 1] = bits_of(high);
    } else {
      values.words[x / 2] = round_pair_to<Value>(low, high);
    }
  }
  return values;
}

template <typename Value, int kPlanes>
__global__ void __launch_bounds__(kLc8Threads, kLc8Blocks)
    gather_lc8(const GatherArgs args, const Lc8Work work, const L2Priority priority) {
  __shared__ std::uint32_t tables[kSlots * kLc8TableEntries];
  for (std::uint32_t i = threadIdx.x; i < kSlots * kLc8TableEntries; i += kLc8Threads) {
    const std::uint32_t from = class_of_slot(i / kLc8TableEntries) * kLc8TableEntries + i % kLc8TableEntries;
    tables[i] = LaneEntry::of({args.packed.tables[from]}).word;
  }
  const std::uint32_t unit = (blockIdx.x * kLc8Threads + threadIdx.x) / kGroupLanes;
  const bool is_wanted = unit < work.units;
  // Lanes without work take the last unit, because all lanes of a warp exchange codes.
  const Lc8Place place(work, is_wanted ? unit : work.units - 1);
  const std::int64_t row = row_at(args.selection, place.sample);
  __syncthreads();  // the tables are complete; and before the cursor advances
  // Here, so that the loop needs no registers for it.
  if (args.out_labels != nullptr && is_wanted) {
    const std::uint32_t lanes = kGroupLanes * work.units_per_sample.divisor();
    const std::uint32_t first = kGroupLanes * work.units_per_sample.remainder(unit) + place.lane;
    for (std::int64_t word = first; word < args.packed.label_words; word += lanes) {
      copy_label_word(args, row, place.sample, word);
    }
  }
  const Lc8Tiling& tiling = work.tiling;
  LaneRows<kPlanes> rows(tiling, coded_row(args.packed, row), place, tables);

  Affine maps[kPlanes];
  for (int k = 0; k < kPlanes; ++k) maps[k] = args.maps[args.uniform_map ? 0 : place.plane + k];
  const L2Policy policy(priority);
  const auto plane_values = static_cast<std::uint32_t>(tiling.shape.values_per_channel());
  Value* out = static_cast<Value*>(args.values) +
               ((static_cast<std::int64_t>(place.sample) * tiling.shape.channels + place.plane) * tiling.shape.height +
                place.band * tiling.band_rows) *
                   tiling.shape.width +
               (place.group * kLc8GroupStrips + place.lane) * kLc8Columns;
  // Each lane begins a row later than the one on its left: with a row before its first one, whose number is very large.
  const std::uint32_t end = static_cast<std::uint32_t>(tiling.band_rows) + kGroupLanes - 1 - place.lane;
  const std::uint32_t row_count = is_wanted ? rows.rows() : 0;
#pragma unroll 1
  for (std::uint32_t y = 0 - place.lane; y != end; ++y) {
    const bool has_row = y < row_count;
    rows.next(has_row);
    if (!has_row) continue;
#pragma unroll
    for (int k = 0; k < kPlanes; ++k) {
      const auto values = decode_row<Value>(maps[k], [&](int x) { return rows.code(k, x); });
      constexpr int kStores = static_cast<int>(sizeof values / 16);
#pragma unroll
      for (int i = 0; i < kStores; ++i) {
        Words<16> part;
        for (int word = 0; word < 4; ++word) part.words[word] = values.words[4 * i + word];
        policy.store(true, out + static_cast<std::uint32_t>(k) * plane_values + i * kValuesPerStore<Value>, part);
      }
    }
    out += tiling.shape.width;
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

}  // namespace

template <typename Value>
bool takes_lc8(const GatherArgs& args) {
  const Lc8Tiling tiling(args.sample);
  return args.packed.coding == RowCoding::lc8 && is_planar(args) && args.pixel_shifts == nullptr &&
         args.sample.width % kLc8Columns == 0 && is_aligned(args.values, 16) && args.sample.values() < kMostLc8Values &&
         args.batch_count < (std::int64_t{1} << 29) / units_per_sample(args, tiling);
}

template <typename Value>
cudaError_t launch_gather_lc8(const GatherArgs& args, const CachePolicies& policies, cudaStream_t stream) {
  const Lc8Tiling tiling(args.sample);
  const std::int64_t per_sample = units_per_sample(args, tiling), units = args.batch_count * per_sample;
  const Lc8Work work{tiling, static_cast<std::uint32_t>(units), Divider(per_sample), Divider(tiling.groups),
                     Divider(tiling.bands)};
  const dim3 blocks(static_cast<unsigned>((units * kGroupLanes + kLc8Threads - 1) / kLc8Threads)), threads(kLc8Threads);
  return launch(planes_of(args) == 1 ? &gather_lc8<Value, 1> : &gather_lc8<Value, kLc8ColorChannels>, blocks, threads,
                stream, args, work, policies.values);
}

#define OCTAVO_INSTANTIATE(Value)                    \
  template bool takes_lc8<Value>(const GatherArgs&); \
  template cudaError_t launch_gather_lc8<Value>(const GatherArgs&, const CachePolicies&, cudaStream_t);
OCTAVO_FOR_VALUE_TYPES(OCTAVO_INSTANTIATE)
#undef OCTAVO_INSTANTIATE

}  // namespace octavo::kernels::cuda
