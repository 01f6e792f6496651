// The gather of LP8 rows whose values keep the order of their codes: a lane decodes a tile, converts each row of eight
// codes and stores it, without memory in between. Also decodes rows of any shape to codes.
#include <cstdint>

#include "kernels/codecs/lp8_rows.hpp"
#include "kernels/cuda/block/batch_rows.cuh"
#include "kernels/cuda/block/launch.cuh"
#include "kernels/cuda/block/needed_units.cuh"
#include "kernels/cuda/block/row_stores.cuh"
#include "kernels/cuda/gather_variants.hpp"
#include "kernels/divider.hpp"

namespace octavo::kernels::cuda {
namespace {

constexpr unsigned kLp8Threads = 128;

/// Of a multiprocessor, which leaves each thread 64 registers.
constexpr unsigned kLp8Blocks = 8;

/// A unit is the work of kPlanes lanes: the same tile of kPlanes planes, a lane each. Planes that may be differences to
/// each other belong to one unit. Units are in the order of samples, groups of planes, bands, columns.
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

/// Gives the rows of a lane's tile, with flipped signs. Behind the last one come rows of any contents. With kIsWhole,
/// tiles have eight columns.
template <int kPlanes, bool kIsWhole>
class TileRows {
 public:
  /// The tile of `plane`. Lane `base_lane` has that of the base plane, if there is one.
  __device__ TileRows(const Lp8Tiling& tiling, const CodedRow& row, const Lp8Place& place, std::uint32_t plane,
                      unsigned base_lane)
      : is_plain_(row.size >= tiling.plain_bytes()),
        width_(static_cast<std::uint32_t>(tiling.shape.width)),
        rows_left_(static_cast<std::uint32_t>(tiling.rows_of(place.band))),
        base_lane_(base_lane) {
    if (is_plain_) {
      codes_ = row.bytes + (plane * tiling.shape.height + place.band * tiling.band_rows) * tiling.shape.width +
               place.column * kLp8Columns;
      return;
    }
    const Lp8Parts parts(row, tiling);
    const Lp8Record record = parts.records[tiling.tile(plane, place.band, place.column)];
    // The base plane passes its flipped signs on to the others.
    if (kPlanes == kLp8ColorChannels && plane != kLp8ColorBase && parts.records[0].has_color_differences())
      differences_ = ~0u;
    tile_.begin(record, parts.payload_of(record), static_cast<std::uint32_t>(tiling.columns_of(place.column)),
                ~differences_ & 0x80);
  }

  __device__ bool is_plain() const { return is_plain_; }

  /// All lanes of the warp call it. With kIsCommon, none of them has a plain row.
  template <bool kIsCommon>
  __device__ EightCodes next() {
    EightCodes row = !kIsCommon && is_plain_ ? next_plain() : tile_.next_row();
    if constexpr (kPlanes == kLp8ColorChannels) {
      const std::uint32_t low = __shfl_sync(~0u, row.low, static_cast<int>(base_lane_));
      const std::uint32_t high = __shfl_sync(~0u, row.high, static_cast<int>(base_lane_));
      row = {add_bytes(row.low, low & differences_), add_bytes(row.high, high & differences_)};
    }
    return row;
  }

 private:
  __device__ EightCodes next_plain() {
    // Rows may have any alignment, and bytes of any contents behind them.
    const auto byte = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(codes_) % 4);
    const auto* const words = reinterpret_cast<const std::uint32_t*>(codes_ - byte);
    const EightCodes row = {bytes_from(words[0], words[1], byte) ^ 0x80808080u,
                            bytes_from(words[1], words[2], byte) ^ 0x80808080u};
    // A plain row may be the last one in its memory: the last row of a band is repeated.
    if (rows_left_ > 1) {
      --rows_left_;
      codes_ += width_;
    }
    return row;
  }

