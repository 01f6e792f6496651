// The gather of LP8 rows whose values keep the order of their codes: a lane decodes a tile, converts each row of eight
// codes and stores it, without memory in between.
#include <cstdint>

#include "kernels/codecs/lp8_rows.hpp"
#include "kernels/cuda/block/batch_rows.cuh"
#include "kernels/cuda/block/decode_words.cuh"
#include "kernels/cuda/block/launch.cuh"
#include "kernels/cuda/gather_variants.hpp"
#include "kernels/divider.hpp"

namespace octavo::kernels::cuda {
namespace {

constexpr unsigned kLp8Threads = 128;

/// Of a multiprocessor, which leaves each thread 96 registers. Without it the compiler spills registers on 7.5 to fit a
/// sixth block, and takes 127 registers on 12.0.
constexpr unsigned kLp8Blocks = 5;

/// A unit is the work of a lane: the same tile of kPlanes planes. Planes that may be differences to each other belong
/// to one unit. Units are in the order of samples, groups of planes, bands, columns.
struct Lp8Work {
  Lp8Tiling tiling;
  std::uint32_t units;  ///< of the batch
  Divider units_per_sample, columns, bands;
};

/// Where a unit is.
struct Lp8Place {
  std::uint32_t sample, plane, band, column;

  __device__ Lp8Place(const Lp8Work& work, std::uint32_t unit) {
    sample = work.units_per_sample.quotient(unit);
    const std::uint32_t rest = work.units_per_sample.remainder(unit), group = work.columns.quotient(rest);
    column = work.columns.remainder(rest);
    plane = work.bands.quotient(group);
    band = work.bands.remainder(group);
  }
};

/// Gives the rows of a unit, with flipped signs. Behind the last one come rows of any contents.
template <int kPlanes>
class UnitRows {
 public:
  __device__ UnitRows(const Lp8Tiling& tiling, const CodedRow& row, const Lp8Place& place)
      : is_plain_(row.size >= tiling.plain_bytes()),
        width_(tiling.shape.width),
        rows_left_(static_cast<std::uint32_t>(tiling.rows_of(place.band))) {
    if (is_plain_) {
      plane_values_ = tiling.shape.values_per_channel();
      codes_ = row.bytes + (place.plane * tiling.shape.height + place.band * tiling.band_rows) * width_ +
               place.column * kLp8Columns;
      return;
    }
    const Lp8Parts parts(row, tiling);
    if (kPlanes == kLp8ColorChannels) differences_ = parts.records[0].has_color_differences() ? ~0u : 0;
    for (int k = 0; k < kPlanes; ++k) {
      const Lp8Record record = parts.records[tiling.tile(place.plane + k, place.band, place.column)];
      // The base plane passes its flipped signs on to the others.
      const bool is_difference = k != kLp8ColorBase && differences_ != 0;
      tiles_[k].begin(record, parts.payload_of(record), kLp8Columns, is_difference ? 0 : 0x80);
    }
  }

  __device__ void next(EightCodes (&rows)[kPlanes]) {
    if (is_plain_) {
      for (int k = 0; k < kPlanes; ++k) {
        const auto* const words = reinterpret_cast<const std::uint32_t*>(codes_ + k * plane_values_);
        rows[k] = {words[0] ^ 0x80808080u, words[1] ^ 0x80808080u};
      }
      // A plain row may be the last one in its memory: the last row of a band is repeated.
      if (rows_left_ > 1) {
        --rows_left_;
        codes_ += width_;
      }
      return;
    }
#pragma unroll
    for (int k = 0; k < kPlanes; ++k) rows[k] = tiles_[k].next_row();
    if constexpr (kPlanes == kLp8ColorChannels) {
      const std::uint32_t low = rows[kLp8ColorBase].low & differences_, high = rows[kLp8ColorBase].high & differences_;
      for (const int k : {0, 2}) rows[k] = {add_bytes(rows[k].low, low), add_bytes(rows[k].high, high)};
    }
  }

 private:
  bool is_plain_;
  std::int64_t width_, plane_values_ = 0;
  const std::int8_t* codes_ = nullptr;
  std::uint32_t rows_left_;  ///< of the band, if they are plain
  std::uint32_t differences_ = 0;
  Lp8Tile tiles_[kPlanes];
};

/// Stores a row of eight values per lane. Four float32 values are a store; lanes exchange half of their codes with a
/// neighbor, so that a store of a warp writes whole sectors.
template <typename Value>
class RowStores {
 public:
  /// `out` is where the unit's first row goes; it has `rows` of them.
  __device__ RowStores(Value* out, std::uint32_t rows, const L2Policy& policy) : policy_(policy) {
    if constexpr (kExchanges) {
      const auto address = reinterpret_cast<unsigned long long>(out);
      const unsigned long long other = __shfl_xor_sync(~0u, address, 1);
      const std::uint32_t other_rows = __shfl_xor_sync(~0u, rows, 1);
      is_odd_ = threadIdx.x % 2 != 0;
      out_[0] = reinterpret_cast<Value*>(is_odd_ ? other : address) + (is_odd_ ? 4 : 0);
      out_[1] = reinterpret_cast<Value*>(is_odd_ ? address : other) + (is_odd_ ? 4 : 0);
      rows_[0] = is_odd_ ? other_rows : rows;
      rows_[1] = is_odd_ ? rows : other_rows;
    } else {
      out_[0] = out;
      rows_[0] = rows;
    }
  }

