// The gather of images that are flipped, cropped and erased: a block turns the steps of an image into tables along its
// axes, so that the instructions of a value, however many steps there are, leave the memory its time.
#include <algorithm>

#include "kernels/augment/moved_image.hpp"
#include "kernels/cuda/batch_rows.cuh"
#include "kernels/cuda/block_image.cuh"
#include "kernels/cuda/decode_words.cuh"
#include "kernels/cuda/gather_variants.hpp"
#include "kernels/cuda/launch.cuh"
#include "kernels/divider.hpp"

namespace octavo::kernels::cuda {
namespace {

/// Pixels of an image per block, so that large images have several blocks: a block makes its own tables.
constexpr std::int64_t kBlockPixels = 8192, kMostBlocks = 64;
constexpr int kInterleavedChannels = 3;
/// Blocks per multiprocessor: with 4, drawing would spill registers. 3 blocks of 256 threads with 8 codes each have 6
/// KB in flight for float32, with 16 codes 12 KB for half types; an H200 needs 4.6 and 7.6 KB (geometry.hpp).
constexpr int kLeastImageBlocks = 3;

/// The units of an image: the pixels that a thread makes at once, in one row.
struct UnitShape {
  std::uint32_t units;  ///< of an image, or, with planes, of all its planes
  Divider units_per_row;
  Divider rows_per_plane;
};

/// The codes of some pixels, one in each register, so that nothing waits for them before packed() is called.
template <int kPixels>
struct UnitCodes {
  std::int8_t codes[kPixels];

  /// The same with flipped signs.
  __device__ Words<kPixels> packed() const {
    Words<kPixels> words{};
#pragma unroll
    for (int i = 0; i < kPixels; ++i) {
      words.words[i / 4] |= static_cast<std::uint32_t>(static_cast<std::uint8_t>(codes[i])) << (8 * (i % 4));
    }
#pragma unroll
    for (std::uint32_t& word : words.words) word ^= 0x80808080u;
    return words;
  }
};

/// A code where pixels may be beyond the edge, or erased. Out of line, because few are.
OCTAVO_NO_INLINE __device__ std::int8_t bordered_code(const AugmentProgram& program, const MovedImage& image,
                                                      const std::int8_t* plane, std::int32_t width, std::int32_t c,
                                                      std::int32_t y, std::int32_t x) {
  return moved_code(program, image, plane, width, c, y, x);
}

template <int kPixels>
__device__ inline UnitCodes<kPixels> unit_codes(const AugmentProgram& program, const MovedImage& image,
                                                const std::int8_t* plane, std::int32_t width, std::int32_t c,
                                                std::int32_t y, std::int32_t x) {
  const std::int32_t row = image.rows[y];
  const auto columns = *reinterpret_cast<const Words<2 * kPixels>*>(image.columns + x);
  std::uint32_t signs = static_cast<std::uint32_t>(row);
#pragma unroll
  for (const std::uint32_t two : columns.words) signs |= two | two << 16;
  UnitCodes<kPixels> unit;
  if (static_cast<std::int32_t>(signs) >= 0 && (image.erased_rows[y] & image.code_erasures) == 0) {
    const std::int8_t* const from = plane + row * width;
#pragma unroll
    for (int i = 0; i < kPixels; ++i) {
      unit.codes[i] = load_code(from + (columns.words[i / 2] >> (16 * (i % 2)) & 0xFFFFu));
    }
  } else {
#pragma unroll
    for (int i = 0; i < kPixels; ++i) unit.codes[i] = bordered_code(program, image, plane, width, c, y, x + i);
  }
  return unit;
}

/// The maps of pixels in a row.
struct RowMaps {
  const MovedImage& image;
  std::int32_t y, x;
  bool is_erased;  ///< whether values of the row are erased

