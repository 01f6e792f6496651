// The gather of images that are flipped, cropped and erased. A block draws the steps of several images and turns them
// into tables of lines and words (moved_image.hpp). A lane then moves four pixels at a time: it loads the one or two
// words that hold them, puts their bytes in order with one permutation, and blends in what is filled.
#include <algorithm>
#include <cstddef>

#include "kernels/augment/moved_image.hpp"
#include "kernels/cuda/batch_rows.cuh"
#include "kernels/cuda/decode_words.cuh"
#include "kernels/cuda/gather_variants.hpp"
#include "kernels/cuda/interleave.cuh"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/tile_walk.cuh"
#include "kernels/divider.hpp"

namespace octavo::kernels::cuda {
namespace {

/// A unit is four pixels of a line. Units that a lane loads per step: of planes, 8 words; of interleaved channels, four
/// words of each.
template <int kChannels>
inline constexpr int kMovedUnits = kChannels == 1 ? 4 : 2;
template <int kChannels>
inline constexpr std::uint32_t kMostTileUnits = kMovedUnits<kChannels>* kWarpThreads;

inline constexpr std::uint32_t kMostMovedUnits = kMostTileUnits<1>;

/// Entries of a block's tables: of 8 images of up to 3x32x32, or of parts of larger ones.
constexpr std::int64_t kTableLines = 768, kTableWords = 512;
/// Warps per multiprocessor that a batch is divided into, so that blocks have several images to draw at once. 8 warps
/// of 32 lanes with 4 words each have 4 KB in flight and compute longer than those of the plain gather (geometry.hpp).
constexpr std::int64_t kMovedFullWarps = 8;
/// Blocks of 256 threads per multiprocessor: 80 registers, and 128 to fill pixels of any program.
constexpr int kLeastMovedBlocks = 3, kLeastFilledBlocks = 2;

/// A tile is some whole lines, or a part of one that is longer than a tile.
struct MovedShape {
  std::uint32_t lines;  ///< of an image
  std::uint32_t line_units;
  std::uint32_t tile_lines;
  Divider line_tiles;         ///< tiles per line; 1 if a tile has whole lines
  Divider channel_lines;      ///< H
  std::uint32_t table_lines;  ///< of an image in a block's tables
};

/// What a block knows of its images.
struct MovedBlock {
  SelectedSample samples[kMostSamples];
  const std::int8_t* codes[kMostSamples];
  MovingStep steps[kMostSamples][kMostAugmentOps];
  MovedAxis down[kMostSamples], across[kMostSamples];
  MovedFills fills[kMostSamples];
  MovedLine lines[kTableLines];
  MovedWord words[kTableWords + kMostMovedUnits];  // lanes beyond the end of a line read further
};

// All threads of a block call the functions below, one after the other, until its tables are ready.

/// Finds the samples of the block's images.
__device__ inline void find_samples(const GatherArgs& args, BlockPlaces places, MovedBlock& block) {
  if (threadIdx.x < static_cast<unsigned>(places.count)) {
    const SelectedSample sample = sample_at(args.selection, (places.first + threadIdx.x) / args.batch.views);
    block.samples[threadIdx.x] = sample;
    block.codes[threadIdx.x] = codes_of(args.packed, sample.row);
  }
  __syncthreads();
}

// Out of line, because few threads of a block call them.

OCTAVO_NO_INLINE __device__ static void draw_image_step(const GatherArgs& args, const SelectedSample& sample,
                                                        std::uint32_t view, unsigned op, MovingStep& step) {
  const AugmentProgram& program = *args.program;
  step = draw_moving_step(program.ops[op], program.sizes[op], draw_key(args, sample, view));
}

/// Determines what the pixels of an image share: an axis, or the fill values of a channel.
OCTAVO_NO_INLINE __device__ static void fill_image(const GatherArgs& args, MovedBlock& block, unsigned image,
                                                   std::int32_t task) {
  const AugmentProgram& program = *args.program;
  const MovingStep* const steps = block.steps[image];
  if (task == 0)
    block.down[image] = moved_axis(program, steps, ImageAxis::down);
  else if (task == 1)
    block.across[image] = moved_axis(program, steps, ImageAxis::across);
  else
    fill_channel(program, steps, args.maps[args.uniform_map ? 0 : task - 2], task - 2, block.fills[image]);
}

/// Draws the steps of the block's images. Lanes that draw the same operation are neighbors.
__device__ inline void draw_steps(const GatherArgs& args, BlockPlaces places, MovedBlock& block) {
  const auto count = static_cast<unsigned>(places.count);
  for (unsigned i = threadIdx.x; i < count * static_cast<unsigned>(args.program->op_count); i += blockDim.x) {
    const unsigned op = i / count, image = i % count;
    const auto view = static_cast<std::uint32_t>((places.first + image) % args.batch.views);
    draw_image_step(args, block.samples[image], view, op, block.steps[image][op]);
  }
  __syncthreads();
}

__device__ inline void fill_images(const GatherArgs& args, BlockPlaces places, MovedBlock& block) {
  const auto count = static_cast<unsigned>(places.count), tasks = static_cast<unsigned>(args.sample.channels) + 2;
  for (unsigned i = threadIdx.x; i < count * tasks; i += blockDim.x) {
    fill_image(args, block, i % count, static_cast<std::int32_t>(i / count));
  }
  __syncthreads();
}

/// Fills the tables, with lines from `first_line` on. Out of line, to save registers.
OCTAVO_NO_INLINE __device__ static void fill_tables(const GatherArgs& args, const MovedShape& shape, BlockPlaces places,
                                                    std::uint32_t first_line, MovedBlock& block) {
  const AugmentProgram& program = *args.program;
  const auto count = static_cast<unsigned>(places.count);
  for (unsigned i = threadIdx.x; i < count * shape.table_lines; i += blockDim.x) {
    const unsigned image = i % count, table_line = first_line + i / count;
    const unsigned line = table_line < shape.lines ? table_line : shape.lines - 1;
    block.lines[image * shape.table_lines + i / count] =
        moved_line(program, block.steps[image], block.down[image], static_cast<std::int32_t>(args.pixels),
                   static_cast<std::int32_t>(shape.channel_lines.quotient(line)),
                   static_cast<std::int32_t>(shape.channel_lines.remainder(line)));
  }
  for (unsigned i = threadIdx.x; i < count * shape.line_units; i += blockDim.x) {
    const unsigned image = i % count, word = i / count;
    block.words[image * shape.line_units + word] =
        moved_word(program, block.steps[image], block.across[image], static_cast<std::int32_t>(word) * kWordColumns);
  }
  __syncthreads();
}

/// A value of an image.
struct ValuePlace {
  std::int32_t c, y, x;
};

/// Stores four values of an image that is not simple; place_of(i) is where value i is in the image.
template <typename Value, typename PlaceOf>
__device__ inline void store_special(const GatherArgs& args, const MovingStep* steps, const std::int8_t* codes,
                                     Value* to, const PlaceOf& place_of) {
  const AugmentProgram& program = *args.program;
#pragma unroll 1
  for (std::int32_t i = 0; i < kWordColumns; ++i) {
    const ValuePlace at = place_of(i);
    const std::int8_t* const plane = codes + at.c * static_cast<std::int32_t>(args.pixels);
    const Affine map = moved_map(program, steps, args.maps[args.uniform_map ? 0 : at.c],
                                 erasure_at(program, steps, true, at.y, at.x), at.c);
    to[i] = round_to<Value>(decode(moved_code(program, steps, plane, at.c, at.y, at.x), map));
  }
}

// Out of line, because few images are not simple.

/// Stores the four values from `at` on, in one line.
template <typename Value>
OCTAVO_NO_INLINE __device__ static void store_special_unit(const GatherArgs& args, const MovingStep* steps,
                                                           const std::int8_t* codes, ValuePlace at, Value* to) {
  store_special(args, steps, codes, to, [&](std::int32_t i) { return ValuePlace{at.c, at.y, at.x + i}; });
}

/// Stores four values of pixels, of which the first is value `first` of a tile that begins at (y, x).
template <typename Value, int kChannels>
OCTAVO_NO_INLINE __device__ static void store_special_pixels(const GatherArgs& args, const MovingStep* steps,
                                                             const std::int8_t* codes, std::int32_t first,
                                                             std::int32_t y, std::int32_t x, Value* to) {
  const auto width = static_cast<std::int32_t>(args.batch.image.width);
  store_special(args, steps, codes, to, [&](std::int32_t i) {
    const std::int32_t value = first + i, pixel = x + value / kChannels;
    return ValuePlace{value % kChannels, y + pixel / width, pixel % width};
  });
}

__device__ inline std::uint32_t blended(std::uint32_t word, std::uint32_t fill, std::uint32_t mask) {
  return (word & ~mask) | (fill & mask);
}

/// Replaces the values of the bytes in `mask`.
template <typename Value>
__device__ inline void blend_values(Words<kWordColumns* static_cast<int>(sizeof(Value))>& values, float filled,
                                    std::uint32_t mask) {
  if constexpr (sizeof(Value) == 4) {
#pragma unroll
    for (unsigned i = 0; i < 4; ++i) {
      values.words[i] = blended(values.words[i], bits_of(filled), permute_bytes(mask, 0, 0x1111u * i));
    }
  } else {
    const std::uint32_t pair = round_pair_to<Value>(filled, filled);
    values.words[0] = blended(values.words[0], pair, permute_bytes(mask, 0, 0x1100));
    values.words[1] = blended(values.words[1], pair, permute_bytes(mask, 0, 0x3322));
  }
}

/// The codes of a lane's units, with flipped signs, in the order in which they are stored.
template <int kUnits, int kChannels>
struct StoredUnits {
  std::uint32_t words[kUnits * kChannels];
};
/// The two neighboring words that hold each of them, as they are loaded.
template <int kUnits, int kChannels>
struct LoadedUnits {
  std::uint32_t low[kUnits * kChannels], high[kUnits * kChannels];
  std::uint32_t offset[kUnits * kChannels];  ///< of the unit in its sample, which begins with a whole word