  bool is_plain_;
  std::uint32_t width_;
  const std::int8_t* codes_ = nullptr;
  std::uint32_t rows_left_;  ///< of the band, if they are plain
  unsigned base_lane_;
  std::uint32_t differences_ = 0;  ///< all ones: these codes are differences to the base plane
  Lp8Tile<kIsWhole> tile_;
};

template <typename Value, int kPlanes>
__global__ void __launch_bounds__(kLp8Threads, kLp8Blocks)
    gather_lp8(const GatherArgs args, const Lp8Work work, const L2Priority priority) {
  constexpr unsigned kWarpUnits = kWarpThreads / kPlanes;
  const unsigned lane = threadIdx.x % kWarpThreads, warp = (blockIdx.x * kLp8Threads + threadIdx.x) / kWarpThreads;
  const unsigned warp_unit = lane / kPlanes, unit_lane = lane % kPlanes;
  const std::uint32_t unit = warp * kWarpUnits + warp_unit;
  const bool is_wanted = warp_unit < kWarpUnits && unit < work.units;
  // Lanes without work decode the last unit, because their neighbors exchange codes with them.
  const Lp8Place place(work, is_wanted ? unit : work.units - 1);
  const std::uint32_t plane = place.plane + unit_lane;
  const std::int64_t row = row_at(args.selection, place.sample);
  __syncthreads();  // before the cursor advances
  const CursorAdvance cursor(args.selection.cursor, args.cursor_batches);
  const Lp8Tiling& tiling = work.tiling;
  if constexpr (std::is_same_v<Value, std::int8_t>) {
    // Rows that are only decoded are those of a selection without a cursor.
    const ImagePart tile = {lines_of(place.band, tiling.band_rows), lines_of(place.column, kLp8Columns)};
    if (!warp_needs(args.needed_parts, place.sample, tile)) return;
  }
  TileRows<kPlanes, !std::is_same_v<Value, std::int8_t>> rows(tiling, coded_row(args.packed, row), place, plane,
                                                              lane - unit_lane + kLp8ColorBase);

  Affine map = {};
  if constexpr (!std::is_same_v<Value, std::int8_t>) map = args.maps[args.uniform_map ? 0 : plane];
  const std::int64_t first_value =
      ((static_cast<std::int64_t>(place.sample) * tiling.shape.channels + plane) * tiling.shape.height +
       place.band * tiling.band_rows) *
          tiling.shape.width +
      place.column * kLp8Columns;
  const L2Policy policy(priority);
  RowStores<Value, false> stores({.first = static_cast<Value*>(args.values) + first_value,
                                  .rows = is_wanted ? static_cast<std::uint32_t>(tiling.rows_of(place.band)) : 0,
                                  .step = 0,
                                  .columns = static_cast<std::uint32_t>(tiling.columns_of(place.column)),
                                  .stride = static_cast<std::uint32_t>(tiling.shape.width)},
                                 map, args.packed.value_step, policy);
  const auto band_rows = static_cast<std::uint32_t>(tiling.band_rows);
  const auto store_rows = [&](auto is_common) {
#pragma unroll 1
    for (std::uint32_t y = 0; y < band_rows; ++y) {
      stores.template store<is_common>(y, rows.template next<is_common>());
    }
  };
  // Most values have no step, and in most warps no row is plain and all tiles have the rows of a whole band.
  const bool is_common =
      args.packed.value_step == 1 && !rows.is_plain() && (!is_wanted || tiling.rows_of(place.band) == tiling.band_rows);
  if (__all_sync(~0u, is_common)) {
    store_rows(std::true_type{});
  } else {
    store_rows(std::false_type{});
  }

  if (args.out_labels != nullptr && is_wanted) {
    const std::uint32_t first = kPlanes * work.units_per_sample.remainder(unit) + unit_lane;
    for (std::int64_t word = first; word < args.packed.label_words; word += kPlanes * work.units_per_sample.divisor()) {
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

bool has_lanes(const GatherArgs& args) {
  return args.batch_count < (std::int64_t{1} << 29) / units_per_sample(args, Lp8Tiling(args.sample));
}

template <typename Value>
cudaError_t launch_lp8(const GatherArgs& args, L2Priority priority, cudaStream_t stream) {
  const Lp8Tiling tiling(args.sample);
  const int planes = planes_of(args);
  const std::int64_t per_sample = units_per_sample(args, tiling), units = args.batch_count * per_sample;
  const Lp8Work work{tiling, static_cast<std::uint32_t>(units), Divider(per_sample), Divider(tiling.columns),
                     Divider(tiling.bands)};
  const std::int64_t block_units = kLp8Threads / kWarpThreads * (kWarpThreads / static_cast<unsigned>(planes));
  const dim3 blocks(static_cast<unsigned>((units + block_units - 1) / block_units)), threads(kLp8Threads);
  return launch(planes == 1 ? &gather_lp8<Value, 1> : &gather_lp8<Value, kLp8ColorChannels>, blocks, threads, stream,
                args, work, priority);
}

}  // namespace

template <typename Value>
bool takes_lp8(const GatherArgs& args) {
  return args.packed.coding == RowCoding::lp8 && is_planar(args) && args.pixel_shifts == nullptr &&
         args.sample.width % kLp8Columns == 0 && is_aligned(args.values, 16) && has_lanes(args);
}

template <typename Value>
cudaError_t launch_gather_lp8(const GatherArgs& args, const CachePolicies& policies, cudaStream_t stream) {
  return launch_lp8<Value>(args, policies.values, stream);
}

bool decodes_lp8(const GatherArgs& args) { return args.packed.coding == RowCoding::lp8 && has_lanes(args); }
cudaError_t launch_decode_lp8(const GatherArgs& args, cudaStream_t stream) {
  return launch_lp8<std::int8_t>(args, L2Priority::normal, stream);
}

#define OCTAVO_INSTANTIATE(Value)                    \
  template bool takes_lp8<Value>(const GatherArgs&); \
  template cudaError_t launch_gather_lp8<Value>(const GatherArgs&, const CachePolicies&, cudaStream_t);
OCTAVO_FOR_VALUE_TYPES(OCTAVO_INSTANTIATE)
#undef OCTAVO_INSTANTIATE

}  // namespace octavo::kernels::cuda
