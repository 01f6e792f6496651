// The gather of images that are flipped, cropped and erased. A block draws the steps of several images and turns them
// into tables of lines and words (moved_image.hpp). A lane then moves four pixels at a time: it loads the one or two
// words that hold them, puts their bytes in order with one permutation, and blends in what is filled.
#include <algorithm>

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
inline constexpr std::uint32_t kMostTileUnits = kMovedUnits<kChannels> * kWarpThreads;

/// Entries of a block's tables: of 8 images of up to 3x32x32, or of parts of larger ones.
constexpr std::int64_t kTableLines = 768, kTableWords = 512;
/// Warps per multiprocessor that a batch is divided into, so that blocks have several images to draw at once. 8 warps of
/// 32 lanes with 4 words each have 4 KB in flight and compute longer than those of the plain gather (geometry.hpp).
constexpr std::int64_t kMovedFullWarps = 8;
/// 80 registers: 3 blocks of 256 threads.
constexpr int kLeastMovedBlocks = 3;

/// A tile is some whole lines, or a part of one that is longer than a tile.
struct MovedShape {
  std::uint32_t lines;       ///< of an image
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
  MovedWord words[kTableWords];
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

/// Draws the steps of the block's images. Lanes that draw the same operation are neighbors.
__device__ inline void draw_steps(const GatherArgs& args, BlockPlaces places, MovedBlock& block) {
  const AugmentProgram& program = *args.program;
  const auto count = static_cast<unsigned>(places.count);
  for (unsigned i = threadIdx.x; i < count * static_cast<unsigned>(program.op_count); i += blockDim.x) {
    const unsigned op = i / count, image = i % count;
    const auto view = static_cast<std::uint32_t>((places.first + image) % args.batch.views);
    block.steps[image][op] =
        draw_moving_step(program.ops[op], program.sizes[op], draw_key(args, block.samples[image], view));
  }
  __syncthreads();
}

/// Out of line, because few threads of a block do it.
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

/// Determines what the pixels of each image share: an axis, or the fill values of a channel, per thread.
__device__ inline void fill_images(const GatherArgs& args, BlockPlaces places, MovedBlock& block) {
  const auto count = static_cast<unsigned>(places.count), tasks = static_cast<unsigned>(args.sample.channels) + 2;
  for (unsigned i = threadIdx.x; i < count * tasks; i += blockDim.x) {
    fill_image(args, block, i % count, static_cast<std::int32_t>(i / count));
  }
  __syncthreads();
}

/// Fills the tables, with lines from `first_line` on.
__device__ inline void fill_tables(const GatherArgs& args, const MovedShape& shape, BlockPlaces places,
                                   std::uint32_t first_line, MovedBlock& block) {
  const AugmentProgram& program = *args.program;
  const auto count = static_cast<unsigned>(places.count);
  for (unsigned i = threadIdx.x; i < count * shape.table_lines; i += blockDim.x) {
    const unsigned image = i % count, line = first_line + i / count;
    if (line >= shape.lines) break;
    block.lines[image * shape.table_lines + i / count] =
        moved_line(program, block.steps[image], block.down[image], static_cast<std::int32_t>(args.pixels),
                   static_cast<std::int32_t>(shape.channel_lines.quotient(line)),
                   static_cast<std::int32_t>(shape.channel_lines.remainder(line)));
  }
  for (unsigned i = threadIdx.x; i < count * shape.line_units; i += blockDim.x) {
    const unsigned image = i % count, word = i / count;
    block.words[image * shape.line_units + word] = moved_word(program, block.steps[image], block.across[image],
                                                              static_cast<std::int32_t>(word) * kWordColumns);
  }
  __syncthreads();
}

/// The value at (y, x) of channel `c` of an image that is not simple. Out of line, because few images are.
template <typename Value>
OCTAVO_NO_INLINE __device__ static Value special_value(const GatherArgs& args, const MovingStep* steps,
                                                       const std::int8_t* codes, std::int32_t c, std::int32_t y,
                                                       std::int32_t x) {
  const AugmentProgram& program = *args.program;
  const std::int8_t code =
      moved_code(program, steps, codes + c * static_cast<std::int32_t>(args.pixels), c, y, x);
  return round_to<Value>(decode(code, moved_map(program, steps, args.maps[args.uniform_map ? 0 : c],
                                                erasure_at(program, steps, true, y, x), c)));
}

__device__ inline std::uint32_t blended(std::uint32_t word, std::uint32_t fill, std::uint32_t mask) {
  return (word & ~mask) | (fill & mask);
}

/// Replaces the values of the bytes in `mask`.
template <typename Value>
__device__ inline void blend_values(Words<kWordColumns * static_cast<int>(sizeof(Value))>& values, float filled,
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

/// The codes of a lane's units, with flipped signs, but in the order in which they are stored.
template <int kUnits, int kChannels>
struct StoredUnits {
  std::uint32_t words[kUnits * kChannels];
};
/// The two neighboring words that hold each of them, as they are loaded.
template <int kUnits, int kChannels>
struct LoadedUnits {
  std::uint32_t low[kUnits * kChannels], high[kUnits * kChannels];
  unsigned shift[kUnits * kChannels];  ///< bytes before the unit; only its remainder by 4 counts

  /// Waits for the loads.
  __device__ StoredUnits<kUnits, kChannels> flipped() const {
    StoredUnits<kUnits, kChannels> stored;
#pragma unroll
    for (int i = 0; i < kUnits * kChannels; ++i) stored.words[i] = flip_signs(bytes_from(low[i], high[i], shift[i] % 4));
    return stored;
  }
};

/// Where a tile is in its image.
struct TilePlace {
  std::uint32_t line, unit;  ///< its first ones
  std::uint32_t count;       ///< its units, which are next to each other in the output

  __device__ TilePlace(const MovedShape& shape, std::uint32_t tile, std::uint32_t most_units)
      : line(shape.line_tiles.quotient(tile) * shape.tile_lines), unit(shape.line_tiles.remainder(tile) * most_units) {
    const std::uint32_t lines_left = shape.lines - line, lines = lines_left < shape.tile_lines ? lines_left : shape.tile_lines;
    const std::uint32_t units_left = lines * shape.line_units - unit;
    count = units_left < most_units ? units_left : most_units;
  }
};

/// The units of a lane in any tile: lines below its first one, and units of a line after its first one.
template <int kChannels>
struct LaneUnits {
  std::uint32_t lines[kMovedUnits<kChannels>], units[kMovedUnits<kChannels>];

  __device__ explicit LaneUnits(const MovedShape& shape) {
#pragma unroll
    for (unsigned k = 0; k < kMovedUnits<kChannels>; ++k) {
      const std::uint32_t unit = k * kWarpThreads + threadIdx.x % kWarpThreads;
      lines[k] = unit / shape.line_units;  // 0 in a part of a line
      units[k] = unit - lines[k] * shape.line_units;
    }
  }
};

/// A unit of a lane: what the tables say of it.
struct MovedUnit {
  bool exists;  ///< otherwise, the tables' entries are those of another one
  const MovedLine& line;
  const MovedWord& word;
};

/// The tiles of a block's images, as a lane sees them.
template <int kChannels>
struct MovedTiles {
  const GatherArgs& args;
  const MovedShape& shape;
  const MovedBlock& block;
  std::uint32_t first_tile;  ///< of the block
  std::uint32_t first_line;  ///< of the tables
  LaneUnits<kChannels> lane;

  __device__ TilePlace place(Step step) const { return TilePlace(shape, step.tile, kMostTileUnits<kChannels>); }
  __device__ MovedUnit unit(Step step, const TilePlace& tile, int k) const {
    const bool exists = static_cast<unsigned>(k) * kWarpThreads + threadIdx.x % kWarpThreads < tile.count;
    const auto image = static_cast<std::uint32_t>(step.sample);
    const std::uint32_t line = exists ? lane.lines[k] : 0, word = exists ? lane.units[k] : 0;
    return {exists, block.lines[image * shape.table_lines + tile.line - first_line + line],
            block.words[image * shape.line_units + tile.unit + word]};
  }
};

/// Loads the words of a lane's units.
template <int kChannels>
__device__ inline auto load_units(const MovedTiles<kChannels>& tiles, const L2Policy& policy, Step next, bool wanted) {
  LoadedUnits<kMovedUnits<kChannels>, kChannels> loaded;
  // After the last step, nothing is loaded, from addresses in the first tile.
  const Step step = wanted ? next : Step{tiles.first_tile, 0};
  const TilePlace tile = tiles.place(step);
  const std::int8_t* const codes = tiles.block.codes[step.sample];
#pragma unroll
  for (int k = 0; k < kMovedUnits<kChannels>; ++k) {
    const MovedUnit unit = tiles.unit(step, tile, k);
    const std::int8_t* from = codes + (unit.line.offset + unit.word.first);
#pragma unroll
    for (int c = 0; c < kChannels; ++c, from += tiles.args.pixels) {
      const auto address = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(from));
      const std::int8_t* const low = from - address % 4;
      const bool is_wanted = wanted && unit.exists;
      loaded.low[k * kChannels + c] = policy.load_word(is_wanted, low);
      loaded.high[k * kChannels + c] = policy.load_word(is_wanted && address % 4 != 0, low + 4);
      loaded.shift[k * kChannels + c] = address;
    }
  }
  return loaded;
}

/// The codes of a unit, filled where crops and erasures fill codes.
__device__ inline std::uint32_t moved_codes(std::uint32_t stored, const MovedUnit& unit, const MovedChannel& channel,
                                            bool erases_values) {
  const std::uint32_t moved =
      blended(permute_bytes(stored, 0, unit.word.selector), channel.beyond, unit.line.beyond | unit.word.beyond);
  return erases_values ? moved : blended(moved, channel.erased, unit.line.erased & unit.word.erased);
}

/// Whether a value of 0 that an erasure fills has the sign of the code below it: -0 + 0 * code.
__device__ inline bool is_negative_zero(float value) { return bits_of(value) == 0x80000000u; }

/// Stores units of planes.
template <typename Value>
__device__ inline void store_units(const MovedTiles<1>& tiles, const L2Policy& policy, Step step,
                                   const StoredUnits<kMovedUnits<1>, 1>& stored, std::int64_t image) {
  const TilePlace tile = tiles.place(step);
  const MovedFills& fills = tiles.block.fills[step.sample];
  const std::int64_t first = (image * tiles.shape.lines + tile.line) * tiles.shape.line_units + tile.unit;
  Value* const out =
      static_cast<Value*>(tiles.args.values) + (first + threadIdx.x % kWarpThreads) * kWordColumns;
#pragma unroll
  for (int k = 0; k < kMovedUnits<1>; ++k) {
    const MovedUnit unit = tiles.unit(step, tile, k);
    const std::uint32_t c = unit.line.channel;
    const MovedChannel channel = fills.channels[c];
    const Words<4> codes = {moved_codes(stored.words[k], unit, channel, fills.erases_values)};
    auto values = decode_words<Value>(codes, [&](int) { return channel.map; });
    const std::uint32_t erased = unit.line.erased & unit.word.erased;
    bool is_special = !fills.is_simple && (unit.line.beyond | unit.word.beyond | erased) != 0;
    if (fills.erases_values && erased != 0) {
      const float filled = fills.erased_maps[c].shift;
      is_special = is_special || is_negative_zero(filled);
      blend_values<Value>(values, filled, erased);
    }
    Value* const to = out + k * static_cast<int>(kWarpThreads) * kWordColumns;
    policy.store(unit.exists && !is_special, to, values);
    if (unit.exists && is_special) {
      const std::uint32_t y = tiles.shape.channel_lines.remainder(tile.line + tiles.lane.lines[k]);
      const std::uint32_t x = (tile.unit + tiles.lane.units[k]) * kWordColumns;
      for (std::uint32_t i = 0; i < kWordColumns; ++i) {
        to[i] = special_value<Value>(tiles.args, tiles.block.steps[step.sample], tiles.block.codes[step.sample],
                                     static_cast<std::int32_t>(c), static_cast<std::int32_t>(y),
                                     static_cast<std::int32_t>(x + i));
      }
    }
  }
}

/// Shared memory in which a warp puts a tile of pixels in the order of the output: codes, and masks of the values that
/// are filled.
template <int kChannels>
struct PixelTiles {
  std::uint32_t codes[kMostTileUnits<kChannels> * kChannels];
  std::uint32_t filled[kMostTileUnits<kChannels> * kChannels];
};
template <>
struct PixelTiles<1> {};

/// Stages units of interleaved channels.
template <int kChannels>
__device__ inline void stage_pixels(const MovedTiles<kChannels>& tiles, Step step, const TilePlace& tile,
                                    const StoredUnits<kMovedUnits<kChannels>, kChannels>& stored,
                                    PixelTiles<kChannels>& staged) {
  const MovedFills& fills = tiles.block.fills[step.sample];
  __syncwarp();  // all lanes have read the tiles before
#pragma unroll
  for (unsigned k = 0; k < kMovedUnits<kChannels>; ++k) {
    const MovedUnit unit = tiles.unit(step, tile, static_cast<int>(k));
    const std::uint32_t at = (k * kWarpThreads + threadIdx.x % kWarpThreads) * kChannels;
    std::uint32_t planes[kChannels], pixels[kChannels];
#pragma unroll
    for (unsigned c = 0; c < kChannels; ++c) {
      planes[c] = moved_codes(stored.words[k * kChannels + c], unit, fills.channels[c], fills.erases_values);
    }
    interleave(planes, pixels);
#pragma unroll
    for (unsigned i = 0; i < kChannels; ++i) staged.codes[at + i] = pixels[i];
    if (fills.is_simple && !fills.erases_values) continue;
    const std::uint32_t erased = unit.line.erased & unit.word.erased;
#pragma unroll
    for (std::uint32_t& plane : planes) {
      plane = fills.is_simple ? erased : unit.line.beyond | unit.word.beyond | erased;
    }
    interleave(planes, pixels);
#pragma unroll
    for (unsigned i = 0; i < kChannels; ++i) staged.filled[at + i] = pixels[i];
  }
  __syncwarp();
}

/// Replaces the values of a word of pixels that are filled; value i is in channel (phase + i) % kChannels. Stores them
/// itself if the image is not simple, and returns whether it did.
template <typename Value, int kChannels>
__device__ inline bool fill_pixels(const MovedTiles<kChannels>& tiles, Step step, const TilePlace& tile,
                                   std::uint32_t at, std::uint32_t filled, Value* to,
                                   Words<kWordColumns * static_cast<int>(sizeof(Value))>& values) {
  const MovedFills& fills = tiles.block.fills[step.sample];
  bool is_special = !fills.is_simple;
  for (std::uint32_t i = 0; i < kWordColumns; ++i) {
    const float value = fills.erased_maps[(at * kWordColumns + i) % kChannels].shift;
    is_special = is_special || is_negative_zero(value);
    blend_values<Value>(values, value, filled & 0xFFu << (8 * i));
  }
  if (!is_special) return false;
  for (std::uint32_t i = 0; i < kWordColumns; ++i) {
    const std::uint32_t pixel = (at * kWordColumns + i) / kChannels, unit = pixel / kWordColumns;
    const std::uint32_t line = unit / tiles.shape.line_units;
    const std::uint32_t x = (tile.unit + unit - line * tiles.shape.line_units) * kWordColumns + pixel % kWordColumns;
    to[i] = special_value<Value>(tiles.args, tiles.block.steps[step.sample], tiles.block.codes[step.sample],
                                 static_cast<std::int32_t>((at * kWordColumns + i) % kChannels),
                                 static_cast<std::int32_t>(tile.line + line), static_cast<std::int32_t>(x));
  }
  return true;
}

/// Stores units of interleaved channels: neighboring lanes store neighboring words of four values.
template <typename Value, int kChannels>
__device__ inline void store_pixels(const MovedTiles<kChannels>& tiles, const L2Policy& policy, Step step,
                                    const StoredUnits<kMovedUnits<kChannels>, kChannels>& stored, std::int64_t image,
                                    PixelTiles<kChannels>& staged) {
  const TilePlace tile = tiles.place(step);
  const MovedFills& fills = tiles.block.fills[step.sample];
  const std::uint32_t lane = threadIdx.x % kWarpThreads;
  const std::int64_t first = (image * tiles.shape.lines + tile.line) * tiles.shape.line_units + tile.unit;
  Value* const out = static_cast<Value*>(tiles.args.values) + (first * kChannels + lane) * kWordColumns;
  stage_pixels(tiles, step, tile, stored, staged);
  // The channel of value i of word `lane` is (phase + i) % kChannels.
  const std::uint32_t phase = lane * kWordColumns % kChannels;
  Affine maps[kChannels];
#pragma unroll
  for (unsigned i = 0; i < kChannels; ++i) maps[i] = fills.channels[(phase + i) % kChannels].map;
#pragma unroll
  for (int k = 0; k < kMovedUnits<kChannels> * kChannels; ++k) {
    constexpr int kValuesBetween = static_cast<int>(kWarpThreads) * kWordColumns;
    const std::uint32_t at = static_cast<std::uint32_t>(k) * kWarpThreads + lane;
    auto values = decode_words<Value>(Words<4>{staged.codes[at]},
                                      [&](int i) { return maps[(k * kValuesBetween + i) % kChannels]; });
    bool is_wanted = at < tile.count * kChannels;
    Value* const to = out + k * kValuesBetween;
    if ((fills.erases_values || !fills.is_simple) && is_wanted && staged.filled[at] != 0) {
      is_wanted = !fill_pixels<Value>(tiles, step, tile, at, staged.filled[at], to, values);
    }
    policy.store(is_wanted, to, values);
  }
}

/// Writes the labels of the block's images that are the first of their samples.
__device__ inline void write_labels(const GatherArgs& args, BlockPlaces places, const MovedBlock& block) {
  if (args.out_labels == nullptr || blockIdx.y != 0) return;
  const std::int64_t width = label_width(args);
  for (std::int64_t i = threadIdx.x; i < places.count * width; i += blockDim.x) {
    const std::int64_t image = i / width, at = places.first + image;
    if (at % args.batch.views != 0) continue;
    write_label_number(args, unmixed(block.samples[image]), at / args.batch.views, i % width);
  }
}

/// kChannels: 1 for planes one after the other, else of a pixel.
template <typename Value, int kChannels>
__global__ void __launch_bounds__(kMostThreads, kLeastMovedBlocks)
    gather_moved(const GatherArgs args, const MovedShape shape, const WorkShare share, const CachePolicies policies) {
  __shared__ MovedBlock block;
  __shared__ PixelTiles<kChannels> staged[kMostWarps];
  const BlockPlaces places = block_places(args.batch_count * args.batch.views, share.samples_per_block);
  find_samples(args, places, block);
  const CursorAdvance cursor(args.selection.cursor, args.cursor_batches);
  draw_steps(args, places, block);
  fill_images(args, places, block);
  const std::uint32_t first_tile = blockIdx.y * share.tiles_per_split;
  const MovedTiles<kChannels> tiles{args,       shape,
                                    block,      first_tile,
                                    TilePlace(shape, first_tile, kMostTileUnits<kChannels>).line,
                                    LaneUnits<kChannels>(shape)};
  fill_tables(args, shape, places, tiles.first_line, block);

  const L2Policy codes_policy(policies.codes), values_policy(policies.values);
  const auto load = [&](Step step, bool wanted) { return load_units(tiles, codes_policy, step, wanted); };
  const auto store = [&](Step step, const auto& stored) {
    const std::int64_t image = places.first + step.sample;
    if constexpr (kChannels == 1)
      store_units<Value>(tiles, values_policy, step, stored, image);
    else
      store_pixels<Value>(tiles, values_policy, step, stored, image, staged[threadIdx.x / kWarpThreads]);
  };
  run_steps(
      TileWalk(share, places.count), load, [] {}, [](std::uint32_t) {}, store);
  write_labels(args, places, block);
  cursor.finish();
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
  return std::min<std::int64_t>(((tiles + line_tiles - 1) / line_tiles + (line_tiles > 1)) * shape.tile_lines,
                                shape.lines);
}

/// The geometry of a batch of `images` images, whose blocks' tables have room.
BatchGeometry moved_geometry(std::int64_t images, const MovedShape& shape, const DeviceTraits& device) {
  const std::int64_t tiles =
      (shape.lines + shape.tile_lines - 1) / shape.tile_lines * std::int64_t{shape.line_tiles.divisor()};
  BatchGeometry geometry = batch_geometry(images, tiles, device, kMostWarps, kMovedFullWarps);
  while (lines_in_tiles(shape, geometry.tiles_per_split) > kTableLines) --geometry.tiles_per_split;
  geometry.samples_per_block = static_cast<int>(
      std::min({std::int64_t{geometry.samples_per_block}, kTableWords / std::int64_t{shape.line_units},
                kTableLines / lines_in_tiles(shape, geometry.tiles_per_split)}));
  geometry.groups = static_cast<unsigned>((images + geometry.samples_per_block - 1) / geometry.samples_per_block);
  geometry.splits = (geometry.tiles_per_sample + geometry.tiles_per_split - 1) / geometry.tiles_per_split;
  return geometry;
}

template <typename Value, int kChannels>
cudaError_t launch_as(const GatherArgs& args, const CachePolicies& policies, const DeviceTraits& device,
                      cudaStream_t stream) {
  const SampleShape& to = args.batch.image;
  MovedShape shape =
      moved_shape<kChannels>(to.height * (kChannels == 1 ? to.channels : 1), to.width / kWordColumns, to.height);
  const BatchGeometry geometry = moved_geometry(args.batch_count * args.batch.views, shape, device);
  shape.table_lines = static_cast<std::uint32_t>(lines_in_tiles(shape, geometry.tiles_per_split));
  return launch(gather_moved<Value, kChannels>, dim3(geometry.groups, geometry.splits), dim3(geometry.block_threads),
                stream, args, shape, work_share(geometry), policies);
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
  if (!is_interleaved(args)) return launch_as<Value, 1>(args, policies, device, stream);
  return args.sample.channels == 3 ? launch_as<Value, 3>(args, policies, device, stream)
                                   : launch_as<Value, 4>(args, policies, device, stream);
}

#define OCTAVO_INSTANTIATE(Value)                                                                               \
  template bool takes_moved<Value>(const GatherArgs&);                                                          \
  template cudaError_t launch_gather_moved<Value>(const GatherArgs&, const CachePolicies&, const DeviceTraits&, \
                                                  cudaStream_t);
OCTAVO_FOR_VALUE_TYPES(OCTAVO_INSTANTIATE)
#undef OCTAVO_INSTANTIATE

}  // namespace octavo::kernels::cuda