  __device__ RowMaps(const MovedImage& moved, std::int32_t row, std::int32_t column)
      : image(moved), y(row), x(column), is_erased((moved.erased_rows[row] & ~moved.code_erasures) != 0) {}
  __device__ Affine of(std::int32_t c, int i) const {
    return is_erased ? moved_map(image, c, y, x + i) : image.maps[c];
  }
};

/// Where a unit of a plane is.
struct PlanePlace {
  std::int32_t c, y, x;
};
template <int kPixels>
__device__ inline PlanePlace plane_place(const UnitShape& shape, std::uint32_t unit) {
  const std::uint32_t line = shape.units_per_row.quotient(unit);
  return {static_cast<std::int32_t>(shape.rows_per_plane.quotient(line)),
          static_cast<std::int32_t>(shape.rows_per_plane.remainder(line)),
          static_cast<std::int32_t>(shape.units_per_row.remainder(unit)) * kPixels};
}

/// Channels one after the other: a unit is a store of one channel. Two units at once, so that the codes of both are in
/// flight.
template <typename Value>
__device__ inline void store_plane_units(const GatherArgs& args, const MovedImage& image, const std::int8_t* codes,
                                         const UnitShape& shape, std::uint32_t first, std::uint32_t stride,
                                         Value* out) {
  constexpr int kPixels = kValuesPerStore<Value>, kUnits = 2;
  const auto width = static_cast<std::int32_t>(args.sample.width);
  const auto pixels = static_cast<std::int32_t>(args.pixels);
  PlanePlace places[kUnits];
  UnitCodes<kPixels> made[kUnits];
#pragma unroll
  for (int k = 0; k < kUnits; ++k) {
    // Beyond the end, the last unit is made again.
    const std::uint32_t unit = first + static_cast<unsigned>(k) * stride;
    const PlanePlace at = places[k] = plane_place<kPixels>(shape, unit < shape.units ? unit : shape.units - 1);
    made[k] = unit_codes<kPixels>(*args.program, image, codes + at.c * pixels, width, at.c, at.y, at.x);
  }
#pragma unroll
  for (int k = 0; k < kUnits; ++k) {
    const std::uint32_t unit = first + static_cast<unsigned>(k) * stride;
    const PlanePlace at = places[k];
    const RowMaps maps(image, at.y, at.x);
    const auto values = decode_words<Value>(made[k].packed(), [&](int i) { return maps.of(at.c, i); });
    if (unit < shape.units) reinterpret_cast<Words<16>*>(out)[unit] = values;
  }
}

/// Interleaved channels: a unit is a store for each channel.
template <typename Value>
__device__ inline void store_pixel_unit(const GatherArgs& args, const MovedImage& image, const std::int8_t* codes,
                                        const UnitShape& shape, std::uint32_t unit, Value* out) {
  constexpr int kPixels = kValuesPerStore<Value>, kChannels = kInterleavedChannels;
  const auto y = static_cast<std::int32_t>(shape.units_per_row.quotient(unit));
  const auto x = static_cast<std::int32_t>(shape.units_per_row.remainder(unit)) * kPixels;
  const auto width = static_cast<std::int32_t>(args.sample.width);
  const auto pixels = static_cast<std::int32_t>(args.pixels);
  UnitCodes<kPixels> planes[kChannels];
#pragma unroll
  for (int c = 0; c < kChannels; ++c) {
    planes[c] = unit_codes<kPixels>(*args.program, image, codes + c * pixels, width, c, y, x);
  }
  const RowMaps maps(image, y, x);
#pragma unroll
  for (int store = 0; store < kChannels; ++store) {
    UnitCodes<kPixels> mixed;
#pragma unroll
    for (int i = 0; i < kPixels; ++i) {
      const int value = store * kPixels + i;
      mixed.codes[i] = planes[value % kChannels].codes[value / kChannels];
    }
    reinterpret_cast<Words<16>*>(out)[unit * kChannels + store] = decode_words<Value>(mixed.packed(), [&](int i) {
      const int value = store * kPixels + i;
      return maps.of(value % kChannels, value / kChannels);
    });
  }
}

template <typename Value, bool kIsInterleaved>
__global__ void __launch_bounds__(kImageThreads, kLeastImageBlocks)
    gather_moved(const GatherArgs args, const UnitShape shape) {
  __shared__ BlockImage<false> image;
  __shared__ MovedImage moved;
  draw_block_image<MovingDraws>(args, blockIdx.x, image);
  const CursorAdvance cursor(args.selection.cursor, args.cursor_batches);
  fill_moved(*args.program, image.drawn[0], args.maps, args.uniform_map,
             static_cast<std::int32_t>(args.sample.channels), static_cast<std::int32_t>(threadIdx.x),
             static_cast<std::int32_t>(blockDim.x), moved);
  __syncthreads();
  const std::int8_t* const codes = codes_of(args.packed, image.mixed.sample.row);
  Value* const out = static_cast<Value*>(args.values) + blockIdx.x * args.batch.image.values();
  const std::uint32_t stride = gridDim.y * kImageThreads;
  std::uint32_t unit = blockIdx.y * kImageThreads + threadIdx.x;
  if constexpr (kIsInterleaved) {
    for (; unit < shape.units; unit += stride) store_pixel_unit(args, moved, codes, shape, unit, out);
  } else {
    for (; unit < shape.units; unit += 2 * stride) store_plane_units(args, moved, codes, shape, unit, stride, out);
  }
  if (blockIdx.y == 0) write_label(args, image.mixed, blockIdx.x);
  cursor.finish();
}

bool is_interleaved(const GatherArgs& args) { return args.batch.layout == Layout::nhwc && args.sample.channels != 1; }

}  // namespace

template <typename Value>
bool takes_moved(const GatherArgs& args) {
  const SampleShape& to = args.batch.image;
  const std::int64_t channels = args.sample.channels;
  return !args.mix.is_on && std::max(to.height, to.width) <= kMostMovedSide && channels <= kMostMovedChannels &&
         std::max(args.sample.height, args.sample.width) <= INT16_MAX && to.width % kValuesPerStore<Value> == 0 &&
         is_aligned(args.values, 16) && (!is_interleaved(args) || channels == kInterleavedChannels);
}

template <typename Value>
cudaError_t launch_gather_moved(const GatherArgs& args, cudaStream_t stream) {
  const SampleShape& to = args.batch.image;
  const std::int64_t row_units = to.width / kValuesPerStore<Value>;
  const std::int64_t lines = is_interleaved(args) ? to.height : to.height * to.channels;
  const UnitShape shape = {static_cast<std::uint32_t>(lines * row_units), Divider(row_units), Divider(to.height)};
  const std::int64_t parts = std::min(kMostBlocks, (to.values_per_channel() + kBlockPixels - 1) / kBlockPixels);
  const dim3 blocks(static_cast<unsigned>(args.batch_count * args.batch.views), static_cast<unsigned>(parts));
  return launch(is_interleaved(args) ? &gather_moved<Value, true> : &gather_moved<Value, false>, blocks,
                dim3(kImageThreads), stream, args, shape);
}

#define OCTAVO_INSTANTIATE(Value)                      \
  template bool takes_moved<Value>(const GatherArgs&); \
  template cudaError_t launch_gather_moved<Value>(const GatherArgs&, cudaStream_t);
OCTAVO_FOR_VALUE_TYPES(OCTAVO_INSTANTIATE)
#undef OCTAVO_INSTANTIATE

}  // namespace octavo::kernels::cuda