  /// Waits for the loads.
  __device__ StoredUnits<kUnits, kChannels> flipped() const {
    StoredUnits<kUnits, kChannels> stored;
#pragma unroll
    for (int i = 0; i < kUnits * kChannels; ++i)
      stored.words[i] = flip_signs(bytes_from(low[i], high[i], offset[i] % 4));
    return stored;
  }
};

/// A tile of an image: its first line and unit, and the entries of the tables for them.
struct MovedTile {
  std::uint32_t line, unit;
  std::uint32_t count;  ///< units, which are next to each other in the output
  const MovedLine* lines;
  const MovedWord* words;
};

/// The tiles of a block's images, as a lane sees them.
template <int kChannels>
struct MovedTiles {
  static constexpr int kUnits = kMovedUnits<kChannels>;
  static constexpr std::uint32_t kLineBytes = sizeof(MovedLine), kWordBytes = sizeof(MovedWord);

  const GatherArgs& args;
  const MovedShape& shape;
  const MovedBlock& block;
  std::uint32_t first_line;  ///< of the tables
  /// The lane's units in any tile, as bytes of the tables: of lines below its first one, in the upper half, and of
  /// units after the first one of a line.
  std::uint32_t lane_places[kUnits];

  __device__ MovedTiles(const GatherArgs& gather, const MovedShape& of_images, const MovedBlock& of_block,
                        std::uint32_t line)
      : args(gather), shape(of_images), block(of_block), first_line(line) {
#pragma unroll
    for (unsigned k = 0; k < kUnits; ++k) {
      const std::uint32_t unit = k * kWarpThreads + threadIdx.x % kWarpThreads;
      const std::uint32_t below = unit / shape.line_units;  // 0 in a part of a line
      // Lanes without a unit read the entries of another one.
      lane_places[k] =
          below < shape.tile_lines ? below * kLineBytes << 16 | (unit - below * shape.line_units) * kWordBytes : 0;
    }
  }

