// The gather of images that are flipped, cropped and erased. A block draws the steps of several images and turns them
// into tables of lines and words (moved_image.hpp). A lane then moves four pixels at a time: it loads the one or two
// words that hold them, puts their bytes in order with one permutation, and blends in what is filled.
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kernels/augment/moved_image.hpp"
#include "kernels/cuda/block/batch_rows.cuh"
#include "kernels/cuda/block/decode_words.cuh"
#include "kernels/cuda/block/interleave.cuh"
#include "kernels/cuda/block/launch.cuh"
#include "kernels/cuda/block/moved_block.cuh"
#include "kernels/cuda/block/tile_walk.cuh"
#include "kernels/cuda/gather_variants.hpp"
#include "kernels/divider.hpp"

namespace octavo::kernels::cuda {
namespace {

/// What a lane moves: units of four columns of a line, in kChannels channels.
///
/// Three or four planes share lines and words, too, if the words of all begin at the same columns. Other planes are
/// lines one after the other, of one channel each. If kIsAny, lines of the output may have any width, and stored
/// samples any alignment. Then the units of a line begin at a word of the output, up to three columns before the line.
template <int kChannelCount, bool kInterleavesThem, bool kIsAnyShape>
struct MovedUnits {
  static constexpr int kChannels = kChannelCount;
  static constexpr bool kInterleaves = kInterleavesThem, kIsAny = kIsAnyShape;
  /// Units that a lane loads per step. Four channels of any shape need registers for more addresses.
  static constexpr int kCount = kChannels == 1 ? 4 : kChannels == 4 && kIsAny ? 1 : 2;
  static constexpr std::uint32_t kTile = kCount * kWarpThreads;
  static_assert(kTile <= kWordsBeyond);
  /// Blocks of 256 threads per multiprocessor: 80 registers. Three planes of any shape need 96, and have more loads in
  /// flight to make up for it.
  static constexpr int kLeastBlocks = kIsAny && kChannels == 3 && !kInterleaves ? 2 : 3;
  /// Whether registers are left to keep the tile of a step for the next image.
  static constexpr bool kKeepsTile = kInterleaves || kChannels == 3 || (kChannels == 1 && !kIsAny);
};

/// Warps per multiprocessor that a batch is divided into, so that blocks have several images to draw at once. 8 warps
/// of 32 lanes with 4 words each have 4 KB in flight and compute longer than those of the plain gather (geometry.hpp).
constexpr std::int64_t kMovedFullWarps = 8;

/// The bytes of `fill` where `mask` has bits, else those of `word`.
__device__ inline std::uint32_t blended(std::uint32_t word, std::uint32_t fill, std::uint32_t mask) {
  return ((word ^ fill) & mask) ^ word;
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

/// Joins the words that neighboring lines share, for one unit of a lane after the other.
class JoinedWord {
 public:
  /// A lane's word, with the bytes of the lane before that belong to the same word of the output. Lane 0 follows the
  /// last lane of the unit before.
  __device__ std::uint32_t join(std::uint32_t own, const MovedWord& word) {
    const unsigned lane = threadIdx.x % kWarpThreads;
    const std::uint32_t sent = lane == kWarpThreads - 1 ? before_ : own;
    before_ = own;
    const auto from = static_cast<int>((lane + kWarpThreads - 1) % kWarpThreads);
    return select_bytes(own, __shfl_sync(~0u, sent, from), join_selector_of(word));
  }

 private:
  std::uint32_t before_ = 0;
};

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
template <typename Units>
struct StoredUnits {
  std::uint32_t words[Units::kCount * Units::kChannels];
};
/// The two neighboring words that hold each of them, as they are loaded.
template <typename Units>
struct LoadedUnits {
  static constexpr int kWords = Units::kCount * Units::kChannels;
  /// Unless shapes are any, all channels have the same bytes of their words.
  static constexpr int kSharing = Units::kIsAny ? 1 : Units::kChannels;
  std::uint32_t low[kWords], high[kWords];
  std::uint32_t selectors[kWords / kSharing];

  /// Waits for the loads.
  __device__ StoredUnits<Units> flipped() const {
    StoredUnits<Units> stored;
#pragma unroll
    for (int i = 0; i < kWords; ++i)
      stored.words[i] = flip_signs(select_bytes(low[i], high[i], selectors[i / kSharing]));
    return stored;
  }
};

/// A tile of each image.
struct MovedTile {
  std::uint32_t line, unit;  ///< its first ones
  std::uint32_t line_count;  ///< 1 if it is a part of a line
  std::uint32_t count;       ///< units, which are next to each other in the output
};

/// The entries of the tables for the lines and words of a tile of an image.
struct TileEntries {
  const MovedLine* lines;
  const MovedWord* words;
};

/// The tiles of a block's images, as a lane sees them.
template <typename Units>
struct MovedTiles {
  static constexpr int kCount = Units::kCount;
  static constexpr std::uint32_t kLineBytes = sizeof(MovedLine), kWordBytes = sizeof(MovedWord);

  const GatherArgs& args;
  const MovedShape& shape;
  const MovedBlock& block;
  std::uint32_t first_line;  ///< of the tables
  /// The lane's units in any tile, as bytes of the tables: of lines below its first one, in the upper half, and of
  /// units after the first one of a line.
  std::uint32_t lane_places[kCount];

  __device__ MovedTiles(const GatherArgs& gather, const MovedShape& of_images, const MovedBlock& of_block,
                        std::uint32_t line)
      : args(gather), shape(of_images), block(of_block), first_line(line) {
#pragma unroll
    for (unsigned k = 0; k < kCount; ++k) {
      const std::uint32_t unit = k * kWarpThreads + threadIdx.x % kWarpThreads;
      const std::uint32_t below = unit / shape.line_units;  // 0 in a part of a line
      // Lanes without a unit move another one, and do not store it.
      lane_places[k] =
          below < shape.tile_lines ? below * kLineBytes << 16 | (unit - below * shape.line_units) * kWordBytes : 0;
    }
  }

  __device__ MovedTile tile(std::uint32_t index) const {
    MovedTile tile;
    const std::uint32_t row = shape.line_tiles.quotient(index);
    tile.line = row * shape.tile_lines;
    tile.unit = (index - row * shape.line_tiles.divisor()) * Units::kTile;
    const std::uint32_t lines_left = shape.lines - tile.line;
    tile.line_count = lines_left < shape.tile_lines ? lines_left : shape.tile_lines;
    const std::uint32_t units_left = tile.line_count * shape.line_units - tile.unit;
    tile.count = units_left < Units::kTile ? units_left : Units::kTile;
    return tile;
  }
  __device__ TileEntries entries(const MovedTile& tile, int image) const {
    const auto of_image = static_cast<std::uint32_t>(image);
    return {block.lines + (of_image * shape.table_lines + tile.line - first_line),
            block.words + (of_image * shape.table_words + tile.unit)};
  }
  __device__ bool has(const MovedTile& tile, int k) const {
    return static_cast<unsigned>(k) * kWarpThreads + threadIdx.x % kWarpThreads < tile.count;
  }
  __device__ const MovedLine& line(const TileEntries& entries, int k) const {
    return *reinterpret_cast<const MovedLine*>(reinterpret_cast<const std::byte*>(entries.lines) +
                                               (lane_places[k] >> 16));
  }
  __device__ const MovedWord& word(const TileEntries& entries, const MovedLine& line, int k) const {
    const std::uint32_t phase_bytes = (phase(line) >> shape.phase_bits) * shape.line_units * kWordBytes;
    return *reinterpret_cast<const MovedWord*>(reinterpret_cast<const std::byte*>(entries.words) + phase_bytes +
                                               (lane_places[k] & 0xFFFFu));
  }
  __device__ static std::uint32_t phase(const MovedLine& line) { return Units::kIsAny ? phase_of(line) : 0; }
  /// Which words of a line that have a part of it only are whole with the part of a neighboring line, and which ones
  /// are stored with that line.
  struct JoinedKinds {
    std::uint32_t whole, elsewhere;
  };
  __device__ JoinedKinds joined_kinds(const MovedTile& tile, const MovedLine& line, int k) const {
    const std::uint32_t shared = shared_kinds_of(line), below = (lane_places[k] >> 16) / kLineBytes;
    const bool is_first = k == 0 && threadIdx.x % kWarpThreads == 0, is_in_last = below + 1 == tile.line_count;
    return {kWholeWord | (is_first ? 0 : shared & kHeadWord), is_in_last ? 0 : shared & kTailWord};
  }
  /// The pixel with which unit k begins in a line without a phase, after the first one of the tile.
  __device__ std::uint32_t pixel(int k) const {
    if constexpr (!Units::kIsAny) {
      return (static_cast<unsigned>(k) * kWarpThreads + threadIdx.x % kWarpThreads) * kWordColumns;
    }
    const std::uint32_t below = (lane_places[k] >> 16) / kLineBytes, unit = (lane_places[k] & 0xFFFFu) / kWordBytes;
    return below * shape.width + unit * kWordColumns;
  }
  /// Where the values of a tile's first unit are stored in a line without a phase.
  template <typename Value>
  __device__ Value* out(const MovedTile& tile, std::int64_t image) const {
    const std::uint32_t pixel = tile.line * shape.width + tile.unit * kWordColumns;
    return static_cast<Value*>(args.values) +
           image * std::int64_t{shape.image_lines * shape.width} * (Units::kInterleaves ? Units::kChannels : 1) +
           pixel * (Units::kInterleaves ? Units::kChannels : 1);
  }
};

/// Loads the words of a lane's units of an image.
template <typename Units>
__device__ inline void load_units(const MovedTiles<Units>& tiles, const MovedTile& tile, const L2Policy& policy,
                                  int image, LoadedUnits<Units>& loaded) {
  const TileEntries entries = tiles.entries(tile, image);
  const MovedCodes& codes = tiles.block.codes[image];
  const auto P = static_cast<std::uint32_t>(tiles.args.pixels);
#pragma unroll
  for (int k = 0; k < Units::kCount; ++k) {
    const MovedLine& line = tiles.line(entries, k);
    const MovedWord& word = tiles.word(entries, line, k);
    auto offset = static_cast<std::uint32_t>(line.offset + word.first);
    const std::uint32_t shift = offset % 4;
    const std::int8_t* low = codes.words + (offset - shift);
    if constexpr (!Units::kIsAny) loaded.selectors[k] = word.selector + 0x1111 * shift;
#pragma unroll
    for (int i = k * Units::kChannels; i < (k + 1) * Units::kChannels; ++i, low += P, offset += P) {
      if constexpr (Units::kIsAny)
        loaded.selectors[i] = word.selector + 0x1111 * codes.load(policy, offset, loaded.low[i], loaded.high[i]);
      else
        policy.load_words(shift, low, loaded.low[i], loaded.high[i]);
    }
  }
}

/// Where a unit is filled.
struct UnitFill {
  std::uint32_t beyond, erased;  ///< a byte for each column, with all bits or none

  __device__ UnitFill(const MovedLine& line, const MovedWord& word)
      : beyond(line.beyond | word.beyond), erased(line.erased & word.erased) {}

  /// The codes of the unit in a channel, filled where crops and erasures fill codes.
  template <bool kErasesValues>
  __device__ std::uint32_t codes(std::uint32_t moved, const MovedChannel& channel) const {
    const std::uint32_t cropped = blended(moved, channel.beyond, beyond);
    return kErasesValues ? cropped : blended(cropped, channel.erased, erased);
  }
};

/// The columns of a head or tail word that are in its line: a bit for each.
__device__ inline std::uint32_t columns_of(std::uint32_t kind, std::uint32_t phase, std::uint32_t width) {
  return kind == kHeadWord ? kAllColumns << phase : (1u << (phase + width) % kWordColumns) - 1;
}

/// Stores units of planes.
template <bool kErasesValues, typename Value, typename Units>
__device__ inline void store_planes(const MovedTiles<Units>& tiles, const MovedTile& tile, const L2Policy& policy,
                                    int image, Value* out, const StoredUnits<Units>& stored) {
  const TileEntries entries = tiles.entries(tile, image);
  const MovedChannel* const channels = tiles.block.channels[image];
  const std::uint32_t plane = tiles.shape.lines * tiles.shape.width;
  JoinedWord codes_before[Units::kChannels], erased_before;
#pragma unroll
  for (int k = 0; k < Units::kCount; ++k) {
    const MovedLine line = tiles.line(entries, k);
    const MovedWord word = tiles.word(entries, line, k);
    const UnitFill fill(line, word);
    const std::uint32_t phase = tiles.phase(line);
    const auto joined = tiles.joined_kinds(tile, line, k);
    const std::uint32_t kind = !Units::kIsAny ? kWholeWord : tiles.has(tile, k) ? kind_of(word) : 0;
    const bool is_whole = Units::kIsAny ? (kind & joined.whole) != 0 : tiles.has(tile, k);
    const std::uint32_t erased = Units::kIsAny && kErasesValues ? erased_before.join(fill.erased, word) : fill.erased;
    Value* unit_out = out + tiles.pixel(k) - phase;
#pragma unroll
    for (int c = 0; c < Units::kChannels; ++c, unit_out += plane) {
      const MovedChannel channel = channels[Units::kChannels == 1 ? channel_of(line) : static_cast<unsigned>(c)];
      std::uint32_t codes = fill.codes<kErasesValues>(stored.words[k * Units::kChannels + c], channel);
      if constexpr (Units::kIsAny) codes = codes_before[c].join(codes, word);
      auto values = decode_words<Value>(Words<4>{codes}, [&](int) { return channel.map; });
      if constexpr (kErasesValues) {
        blend_values<Value>(values, erased, [&](int) { return float_of(channel.erased); });
      }
      policy.store(is_whole, unit_out, values);
      if (Units::kIsAny && (kind & ~(joined.whole | joined.elsewhere)) != 0) {
        store_columns(columns_of(kind, phase, tiles.shape.width), unit_out, values);
      }
    }
  }
}

/// Shared memory in which a warp puts a tile of pixels in the order of the output: codes, and masks of erased values.
template <typename Units, bool kErasesValues, bool kInterleaves = Units::kInterleaves>
struct PixelTiles {
  static constexpr std::uint32_t kWords = Units::kTile * Units::kChannels;
  alignas(16) std::uint32_t codes[kWords];
  alignas(16) std::uint32_t erased[kErasesValues ? kWords : 1];
};
template <typename Units, bool kErasesValues>
struct PixelTiles<Units, kErasesValues, false> {};

/// Stages the interleaved bytes of four pixels at `staged`.
template <int kChannels>
__device__ inline void stage(bool wanted, const std::uint32_t (&planes)[kChannels], std::uint32_t* staged) {
  if (!wanted) return;
  std::uint32_t pixels[kChannels];
  interleave(planes, pixels);
  if constexpr (kChannels == 4) {
    *reinterpret_cast<Words<16>*>(staged) = {pixels[0], pixels[1], pixels[2], pixels[3]};
  } else {
#pragma unroll
    for (unsigned i = 0; i < kChannels; ++i) staged[i] = pixels[i];
  }
}

/// Stages units of interleaved channels.
template <bool kErasesValues, typename Units>
__device__ inline void stage_pixels(const MovedTiles<Units>& tiles, const MovedTile& tile, const TileEntries& entries,
                                    const MovedChannel* channels, const StoredUnits<Units>& stored,
                                    PixelTiles<Units, kErasesValues>& staged) {
  constexpr int kChannels = Units::kChannels;
  JoinedWord codes_before[kChannels], erased_before;
  __syncwarp();  // all lanes have read the tiles before
#pragma unroll
  for (int k = 0; k < Units::kCount; ++k) {
    const MovedLine line = tiles.line(entries, k);
    const MovedWord word = tiles.word(entries, line, k);
    const UnitFill fill(line, word);
    std::uint32_t planes[kChannels], erased = fill.erased, at = tiles.pixel(k);
#pragma unroll
    for (int c = 0; c < kChannels; ++c) {
      planes[c] = fill.codes<kErasesValues>(stored.words[k * kChannels + c], channels[c]);
    }
    bool is_stored = true;
    if constexpr (Units::kIsAny) {
#pragma unroll
      for (int c = 0; c < kChannels; ++c) planes[c] = codes_before[c].join(planes[c], word);
      if constexpr (kErasesValues) erased = erased_before.join(erased, word);
      at += phase_of(*entries.lines) - phase_of(line);
      is_stored = tiles.has(tile, k) && (kind_of(word) & ~tiles.joined_kinds(tile, line, k).elsewhere) != 0;
    }
    stage(is_stored, planes, staged.codes + at / kWordColumns * kChannels);
    if constexpr (kErasesValues) {
#pragma unroll
      for (std::uint32_t& plane : planes) plane = erased;
      stage(is_stored, planes, staged.erased + at / kWordColumns * kChannels);
    }
  }
  __syncwarp();
}

/// The values of a tile of pixels that are stored, counted from the word of the output in which the tile begins.
struct PixelRange {
  std::uint32_t first, end;
};
template <typename Units>
__device__ inline PixelRange pixel_range(const MovedTiles<Units>& tiles, const MovedTile& tile, std::uint32_t phase) {
  if constexpr (!Units::kIsAny) return {0, tile.count * kWordColumns * Units::kChannels};
  // Only the first tile of a line begins before it.
  const std::uint32_t first = tile.unit == 0 ? phase : 0;
  const std::uint32_t end = phase + tile.line_count * tiles.shape.width - tile.unit * kWordColumns;
  const std::uint32_t most = tile.count * kWordColumns;
  return {first * Units::kChannels, (end < most ? end : most) * Units::kChannels};
}

/// Stores units of interleaved channels: neighboring lanes store neighboring words of four values.
template <bool kErasesValues, typename Value, typename Units>
__device__ inline void store_pixels(const MovedTiles<Units>& tiles, const MovedTile& tile, const L2Policy& policy,
                                    int image, Value* out, const StoredUnits<Units>& stored,
                                    PixelTiles<Units, kErasesValues>& staged) {
  constexpr int kChannels = Units::kChannels;
  const TileEntries entries = tiles.entries(tile, image);
  const MovedChannel* const channels = tiles.block.channels[image];
  const std::uint32_t lane = threadIdx.x % kWarpThreads;
  stage_pixels(tiles, tile, entries, channels, stored, staged);
  // The channel of value i of word `lane` is (first + i) % kChannels.
  const std::uint32_t first = lane * kWordColumns % kChannels;
  Affine maps[kChannels];
  float erased_values[kChannels];
#pragma unroll
  for (unsigned i = 0; i < kChannels; ++i) {
    maps[i] = channels[(first + i) % kChannels].map;
    erased_values[i] = float_of(channels[(first + i) % kChannels].erased);
  }
  const std::uint32_t phase = tiles.phase(*entries.lines);
  const PixelRange range = pixel_range(tiles, tile, phase);
  Value* word_out = out - phase * kChannels + lane * kWordColumns;
#pragma unroll
  for (int k = 0; k < Units::kCount * kChannels; ++k) {
    constexpr int kValuesBetween = static_cast<int>(kWarpThreads) * kWordColumns;
    const std::uint32_t word = static_cast<std::uint32_t>(k) * kWarpThreads + lane, at = word * kWordColumns;
    auto values = decode_words<Value>(Words<4>{staged.codes[word]},
                                      [&](int i) { return maps[(k * kValuesBetween + i) % kChannels]; });
    if constexpr (kErasesValues) {
      blend_values<Value>(values, staged.erased[word],
                          [&](int i) { return erased_values[(k * kValuesBetween + i) % kChannels]; });
    }
    const bool is_whole = at + kWordColumns <= range.end && (!Units::kIsAny || k > 0 || at >= range.first);
    policy.store(is_whole, word_out + k * kValuesBetween, values);
    if (Units::kIsAny && !is_whole && at < range.end) {
      store_columns(columns_in(at, range.first, range.end), word_out + k * kValuesBetween, values);
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

/// kChannels, kInterleaves, kIsAny: those of MovedUnits. kErasesValues: whether erasures fill values, not codes.
template <typename Value, int kChannels, bool kInterleaves, bool kErasesValues, bool kIsAny>
__global__ void __launch_bounds__(kMostThreads, MovedUnits<kChannels, kInterleaves, kIsAny>::kLeastBlocks)
    gather_moved(const __grid_constant__ GatherArgs args, const __grid_constant__ MovedShape shape,
                 const WorkShare share, const CachePolicies policies) {
  using Units = MovedUnits<kChannels, kInterleaves, kIsAny>;
  __shared__ MovedBlock block;
  __shared__ PixelTiles<Units, kErasesValues> staged[kMostWarps];
  const BlockPlaces places = block_places(args.batch_count * args.batch.views, share.samples_per_block);
  find_samples(args, places, block);
  draw_steps(args, places, block);
  fill_images(args, places, block);
  const MovedTiles<Units> tiles(args, shape, block,
                                shape.line_tiles.quotient(blockIdx.y * share.tiles_per_split) * shape.tile_lines);
  fill_tables<kIsAny>(args, shape, places, tiles.first_line, block);

  const L2Policy codes_policy(policies.codes), values_policy(policies.values);
  // A warp moves a tile of all images, then the next one.
  MovedTile loaded_tile{}, stored_tile{};
  const auto load = [&](TileStep step, bool wanted) {
    LoadedUnits<Units> loaded;
    if (wanted && (!Units::kKeepsTile || step.sample == 0)) loaded_tile = tiles.tile(step.tile);
    if (wanted) load_units(tiles, loaded_tile, codes_policy, step.sample, loaded);
    return loaded;
  };
  const auto store = [&](TileStep step, const StoredUnits<Units>& stored) {
    if (!Units::kKeepsTile || step.sample == 0) stored_tile = tiles.tile(step.tile);
    Value* const out = tiles.template out<Value>(stored_tile, places.first + step.sample);
    if constexpr (kInterleaves) {
      store_pixels<kErasesValues>(tiles, stored_tile, values_policy, step.sample, out, stored,
                                  staged[threadIdx.x / kWarpThreads]);
    } else {
      store_planes<kErasesValues>(tiles, stored_tile, values_policy, step.sample, out, stored);
    }
  };
  run_steps(
      TileWalk(share, places.count), load, [] {}, [](std::uint32_t) {}, store);
  write_labels(args, places, block);
  // The ticket is drawn late, to save registers.
  CursorAdvance(args.selection.cursor, args.cursor_batches).finish();
}

bool is_interleaved(const GatherArgs& args) { return args.batch.layout == Layout::nhwc && args.sample.channels != 1; }

/// The shape of an image of `lines` lines, without the lines in tables.
template <typename Units>
MovedShape moved_shape(std::int64_t lines, std::int64_t width, std::int64_t height) {
  constexpr std::int64_t kUnits = Units::kTile;
  const unsigned phase_bits = width % 4 == 0 ? 2 : width % 2 == 0 ? 1 : 0;
  const std::int64_t last_phase = kWordColumns - (1 << phase_bits);
  const std::int64_t line_units = (last_phase + width + kWordColumns - 1) / kWordColumns;
  const std::int64_t tile_lines = std::max<std::int64_t>(1, std::min(lines, kUnits / line_units));
  return {static_cast<std::uint32_t>(lines),
          static_cast<std::uint32_t>(lines * (Units::kInterleaves ? 1 : Units::kChannels)),
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

template <typename Value, int kChannels, bool kInterleaves, bool kErasesValues, bool kIsAny>
cudaError_t launch_as(const GatherArgs& args, const CachePolicies& policies, const DeviceTraits& device,
                      cudaStream_t stream) {
  const SampleShape& to = args.batch.image;
  const std::int64_t line_channels = kChannels == 1 ? to.channels : 1;
  MovedShape shape =
      moved_shape<MovedUnits<kChannels, kInterleaves, kIsAny>>(to.height * line_channels, to.width, to.height);
  const BatchGeometry geometry = moved_geometry(args.batch_count * args.batch.views, shape, device);
  shape.table_lines = static_cast<std::uint32_t>(lines_in_tiles(shape, geometry.tiles_per_split));
  return launch(gather_moved<Value, kChannels, kInterleaves, kErasesValues, kIsAny>,
                dim3(geometry.groups, geometry.splits), dim3(geometry.block_threads), stream, args, shape,
                work_share(geometry), policies);
}

/// Whether lines of the output, and rows of stored planes, are whole words or begin with one.
bool has_whole_words(const GatherArgs& args) {
  return args.batch.image.width % kWordColumns == 0 && args.sample.width >= kWordColumns && args.pixels % 4 == 0 &&
         is_aligned(args.packed, 4);
}

template <typename Value, int kChannels, bool kInterleaves>
cudaError_t launch_channels(const GatherArgs& args, const CachePolicies& policies, const DeviceTraits& device,
                            cudaStream_t stream) {
  const bool erases_values = args.augment.demand == AugmentDemand::erasing_moves, is_any = !has_whole_words(args);
  const auto launch_variant = erases_values ? is_any ? launch_as<Value, kChannels, kInterleaves, true, true>
                                                     : launch_as<Value, kChannels, kInterleaves, true, false>
                              : is_any ? launch_as<Value, kChannels, kInterleaves, false, true>
                                            : launch_as<Value, kChannels, kInterleaves, false, false>;
  return launch_variant(args, policies, device, stream);
}

}  // namespace

template <typename Value>
bool takes_moved(const GatherArgs& args) {
  const SampleShape &from = args.sample, &to = args.batch.image;
  const std::int64_t most_side = std::max({from.height, from.width, to.height, to.width});
  return !args.augment.mix.is_on && most_side <= kMostMovedSide && from.channels <= kMostMovedChannels &&
         (!is_interleaved(args) || from.channels >= 3) && to.width >= kWordColumns &&
         is_aligned(args.values, kWordColumns * sizeof(Value));
}

template <typename Value>
cudaError_t launch_gather_moved(const GatherArgs& args, const CachePolicies& policies, const DeviceTraits& device,
                                cudaStream_t stream) {
  if (is_interleaved(args)) {
    return args.sample.channels == 3 ? launch_channels<Value, 3, true>(args, policies, device, stream)
                                     : launch_channels<Value, 4, true>(args, policies, device, stream);
  }
  // Planes share lines if their words begin at the same columns.
  const bool shares_lines = args.batch.image.values_per_channel() % kWordColumns == 0;
  return shares_lines && args.sample.channels == 3   ? launch_channels<Value, 3, false>(args, policies, device, stream)
         : shares_lines && args.sample.channels == 4 ? launch_channels<Value, 4, false>(args, policies, device, stream)
                                                     : launch_channels<Value, 1, false>(args, policies, device, stream);
}

#define OCTAVO_INSTANTIATE(Value)                                                                               \
  template bool takes_moved<Value>(const GatherArgs&);                                                          \
  template cudaError_t launch_gather_moved<Value>(const GatherArgs&, const CachePolicies&, const DeviceTraits&, \
                                                  cudaStream_t);
OCTAVO_FOR_VALUE_TYPES(OCTAVO_INSTANTIATE)
#undef OCTAVO_INSTANTIATE

}  // namespace octavo::kernels::cuda
