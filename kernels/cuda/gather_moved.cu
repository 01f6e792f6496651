// The gather of images that are flipped, cropped and erased. A block draws the steps of several images and turns them
// into tables of lines and words (moved_image.hpp). A lane then moves four pixels at a time: it loads the one or two
// words that hold them, puts their bytes in order with one permutation, and blends in what is filled.
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kernels/augment/moved_image.hpp"
#include "kernels/cuda/batch_rows.cuh"
#include "kernels/cuda/decode_words.cuh"
#include "kernels/cuda/gather_variants.hpp"
#include "kernels/cuda/interleave.cuh"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/moved_block.cuh"
#include "kernels/cuda/tile_walk.cuh"
#include "kernels/divider.hpp"

namespace octavo::kernels::cuda {
namespace {

/// A unit is four pixels of a line. Units that a lane loads per step: of planes, 8 words; of interleaved channels, four
/// words of each. If shapes are any, addresses and masks need registers.
template <int kChannels, bool kIsAny>
inline constexpr int kMovedUnits = kChannels == 1             ? 4
                                   : kChannels == 4 && kIsAny ? 1
                                                              : 2;
template <int kChannels, bool kIsAny>
inline constexpr std::uint32_t kMostTileUnits = kMovedUnits<kChannels, kIsAny>* kWarpThreads;
static_assert(kMostTileUnits<1, false> <= kWordsBeyond);

/// Warps per multiprocessor that a batch is divided into, so that blocks have several images to draw at once. 8 warps
/// of 32 lanes with 4 words each have 4 KB in flight and compute longer than those of the plain gather (geometry.hpp).
constexpr std::int64_t kMovedFullWarps = 8;
/// Blocks of 256 threads per multiprocessor: 80 registers.
constexpr int kLeastMovedBlocks = 3;

__device__ inline std::uint32_t blended(std::uint32_t word, std::uint32_t fill, std::uint32_t mask) {
  return (word & ~mask) | (fill & mask);
}

/// Replaces the values of the bytes in `mask`: value i by value_of(i).
template <typename Value, typename ValueOf>
__device__ inline void blend_values(Words<kWordColumns* static_cast<int>(sizeof(Value))>& values, std::uint32_t mask,
                                    const ValueOf& value_of) {
  if constexpr (sizeof(Value) == 4) {
#pragma unroll
    for (int i = 0; i < kWordColumns; ++i) {
      const std::uint32_t whole = permute_bytes(mask, 0, 0x1111u * static_cast<unsigned>(i));
      values.words[i] = blended(values.words[i], bits_of(value_of(i)), whole);
    }
  } else {
    values.words[0] =
        blended(values.words[0], round_pair_to<Value>(value_of(0), value_of(1)), permute_bytes(mask, 0, 0x1100));
    values.words[1] =
        blended(values.words[1], round_pair_to<Value>(value_of(2), value_of(3)), permute_bytes(mask, 0, 0x3322));
  }
}

/// Stores those of four values that are in `columns`, a bit for each, one by one.
template <typename Value>
__device__ inline void store_columns(std::uint32_t columns, Value* out,
                                     const Words<kWordColumns* static_cast<int>(sizeof(Value))>& values) {
#pragma unroll
  for (int i = 0; i < kWordColumns; ++i) {
    if ((columns & 1u << i) == 0) continue;
    if constexpr (sizeof(Value) == 4)
      reinterpret_cast<std::uint32_t*>(out)[i] = values.words[i];
    else
      reinterpret_cast<std::uint16_t*>(out)[i] = static_cast<std::uint16_t>(values.words[i / 2] >> (16 * (i % 2)));
  }
}

/// Those of the four places from `at` on that are in [first, end): a bit for each.
__device__ inline std::uint32_t columns_in(std::uint32_t at, std::uint32_t first, std::uint32_t end) {
  std::uint32_t columns = 0;
#pragma unroll
  for (std::uint32_t i = 0; i < kWordColumns; ++i) {
    if (at + i >= first && at + i < end) columns |= 1u << i;
  }
  return columns;
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
  std::uint32_t offset[kUnits * kChannels];  ///< of the unit in MovedCodes

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
  std::uint32_t line_count;  ///< 1 if it is a part of a line
  std::uint32_t count;       ///< units, which are next to each other in the output
  const MovedLine* lines;
  const MovedWord* words;

  /// The place of the tile's first pixel that is in its line, after the first pixel of its first unit, and the place
  /// after its last one.
  __device__ std::uint32_t first_pixel() const { return unit == 0 ? lines->phase() : 0; }
  __device__ std::uint32_t end_pixel(std::uint32_t width) const {
    const std::uint32_t end = lines->phase() + line_count * width - unit * kWordColumns;
    return end < count * kWordColumns ? end : count * kWordColumns;
  }
};

/// The tiles of a block's images, as a lane sees them. If kIsAny, lines of the output may have any width, and stored
/// samples any alignment. Then the units of a line begin at a word of the output, up to three pixels before the line.
template <int kChannels, bool kIsAny>
struct MovedTiles {
  static constexpr int kUnits = kMovedUnits<kChannels, kIsAny>;
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
    constexpr std::uint32_t kMost = kMostTileUnits<kChannels, kIsAny>;
    MovedTile tile;
    const std::uint32_t row = shape.line_tiles.quotient(step.tile);
    tile.line = is_step ? row * shape.tile_lines : first_line;
    tile.unit = (step.tile - row * shape.line_tiles.divisor()) * kMost;
    const std::uint32_t lines_left = shape.lines - tile.line;
    tile.line_count = lines_left < shape.tile_lines ? lines_left : shape.tile_lines;
    const std::uint32_t units_left = tile.line_count * shape.line_units - tile.unit;
    tile.count = units_left < kMost ? units_left : kMost;
    const auto image = static_cast<std::uint32_t>(step.sample);
    tile.lines = block.lines + (image * shape.table_lines + tile.line - first_line);
    tile.words = block.words + (image * shape.table_words + tile.unit);
    return tile;
  }
  __device__ bool has(const MovedTile& tile, int k) const {
    return static_cast<unsigned>(k) * kWarpThreads + threadIdx.x % kWarpThreads < tile.count;
  }
  __device__ const MovedLine& line(const MovedTile& tile, int k) const {
    return *reinterpret_cast<const MovedLine*>(reinterpret_cast<const std::byte*>(tile.lines) + (lane_places[k] >> 16));
  }
  __device__ const MovedWord& word(const MovedTile& tile, const MovedLine& line, int k) const {
    const std::uint32_t phase_words = kIsAny ? line.words() : 0;
    return *reinterpret_cast<const MovedWord*>(reinterpret_cast<const std::byte*>(tile.words) + phase_words +
                                               (lane_places[k] & 0xFFFFu));
  }
  /// The place of the first pixel of unit k after that of the tile's first unit: a multiple of four.
  __device__ std::uint32_t pixel(const MovedTile& tile, const MovedLine& line, int k) const {
    if constexpr (!kIsAny) return (static_cast<unsigned>(k) * kWarpThreads + threadIdx.x % kWarpThreads) * kWordColumns;
    const std::uint32_t below = (lane_places[k] >> 16) / kLineBytes, unit = (lane_places[k] & 0xFFFFu) / kWordBytes;
    return below * shape.width + unit * kWordColumns + tile.lines->phase() - line.phase();
  }
  /// Where the values of the tile's first unit are stored.
  template <typename Value>
  __device__ Value* out(const MovedTile& tile, std::int64_t image) const {
    std::int64_t pixel = (image * shape.lines + tile.line) * shape.width + tile.unit * kWordColumns;
    if constexpr (kIsAny) pixel -= tile.lines->phase();
    return static_cast<Value*>(args.values) + pixel * kChannels;
  }
};

/// Loads the words of a lane's units.
template <int kChannels, bool kIsAny>
__device__ inline auto load_units(const MovedTiles<kChannels, kIsAny>& tiles, const L2Policy& policy, Step step,
                                  bool wanted) {
  LoadedUnits<kMovedUnits<kChannels, kIsAny>, kChannels> loaded;
  const MovedTile tile = tiles.tile(step, wanted);
  const MovedCodes& codes = tiles.block.codes[step.sample];
#pragma unroll
  for (int k = 0; k < kMovedUnits<kChannels, kIsAny>; ++k) {
    const MovedLine& line = tiles.line(tile, k);
    const bool is_wanted = wanted && tiles.has(tile, k);
    auto offset = static_cast<std::uint32_t>(line.offset + tiles.word(tile, line, k).first);
    if (kIsAny && !is_wanted) offset = 0;  // an entry that nobody has filled decides no branch
#pragma unroll
    for (int c = 0; c < kChannels; ++c) {
      const int i = k * kChannels + c;
      const bool has_words = !kIsAny || codes.has_words(offset);
      const std::int8_t* const low = codes.words + (offset & ~3u);
      loaded.low[i] = policy.load_word(is_wanted && has_words, low);
      loaded.high[i] = policy.load_word(is_wanted && has_words && offset % 4 != 0, low + 4);
      if (kIsAny && is_wanted && !has_words) codes.load_edges(offset, loaded.low[i], loaded.high[i]);
      loaded.offset[i] = offset;
      offset += static_cast<std::uint32_t>(tiles.args.pixels);
    }
  }
  return loaded;
}

/// The codes of a unit, filled where crops and erasures fill codes.
template <bool kErasesValues>
__device__ inline std::uint32_t moved_codes(std::uint32_t stored, const MovedLine& line, const MovedWord& word,
                                            const MovedChannel& channel) {
  const std::uint32_t moved =
      blended(permute_bytes(stored, 0, word.selector), channel.beyond, line.beyond | word.beyond);
  return kErasesValues ? moved : blended(moved, channel.erased, line.erased & word.erased);
}

/// Stores units of planes.
template <bool kErasesValues, typename Value, bool kIsAny>
__device__ inline void store_units(const MovedTiles<1, kIsAny>& tiles, const L2Policy& policy, Step step,
                                   const StoredUnits<kMovedUnits<1, kIsAny>, 1>& stored, std::int64_t image) {
  const MovedTile tile = tiles.tile(step);
  Value* const out = tiles.template out<Value>(tile, image);
#pragma unroll
  for (int k = 0; k < kMovedUnits<1, kIsAny>; ++k) {
    const MovedLine line = tiles.line(tile, k);
    const MovedWord word = tiles.word(tile, line, k);
    const MovedChannel channel = tiles.block.channels[step.sample][line.channel()];
    const Words<4> codes = {moved_codes<kErasesValues>(stored.words[k], line, word, channel)};
    auto values = decode_words<Value>(codes, [&](int) { return channel.map; });
    if constexpr (kErasesValues) {
      blend_values<Value>(values, line.erased & word.erased, [&](int) { return float_of(channel.erased); });
    }
    Value* const unit_out = out + tiles.pixel(tile, line, k);
    const bool is_whole = !kIsAny || word.columns() == kAllColumns;
    policy.store(tiles.has(tile, k) && is_whole, unit_out, values);
    if (tiles.has(tile, k) && !is_whole) store_columns(word.columns(), unit_out, values);
  }
}

/// Shared memory in which a warp puts a tile of pixels in the order of the output: codes, and masks of erased values.
template <int kChannels, bool kIsAny, bool kErasesValues>
struct PixelTiles {
  static constexpr std::uint32_t kWords = kMostTileUnits<kChannels, kIsAny> * kChannels;
  std::uint32_t codes[kWords];
  std::uint32_t erased[kErasesValues ? kWords : 1];
};
template <bool kIsAny, bool kErasesValues>
struct PixelTiles<1, kIsAny, kErasesValues> {};

/// Stages the interleaved bytes of four pixels at `staged`: those in `columns`.
template <int kChannels>
__device__ inline void stage_columns(std::uint32_t* staged, std::uint32_t columns,
                                     const std::uint32_t (&planes)[kChannels]) {
  if (columns == kAllColumns) {
    std::uint32_t pixels[kChannels];
    interleave(planes, pixels);
#pragma unroll
    for (unsigned i = 0; i < kChannels; ++i) staged[i] = pixels[i];
    return;
  }
#pragma unroll
  for (unsigned i = 0; i < kWordColumns; ++i) {
    if ((columns >> i & 1) == 0) continue;
#pragma unroll
    for (unsigned c = 0; c < kChannels; ++c) {
      reinterpret_cast<std::uint8_t*>(staged)[i * kChannels + c] = static_cast<std::uint8_t>(planes[c] >> (8 * i));
    }
  }
}

/// Stages units of interleaved channels.
template <bool kErasesValues, int kChannels, bool kIsAny>
__device__ inline void stage_pixels(const MovedTiles<kChannels, kIsAny>& tiles, const MovedChannel* channels,
                                    const MovedTile& tile,
                                    const StoredUnits<kMovedUnits<kChannels, kIsAny>, kChannels>& stored,
                                    PixelTiles<kChannels, kIsAny, kErasesValues>& staged) {
  __syncwarp();  // all lanes have read the tiles before
#pragma unroll
  for (int k = 0; k < kMovedUnits<kChannels, kIsAny>; ++k) {
    const MovedLine line = tiles.line(tile, k);
    const MovedWord word = tiles.word(tile, line, k);
    const std::uint32_t at = tiles.pixel(tile, line, k) / kWordColumns * kChannels;
    const std::uint32_t columns = !kIsAny ? kAllColumns : tiles.has(tile, k) ? word.columns() : 0;
    std::uint32_t planes[kChannels];
#pragma unroll
    for (int c = 0; c < kChannels; ++c) {
      planes[c] = moved_codes<kErasesValues>(stored.words[k * kChannels + c], line, word, channels[c]);
    }
    stage_columns(staged.codes + at, columns, planes);
    if constexpr (kErasesValues) {
#pragma unroll
      for (std::uint32_t& plane : planes) plane = line.erased & word.erased;
      stage_columns(staged.erased + at, columns, planes);
    }
  }
  __syncwarp();
}

/// Stores units of interleaved channels: neighboring lanes store neighboring words of four values.
template <bool kErasesValues, typename Value, int kChannels, bool kIsAny>
__device__ inline void store_pixels(const MovedTiles<kChannels, kIsAny>& tiles, const L2Policy& policy, Step step,
                                    const StoredUnits<kMovedUnits<kChannels, kIsAny>, kChannels>& stored,
                                    std::int64_t image, PixelTiles<kChannels, kIsAny, kErasesValues>& staged) {
  const MovedTile tile = tiles.tile(step);
  const MovedChannel* const channels = tiles.block.channels[step.sample];
  const std::uint32_t lane = threadIdx.x % kWarpThreads;
  Value* const out = tiles.template out<Value>(tile, image) + lane * kWordColumns;
  stage_pixels(tiles, channels, tile, stored, staged);
  // The channel of value i of word `lane` is (phase + i) % kChannels.
  const std::uint32_t phase = lane * kWordColumns % kChannels;
  Affine maps[kChannels];
  float erased_values[kChannels];
#pragma unroll
  for (unsigned i = 0; i < kChannels; ++i) {
    maps[i] = channels[(phase + i) % kChannels].map;
    erased_values[i] = float_of(channels[(phase + i) % kChannels].erased);
  }
  // Of its values, `end` is a multiple of four unless kIsAny.
  const std::uint32_t first = tile.first_pixel() * kChannels;
  const std::uint32_t end =
      kIsAny ? tile.end_pixel(tiles.shape.width) * kChannels : tile.count * kWordColumns * kChannels;
#pragma unroll
  for (int k = 0; k < kMovedUnits<kChannels, kIsAny> * kChannels; ++k) {
    constexpr int kValuesBetween = static_cast<int>(kWarpThreads) * kWordColumns;
    const std::uint32_t at = static_cast<std::uint32_t>(k) * kWarpThreads + lane;
    auto values = decode_words<Value>(Words<4>{staged.codes[at]},
                                      [&](int i) { return maps[(k * kValuesBetween + i) % kChannels]; });
    if constexpr (kErasesValues) {
      blend_values<Value>(values, staged.erased[at],
                          [&](int i) { return erased_values[(k * kValuesBetween + i) % kChannels]; });
    }
    Value* const word_out = out + k * kValuesBetween;
    const bool is_whole = at * kWordColumns + kWordColumns <= end && (!kIsAny || k > 0 || at * kWordColumns >= first);
    policy.store(is_whole, word_out, values);
    if (kIsAny && !is_whole && at * kWordColumns < end) {
      store_columns<Value>(columns_in(at * kWordColumns, first, end), word_out, values);
    }
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

/// kChannels: 1 for planes one after the other, else of a pixel.
template <typename Value, int kChannels, bool kErasesValues, bool kIsAny>
__global__ void __launch_bounds__(kMostThreads, kLeastMovedBlocks)
    gather_moved(const __grid_constant__ GatherArgs args, const __grid_constant__ MovedShape shape,
                 const WorkShare share, const CachePolicies policies) {
  __shared__ MovedBlock block;
  __shared__ PixelTiles<kChannels, kIsAny, kErasesValues> staged[kMostWarps];
  const BlockPlaces places = block_places(args.batch_count * args.batch.views, share.samples_per_block);
  find_samples(args, places, block);
  draw_steps(args, places, block);
  fill_images(args, places, block);
  const MovedTiles<kChannels, kIsAny> tiles(
      args, shape, block, shape.line_tiles.quotient(blockIdx.y * share.tiles_per_split) * shape.tile_lines);
  fill_tables<kIsAny>(args, shape, places, tiles.first_line, block);

  const L2Policy codes_policy(policies.codes), values_policy(policies.values);
  const auto load = [&](Step step, bool wanted) { return load_units(tiles, codes_policy, step, wanted); };
  const auto store = [&](Step step, const auto& stored) {
    const std::int64_t image = places.first + step.sample;
    if constexpr (kChannels == 1)
      store_units<kErasesValues, Value>(tiles, values_policy, step, stored, image);
    else
      store_pixels<kErasesValues, Value>(tiles, values_policy, step, stored, image, staged[threadIdx.x / kWarpThreads]);
  };
  run_steps(
      TileWalk(share, places.count), load, [] {}, [](std::uint32_t) {}, store);
  write_labels(args, places, block);
  // The ticket is drawn late, to save registers.
  CursorAdvance(args.selection.cursor, args.cursor_batches).finish();
}

bool is_interleaved(const GatherArgs& args) { return args.batch.layout == Layout::nhwc && args.sample.channels != 1; }

/// The shape of an image of `lines` lines, without the lines in tables.
template <int kChannels, bool kIsAny>
MovedShape moved_shape(std::int64_t lines, std::int64_t width, std::int64_t height) {
  constexpr std::int64_t kUnits = kMostTileUnits<kChannels, kIsAny>;
  const unsigned phase_bits = width % 4 == 0 ? 2 : width % 2 == 0 ? 1 : 0;
  const std::int64_t last_phase = kWordColumns - (1 << phase_bits);
  const std::int64_t line_units = (last_phase + width + kWordColumns - 1) / kWordColumns;
  const std::int64_t tile_lines = std::max<std::int64_t>(1, std::min(lines, kUnits / line_units));
  return {static_cast<std::uint32_t>(lines),
          static_cast<std::uint32_t>(width),
          static_cast<std::uint32_t>(line_units),
          phase_bits,
          static_cast<std::uint32_t>(tile_lines),
          Divider((line_units + kUnits - 1) / kUnits),
          Divider(height),
          0,
          static_cast<std::uint32_t>(line_units * (kWordColumns >> phase_bits)) | 1};
}

/// Lines of an image in the tables: those that `tiles` tiles may touch, or one more.
std::int64_t lines_in_tiles(const MovedShape& shape, std::int64_t tiles) {
  const std::int64_t line_tiles = shape.line_tiles.divisor();
  return ((tiles + line_tiles - 1) / line_tiles + (line_tiles > 1)) * shape.tile_lines | 1;
}

/// The geometry of a batch of `images` images, whose blocks' tables have room.
BatchGeometry moved_geometry(std::int64_t images, const MovedShape& shape, const DeviceTraits& device) {
  const std::int64_t tiles =
      (shape.lines + shape.tile_lines - 1) / shape.tile_lines * std::int64_t{shape.line_tiles.divisor()};
  BatchGeometry geometry = batch_geometry(images, tiles, device, kMostWarps, kMovedFullWarps);
  while (lines_in_tiles(shape, geometry.tiles_per_split) > kTableLines) --geometry.tiles_per_split;
  geometry.samples_per_block = static_cast<int>(
      std::min({std::int64_t{geometry.samples_per_block}, kTableWords / std::int64_t{shape.table_words},
                kTableLines / lines_in_tiles(shape, geometry.tiles_per_split)}));
  geometry.groups = static_cast<unsigned>((images + geometry.samples_per_block - 1) / geometry.samples_per_block);
  geometry.splits = (geometry.tiles_per_sample + geometry.tiles_per_split - 1) / geometry.tiles_per_split;
  return geometry;
}

template <typename Value, int kChannels, bool kErasesValues, bool kIsAny>
cudaError_t launch_as(const GatherArgs& args, const CachePolicies& policies, const DeviceTraits& device,
                      cudaStream_t stream) {
  const SampleShape& to = args.batch.image;
  MovedShape shape =
      moved_shape<kChannels, kIsAny>(to.height * (kChannels == 1 ? to.channels : 1), to.width, to.height);
  const BatchGeometry geometry = moved_geometry(args.batch_count * args.batch.views, shape, device);
  shape.table_lines = static_cast<std::uint32_t>(lines_in_tiles(shape, geometry.tiles_per_split));
  return launch(gather_moved<Value, kChannels, kErasesValues, kIsAny>, dim3(geometry.groups, geometry.splits),
                dim3(geometry.block_threads), stream, args, shape, work_share(geometry), policies);
}

/// Whether lines of the output, and stored samples, are whole words.
bool has_whole_words(const GatherArgs& args) {
  return args.batch.image.width % kWordColumns == 0 && args.sample.width >= kWordColumns && is_aligned(args.packed, 4);
}

template <typename Value, int kChannels>
cudaError_t launch_channels(const GatherArgs& args, const CachePolicies& policies, const DeviceTraits& device,
                            cudaStream_t stream) {
  const bool erases_codes = args.augment_demand == AugmentDemand::moves, is_any = !has_whole_words(args);
  const auto launch =
      erases_codes ? is_any ? launch_as<Value, kChannels, false, true> : launch_as<Value, kChannels, false, false>
      : is_any ? launch_as<Value, kChannels, true, true>
                   : launch_as<Value, kChannels, true, false>;
  return launch(args, policies, device, stream);
}

}  // namespace

template <typename Value>
bool takes_moved(const GatherArgs& args) {
  const SampleShape &from = args.sample, &to = args.batch.image;
  const std::int64_t most_side = std::max({from.height, from.width, to.height, to.width});
  return !args.mix.is_on && most_side <= kMostMovedSide && from.channels <= kMostMovedChannels &&
         (!is_interleaved(args) || from.channels >= 3) && is_aligned(args.values, kWordColumns * sizeof(Value));
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