  /// If the step is not one of the block's, the first entries of the tables.
  __device__ MovedTile tile(Step step, bool is_step = true) const {
    constexpr std::uint32_t kMost = kMostTileUnits<kChannels>;
    MovedTile tile;
    const std::uint32_t row = shape.line_tiles.quotient(step.tile);
    tile.line = is_step ? row * shape.tile_lines : first_line;
    tile.unit = (step.tile - row * shape.line_tiles.divisor()) * kMost;
    const std::uint32_t lines_left = shape.lines - tile.line;
    const std::uint32_t lines = lines_left < shape.tile_lines ? lines_left : shape.tile_lines;
    const std::uint32_t units_left = lines * shape.line_units - tile.unit;
    tile.count = units_left < kMost ? units_left : kMost;
    const auto image = static_cast<std::uint32_t>(step.sample);
    tile.lines = block.lines + (image * shape.table_lines + tile.line - first_line);
    tile.words = block.words + (image * shape.line_units + tile.unit);
    return tile;
  }
  __device__ bool has(const MovedTile& tile, int k) const {
    return static_cast<unsigned>(k) * kWarpThreads + threadIdx.x % kWarpThreads < tile.count;
  }
  __device__ const MovedLine& line(const MovedTile& tile, int k) const {
    return *reinterpret_cast<const MovedLine*>(reinterpret_cast<const std::byte*>(tile.lines) + (lane_places[k] >> 16));
  }
  __device__ const MovedWord& word(const MovedTile& tile, int k) const {
    return *reinterpret_cast<const MovedWord*>(reinterpret_cast<const std::byte*>(tile.words) +
                                               (lane_places[k] & 0xFFFFu));
  }
  __device__ std::uint32_t lane_line(int k) const { return (lane_places[k] >> 16) / kLineBytes; }
  __device__ std::uint32_t lane_unit(int k) const { return (lane_places[k] & 0xFFFFu) / kWordBytes; }
  /// Where the lane's first value of a tile is stored.
  template <typename Value>
  __device__ Value* out(const MovedTile& tile, std::int64_t image) const {
    const std::int64_t first = (image * shape.lines + tile.line) * shape.line_units + tile.unit;
    return static_cast<Value*>(args.values) + (first * kChannels + threadIdx.x % kWarpThreads) * kWordColumns;
  }
};

/// Loads the words of a lane's units.
template <int kChannels>
__device__ inline auto load_units(const MovedTiles<kChannels>& tiles, const L2Policy& policy, Step step, bool wanted) {
  LoadedUnits<kMovedUnits<kChannels>, kChannels> loaded;
  const MovedTile tile = tiles.tile(step, wanted);
  const std::int8_t* const codes = tiles.block.codes[step.sample];
#pragma unroll
  for (int k = 0; k < kMovedUnits<kChannels>; ++k) {
    auto offset = static_cast<std::uint32_t>(tiles.line(tile, k).offset + tiles.word(tile, k).first);
    const bool is_wanted = wanted && tiles.has(tile, k);
#pragma unroll
    for (int c = 0; c < kChannels; ++c) {
      const int i = k * kChannels + c;
      const std::int8_t* const low = codes + (offset & ~3u);
      loaded.low[i] = policy.load_word(is_wanted, low);
      loaded.high[i] = policy.load_word(is_wanted && offset % 4 != 0, low + 4);
      loaded.offset[i] = offset;
      offset += static_cast<std::uint32_t>(tiles.args.pixels);
    }
  }
  return loaded;
}

/// The codes of a unit, filled where crops and erasures fill codes.
__device__ inline std::uint32_t moved_codes(std::uint32_t stored, const MovedLine& line, const MovedWord& word,
                                            const MovedChannel& channel, bool erases_values) {
  const std::uint32_t moved =
      blended(permute_bytes(stored, 0, word.selector), channel.beyond, line.beyond | word.beyond);
  return erases_values ? moved : blended(moved, channel.erased, line.erased & word.erased);
}

/// Whether a value of 0 that an erasure fills has the sign of the code below it: -0 + 0 * code.
__device__ inline bool is_negative_zero(float value) { return bits_of(value) == 0x80000000u; }

/// Stores units of planes. kFills: of an image that may not be simple, or in which an erasure may fill values.
template <bool kFills, typename Value>
__device__ inline void store_units(const MovedTiles<1>& tiles, const L2Policy& policy, Step step,
                                   const StoredUnits<kMovedUnits<1>, 1>& stored, std::int64_t image) {
  const MovedTile tile = tiles.tile(step);
  const MovedFills& fills = tiles.block.fills[step.sample];
  Value* const out = tiles.template out<Value>(tile, image);
#pragma unroll
  for (int k = 0; k < kMovedUnits<1>; ++k) {
    const MovedLine line = tiles.line(tile, k);
    const MovedWord word = tiles.word(tile, k);
    bool is_wanted = tiles.has(tile, k);
    const MovedChannel channel = fills.channels[line.channel];
    const Words<4> codes = {moved_codes(stored.words[k], line, word, channel, kFills && fills.erases_values)};
    auto values = decode_words<Value>(codes, [&](int) { return channel.map; });
    Value* const to = out + k * static_cast<int>(kWarpThreads) * kWordColumns;
    if constexpr (kFills) {
      const std::uint32_t erased = line.erased & word.erased;
      const float filled = fills.erased_maps[line.channel].shift;
      if (fills.erases_values) blend_values<Value>(values, filled, erased);
      const bool is_special = fills.is_simple ? erased != 0 && fills.erases_values && is_negative_zero(filled)
                                              : (line.beyond | word.beyond | erased) != 0;
      if (is_wanted && is_special) {
        is_wanted = false;
        const std::uint32_t y = tiles.shape.channel_lines.remainder(tile.line + tiles.lane_line(k));
        const std::uint32_t x = (tile.unit + tiles.lane_unit(k)) * kWordColumns;
        const ValuePlace at = {static_cast<std::int32_t>(line.channel), static_cast<std::int32_t>(y),
                               static_cast<std::int32_t>(x)};
        store_special_unit(tiles.args, tiles.block.steps[step.sample], tiles.block.codes[step.sample], at, to);
      }
    }
    policy.store(is_wanted, to, values);
  }
}

/// Shared memory in which a warp puts a tile of pixels in the order of the output: codes, and masks of the values that
/// are filled.
template <int kChannels, bool kFills>
struct PixelTiles {
  std::uint32_t codes[kMostTileUnits<kChannels> * kChannels];
  std::uint32_t filled[kFills ? kMostTileUnits<kChannels> * kChannels : 1];
};
template <bool kFills>
struct PixelTiles<1, kFills> {};

/// Stages units of interleaved channels.
template <bool kFills, int kChannels>
__device__ inline void stage_pixels(const MovedTiles<kChannels>& tiles, const MovedFills& fills, const MovedTile& tile,
                                    const StoredUnits<kMovedUnits<kChannels>, kChannels>& stored,
                                    PixelTiles<kChannels, kFills>& staged) {
  __syncwarp();  // all lanes have read the tiles before
#pragma unroll
  for (unsigned k = 0; k < kMovedUnits<kChannels>; ++k) {
    const MovedLine line = tiles.line(tile, static_cast<int>(k));
    const MovedWord word = tiles.word(tile, static_cast<int>(k));
    const std::uint32_t at = (k * kWarpThreads + threadIdx.x % kWarpThreads) * kChannels;
    std::uint32_t planes[kChannels], pixels[kChannels];
#pragma unroll
    for (unsigned c = 0; c < kChannels; ++c) {
      planes[c] =
          moved_codes(stored.words[k * kChannels + c], line, word, fills.channels[c], kFills && fills.erases_values);
    }
    interleave(planes, pixels);
#pragma unroll
    for (unsigned i = 0; i < kChannels; ++i) staged.codes[at + i] = pixels[i];
    if constexpr (kFills) {
      const std::uint32_t erased = line.erased & word.erased;
#pragma unroll
      for (std::uint32_t& plane : planes) {
        plane = !fills.is_simple ? line.beyond | word.beyond | erased : fills.erases_values ? erased : 0;
      }
      interleave(planes, pixels);
#pragma unroll
      for (unsigned i = 0; i < kChannels; ++i) staged.filled[at + i] = pixels[i];
    }
  }
  __syncwarp();
}

/// Replaces the values of word `at` of a tile of pixels that an erasure fills. Of an image that is not simple, it
/// stores the word. Returns whether it did.
template <typename Value, int kChannels>
__device__ inline bool fill_pixels(const MovedTiles<kChannels>& tiles, Step step, const MovedTile& tile,
                                   std::uint32_t at, std::uint32_t filled, Value* to,
                                   Words<kWordColumns* static_cast<int>(sizeof(Value))>& values) {
  const MovedFills& fills = tiles.block.fills[step.sample];
  bool is_special = !fills.is_simple;
#pragma unroll
  for (std::uint32_t i = 0; i < kWordColumns; ++i) {
    const float value = fills.erased_maps[(at * kWordColumns + i) % kChannels].shift;
    is_special = is_special || is_negative_zero(value);
    blend_values<Value>(values, value, filled & 0xFFu << (8 * i));
  }
  if (!is_special) return false;
  store_special_pixels<Value, kChannels>(tiles.args, tiles.block.steps[step.sample], tiles.block.codes[step.sample],
                                         static_cast<std::int32_t>(at) * kWordColumns,
                                         static_cast<std::int32_t>(tile.line),
                                         static_cast<std::int32_t>(tile.unit) * kWordColumns, to);
  return true;
}

/// Stores units of interleaved channels: neighboring lanes store neighboring words of four values.
template <bool kFills, typename Value, int kChannels>
__device__ inline void store_pixels(const MovedTiles<kChannels>& tiles, const L2Policy& policy, Step step,
                                    const StoredUnits<kMovedUnits<kChannels>, kChannels>& stored, std::int64_t image,
                                    PixelTiles<kChannels, kFills>& staged) {
  const MovedTile tile = tiles.tile(step);
  const MovedFills& fills = tiles.block.fills[step.sample];
  const std::uint32_t lane = threadIdx.x % kWarpThreads;
  Value* const out = tiles.template out<Value>(tile, image);
  stage_pixels<kFills>(tiles, fills, tile, stored, staged);
  // The channel of value i of word `lane` is (phase + i) % kChannels.
  const std::uint32_t phase = lane * kWordColumns % kChannels;
  Affine maps[kChannels];
  if constexpr (!kFills) {
#pragma unroll
    for (unsigned i = 0; i < kChannels; ++i) maps[i] = fills.channels[(phase + i) % kChannels].map;
  }
#pragma unroll
  for (int k = 0; k < kMovedUnits<kChannels> * kChannels; ++k) {
    constexpr int kValuesBetween = static_cast<int>(kWarpThreads) * kWordColumns;
    const std::uint32_t at = static_cast<std::uint32_t>(k) * kWarpThreads + lane;
    auto values = decode_words<Value>(Words<4>{staged.codes[at]}, [&](int i) {
      // Filling pixels takes many registers.
      if constexpr (kFills) return fills.channels[(at * kWordColumns + static_cast<unsigned>(i)) % kChannels].map;
      return maps[(k * kValuesBetween + i) % kChannels];
    });
    bool is_wanted = at < tile.count * kChannels;
    Value* const to = out + k * kValuesBetween;
    if constexpr (kFills) {
      if (is_wanted && staged.filled[at] != 0) {
        is_wanted = !fill_pixels<Value>(tiles, step, tile, at, staged.filled[at], to, values);
      }
    }
    policy.store(is_wanted, to, values);
  }
}

/// Writes the labels of the block's images that are the first of their samples. Out of line, to save registers.
OCTAVO_NO_INLINE __device__ static void write_labels(const GatherArgs& args, BlockPlaces places,
                                                     const MovedBlock& block) {
  if (args.out_labels == nullptr || blockIdx.y != 0) return;
  const std::int64_t width = label_width(args);
  for (std::int64_t i = threadIdx.x; i < places.count * width; i += blockDim.x) {
    const std::int64_t image = i / width, at = places.first + image;
    if (at % args.batch.views != 0) continue;
    write_label_number(args, unmixed(block.samples[image]), at / args.batch.views, i % width);
  }
}

/// kChannels: 1 for planes one after the other, else of a pixel. kFills: for AugmentDemand::moves.
template <typename Value, int kChannels, bool kFills>
__global__ void __launch_bounds__(kMostThreads, kFills ? kLeastFilledBlocks : kLeastMovedBlocks)
    gather_moved(const __grid_constant__ GatherArgs args, const __grid_constant__ MovedShape shape,
                 const WorkShare share, const CachePolicies policies) {
  __shared__ MovedBlock block;
  __shared__ PixelTiles<kChannels, kFills> staged[kMostWarps];
  const BlockPlaces places = block_places(args.batch_count * args.batch.views, share.samples_per_block);
  find_samples(args, places, block);
  draw_steps(args, places, block);
  fill_images(args, places, block);
  const MovedTiles<kChannels> tiles(args, shape, block,
                                    shape.line_tiles.quotient(blockIdx.y * share.tiles_per_split) * shape.tile_lines);
  fill_tables(args, shape, places, tiles.first_line, block);

  const L2Policy codes_policy(policies.codes), values_policy(policies.values);
  const auto load = [&](Step step, bool wanted) { return load_units(tiles, codes_policy, step, wanted); };
  const auto store = [&](Step step, const auto& stored) {
    const std::int64_t image = places.first + step.sample;
    if constexpr (kChannels == 1)
      store_units<kFills, Value>(tiles, values_policy, step, stored, image);
    else
      store_pixels<kFills, Value>(tiles, values_policy, step, stored, image, staged[threadIdx.x / kWarpThreads]);
  };
  run_steps(
      TileWalk(share, places.count), load, [] {}, [](std::uint32_t) {}, store);
  write_labels(args, places, block);
  // The ticket is drawn late, to save registers.
  CursorAdvance(args.selection.cursor, args.cursor_batches).finish();
}

bool is_interleaved(const GatherArgs& args) { return args.batch.layout == Layout::nhwc && args.sample.channels != 1; }

/// The shape of an image of `lines` lines of `line_units` units, without the lines in tables.
template <int kChannels>
MovedShape moved_shape(std::int64_t lines, std::int64_t line_units, std::int64_t height) {
  constexpr std::int64_t kUnits = kMostTileUnits<kChannels>;
  const std::int64_t tile_lines = std::max<std::int64_t>(1, std::min(lines, kUnits / line_units));
  return {static_cast<std::uint32_t>(lines),
          static_cast<std::uint32_t>(line_units),
          static_cast<std::uint32_t>(tile_lines),
          Divider((line_units + kUnits - 1) / kUnits),
          Divider(height),
          0};
}

/// Lines of an image that `tiles` tiles may touch.
std::int64_t lines_in_tiles(const MovedShape& shape, std::int64_t tiles) {
  const std::int64_t line_tiles = shape.line_tiles.divisor();
  return ((tiles + line_tiles - 1) / line_tiles + (line_tiles > 1)) * shape.tile_lines;
}

/// The geometry of a batch of `images` images, whose blocks' tables have room.
BatchGeometry moved_geometry(std::int64_t images, const MovedShape& shape, const DeviceTraits& device) {
  const std::int64_t tiles =
      (shape.lines + shape.tile_lines - 1) / shape.tile_lines * std::int64_t{shape.line_tiles.divisor()};
  BatchGeometry geometry = batch_geometry(images, tiles, device, kMostWarps, kMovedFullWarps);
  while (lines_in_tiles(shape, geometry.tiles_per_split) > kTableLines) --geometry.tiles_per_split;
  geometry.samples_per_block =
      static_cast<int>(std::min({std::int64_t{geometry.samples_per_block}, kTableWords / std::int64_t{shape.line_units},
                                 kTableLines / lines_in_tiles(shape, geometry.tiles_per_split)}));
  geometry.groups = static_cast<unsigned>((images + geometry.samples_per_block - 1) / geometry.samples_per_block);
  geometry.splits = (geometry.tiles_per_sample + geometry.tiles_per_split - 1) / geometry.tiles_per_split;
  return geometry;
}

template <typename Value, int kChannels, bool kFills>
cudaError_t launch_as(const GatherArgs& args, const CachePolicies& policies, const DeviceTraits& device,
                      cudaStream_t stream) {
  const SampleShape& to = args.batch.image;
  MovedShape shape =
      moved_shape<kChannels>(to.height * (kChannels == 1 ? to.channels : 1), to.width / kWordColumns, to.height);
  const BatchGeometry geometry = moved_geometry(args.batch_count * args.batch.views, shape, device);
  shape.table_lines = static_cast<std::uint32_t>(lines_in_tiles(shape, geometry.tiles_per_split));
  return launch(gather_moved<Value, kChannels, kFills>, dim3(geometry.groups, geometry.splits),
                dim3(geometry.block_threads), stream, args, shape, work_share(geometry), policies);
}

template <typename Value, int kChannels>
cudaError_t launch_channels(const GatherArgs& args, const CachePolicies& policies, const DeviceTraits& device,
                            cudaStream_t stream) {
  return args.augment_demand == AugmentDemand::simple_moves
             ? launch_as<Value, kChannels, false>(args, policies, device, stream)
             : launch_as<Value, kChannels, true>(args, policies, device, stream);
}

}  // namespace

template <typename Value>
bool takes_moved(const GatherArgs& args) {
  const SampleShape &from = args.sample, &to = args.batch.image;
  const std::int64_t most_side = std::max({from.height, from.width, to.height, to.width});
  return !args.mix.is_on && most_side <= kMostMovedSide && from.channels <= kMostMovedChannels &&
         (!is_interleaved(args) || from.channels >= 3) && from.width >= kWordColumns && to.width % kWordColumns == 0 &&
         is_aligned(args.packed, 4) && is_aligned(args.values, kWordColumns * sizeof(Value));
}

template <typename Value>
cudaError_t launch_gather_moved(const GatherArgs& args, const CachePolicies& policies, const DeviceTraits& device,
                                cudaStream_t stream) {
  if (!is_interleaved(args)) return launch_channels<Value, 1>(args, policies, device, stream);
  return args.sample.channels == 3 ? launch_channels<Value, 3>(args, policies, device, stream)
                                   : launch_channels<Value, 4>(args, policies, device, stream);
}

#define OCTAVO_INSTANTIATE(Value)                                                                               \
  template bool takes_moved<Value>(const GatherArgs&);                                                          \
  template cudaError_t launch_gather_moved<Value>(const GatherArgs&, const CachePolicies&, const DeviceTraits&, \
                                                  cudaStream_t);
OCTAVO_FOR_VALUE_TYPES(OCTAVO_INSTANTIATE)
#undef OCTAVO_INSTANTIATE

}  // namespace octavo::kernels::cuda