  /// Stores row `y` of a plane, which starts `offset` values after the unit's first row.
  __device__ void store(std::uint32_t y, std::int64_t offset, const EightCodes& codes, Affine map) const {
    const auto map_of = [&](int) { return map; };
    if constexpr (kExchanges) {
      const std::uint32_t other = __shfl_xor_sync(~0u, is_odd_ ? codes.low : codes.high, 1);
      const Words<4> first = {{is_odd_ ? other : codes.low}}, second = {{is_odd_ ? codes.high : other}};
      policy_.store(y < rows_[0], out_[0] + offset, decode_words<Value>(first, map_of));
      policy_.store(y < rows_[1], out_[1] + offset, decode_words<Value>(second, map_of));
    } else {
      const Words<8> eight = {{codes.low, codes.high}};
      policy_.store(y < rows_[0], out_[0] + offset, decode_words<Value>(eight, map_of));
    }
  }

 private:
  static constexpr bool kExchanges = sizeof(Value) == 4;
  const L2Policy& policy_;
  Value* out_[2];
  std::uint32_t rows_[2];
  bool is_odd_ = false;
};

template <typename Value, int kPlanes>
__global__ void __launch_bounds__(kLp8Threads, kLp8Blocks)
    gather_lp8(const GatherArgs args, const Lp8Work work, const L2Priority priority) {
  const std::uint32_t unit = blockIdx.x * kLp8Threads + threadIdx.x;
  const bool is_wanted = unit < work.units;
  // Lanes without work decode the last unit, because their neighbors exchange codes with them.
  const Lp8Place place(work, is_wanted ? unit : work.units - 1);
  const std::int64_t row = row_at(args.selection, place.sample);
  __syncthreads();  // before the cursor advances
  const CursorAdvance cursor(args.selection.cursor, args.cursor_batches);
  const Lp8Tiling& tiling = work.tiling;
  UnitRows<kPlanes> rows(tiling, coded_row(args.packed, row), place);

  Affine maps[kPlanes];
  for (int k = 0; k < kPlanes; ++k) maps[k] = args.maps[args.uniform_map ? 0 : place.plane + k];
  const std::int64_t first_value =
      ((static_cast<std::int64_t>(place.sample) * tiling.shape.channels + place.plane) * tiling.shape.height +
       place.band * tiling.band_rows) *
          tiling.shape.width +
      place.column * kLp8Columns;
  const L2Policy policy(priority);
  const RowStores<Value> stores(static_cast<Value*>(args.values) + first_value,
                                is_wanted ? static_cast<std::uint32_t>(tiling.rows_of(place.band)) : 0, policy);
  const std::int64_t plane_values = tiling.shape.values_per_channel();
  std::int64_t offset = 0;
#pragma unroll 1
  for (std::uint32_t y = 0; y < static_cast<std::uint32_t>(tiling.band_rows); ++y, offset += tiling.shape.width) {
    EightCodes codes[kPlanes];
    rows.next(codes);
#pragma unroll
    for (int k = 0; k < kPlanes; ++k) stores.store(y, offset + k * plane_values, codes[k], maps[k]);
  }

  if (args.out_labels != nullptr && is_wanted) {
    const std::uint32_t first = work.units_per_sample.remainder(unit);
    for (std::int64_t word = first; word < args.packed.label_words; word += work.units_per_sample.divisor()) {
      copy_label_word(args, row, place.sample, word);
    }
  }
  cursor.finish();
}

/// Planes of a unit: three of color images, else one.
int planes_of(const GatherArgs& args) { return args.sample.channels == kLp8ColorChannels ? kLp8ColorChannels : 1; }

std::int64_t units_per_sample(const GatherArgs& args, const Lp8Tiling& tiling) {
  return args.sample.channels / planes_of(args) * tiling.bands * tiling.columns;
}

}  // namespace

template <typename Value>
bool takes_lp8(const GatherArgs& args) {
  const Lp8Tiling tiling(args.sample);
  return args.packed.coding == RowCoding::lp8 && is_planar(args) && args.pixel_shifts == nullptr &&
         args.sample.width % kLp8Columns == 0 && is_aligned(args.values, 16) &&
         args.batch_count < (std::int64_t{1} << 31) / units_per_sample(args, tiling);
}

template <typename Value>
cudaError_t launch_gather_lp8(const GatherArgs& args, const CachePolicies& policies, cudaStream_t stream) {
  const Lp8Tiling tiling(args.sample);
  const std::int64_t per_sample = units_per_sample(args, tiling), units = args.batch_count * per_sample;
  const Lp8Work work{tiling, static_cast<std::uint32_t>(units), Divider(per_sample), Divider(tiling.columns),
                     Divider(tiling.bands)};
  const dim3 blocks(static_cast<unsigned>((units + kLp8Threads - 1) / kLp8Threads)), threads(kLp8Threads);
  return launch(planes_of(args) == 1 ? &gather_lp8<Value, 1> : &gather_lp8<Value, kLp8ColorChannels>, blocks, threads,
                stream, args, work, policies.values);
}

#define OCTAVO_INSTANTIATE(Value)                    \
  template bool takes_lp8<Value>(const GatherArgs&); \
  template cudaError_t launch_gather_lp8<Value>(const GatherArgs&, const CachePolicies&, cudaStream_t);
OCTAVO_FOR_VALUE_TYPES(OCTAVO_INSTANTIATE)
#undef OCTAVO_INSTANTIATE

}  // namespace octavo::kernels::cuda
