// The gather of images that are resized once. A block makes a part of an image, a tile at a time: it stages the stored
// rows that the tile needs as words, weighs rows, then columns (augment/axis_filter.hpp), and stores the levels as
// values. Tables have the weights of each row and column of the output (augment/resized_image.hpp), so flips and crops
// cost nothing.
#include <algorithm>
#include <climits>
#include <cstddef>

#include "kernels/augment/resized_image.hpp"
#include "kernels/cuda/block/batch_rows.cuh"
#include "kernels/cuda/block/decode_words.cuh"
#include "kernels/cuda/block/launch.cuh"
#include "kernels/cuda/block/staged_tile.cuh"
#include "kernels/cuda/gather_variants.hpp"
#include "kernels/divider.hpp"

namespace octavo::kernels::cuda {
namespace {

constexpr unsigned kResizedThreads = 192;
/// Blocks per multiprocessor: 80 registers. With 64, some architectures would spill.
constexpr int kLeastResizedBlocks = 4;
/// Values of an image per block, so that its tables cost little, unless they do not fit.
constexpr std::int64_t kBlockValues = 24576;
/// Words that a thread loads before it stages the first.
constexpr int kStagedUnroll = 4;

/// Rows of the output that a thread makes together, and columns of stored words.
constexpr int kGroupRows = 4, kWordPixels = 4;
/// Words of a tile: of stored rows, or of levels of the output.
constexpr std::uint32_t kTileWords = 1536;
/// If channels are interleaved, their levels have room of their own, so that channels are made one after the other.
constexpr std::uint32_t kPixelWords = 2048;
/// Words that the last unit of a tile may read further.
constexpr std::uint32_t kWordSlack = 4;
/// Columns of row groups, a task of four columns for each thread: every eighth is left out (group_place()).
constexpr std::uint32_t kMostGroups = kResizedThreads * 9 / 2;
/// Entries of a block's tables.
constexpr std::uint32_t kPartRows = 96, kTileColumns = 256, kMostBands = kPartRows / kGroupRows;
/// Words of its weights: pairs of rows, and columns.
constexpr std::uint32_t kRowPairs = 384, kColumnWeights = 768;
constexpr std::int64_t kMostResizedChannels = 8;

/// How images are divided into tiles. A block makes some columns, and `part_rows` rows, which are whole bands of tiles.
struct ResizedShape {
  std::uint32_t columns;  ///< of a tile; the last one may have fewer
  std::uint32_t column_tiles;
  SmallDivider groups;    ///< divides by the groups of rows in a tile; the last one may have fewer
  SmallDivider channels;  ///< divides by C, if the channels are interleaved
  std::uint32_t part_rows;
  std::uint32_t tile_channels;
  bool has_whole_words;  ///< every stored row begins and ends with a word
  bool erases;           ///< whether an operation erases codes or values

  __host__ __device__ std::uint32_t tile_rows() const { return groups.divisor * kGroupRows; }
};

/// Sums of weighted rows, in the format between the axes: a column of a group of rows.
struct alignas(16) RowGroup {
  std::int32_t rows[kGroupRows];
};

/// A word for each row of a group.
struct alignas(16) GroupWords {
  std::uint32_t rows[kGroupRows];
};

/// The stored rows of a band of tiles.
struct ResizedBand {
  std::int32_t lowest, end;  ///< the end may be beyond the image: the weights there are 0
  SmallDivider rows;         ///< divides by their number
};

/// The part of an image that a block makes.
struct ResizedPart {
  std::int32_t first_row, row_count;
  std::int32_t first_column;
  SmallDivider columns;       ///< divides by their number
  std::uint32_t groups;       ///< of rows
  std::uint32_t taps, pairs;  ///< stored columns that make a column, and pairs of stored rows that make a row
};

/// What a block knows of its image. Its rows are those of its part, rounded up to whole groups: the last one is
/// repeated.
struct ResizedTables {
  SelectedSample sample;
  const std::int8_t* codes;
  MovingStep steps[kMostAugmentOps];
  ResizedPart part;
  ResizedAxis down, across;
  BetweenFormat between;
  std::int32_t shows_fill;                                       ///< 1: a row or column shows the fill value of a crop
  std::int32_t lowest_column, end_column;                        ///< of the stored columns of the tiles
  SmallDivider words;                                            ///< divides by the words of a stored row
  Affine maps[kMostResizedChannels + kValuesPerStore<Float16>];  ///< of the channels of the tile, over and over
  std::int8_t rows_filled_by[kPartRows], columns_filled_by[kTileColumns];  ///< as in ResizedOutput
  GroupWords row_places[kMostBands];               ///< of the first stored row of each row in its band, in words
  GroupWords row_weights[kRowPairs / kGroupRows];  ///< [pair of stored rows][row]
  std::int32_t column_weights[kColumnWeights];     ///< [stored column][column]: the weight, and the place of a RowGroup
  ResizedBand bands[kMostBands];
  std::uint32_t tile[kTileWords + kWordSlack];
  union {
    ResizedOutput outputs[kTileColumns + kPartRows];  ///< the columns, then the rows, until the weights are known
    RowGroup groups[kMostGroups];
  };
};

template <bool kIsInterleaved>
struct ResizedBlock : ResizedTables {
  __device__ std::uint32_t* levels() { return tile; }
};
template <>
struct ResizedBlock<true> : ResizedTables {
  std::uint32_t pixels[kPixelWords + kWordSlack];

  __device__ std::uint32_t* levels() { return pixels; }
};

/// A tile: some rows of a part, of some channels.
struct ResizedTile {
  std::uint32_t band;
  std::int32_t first_row, row_count;  ///< of the part
  std::int32_t first_channel;
  std::uint32_t channel_count;
  SmallDivider groups;  ///< divides by the groups of rows
};

/// Where column `column` of a line of row groups is. One is left out after every eight, so that threads that read every
/// second, fourth or eighth column read different banks.
OCTAVO_HOST_DEVICE constexpr std::uint32_t group_place(std::uint32_t column) { return column + column / 8; }
/// Places of a line of `words` words.
OCTAVO_HOST_DEVICE constexpr std::uint32_t line_groups(std::uint32_t words) {
  return group_place(kWordPixels * words - 1) + 1;
}

// All threads of a block call the functions below together.

/// Finds the sample and the part, and clears what find_outputs() adds up.
__device__ inline void find_part(const GatherArgs& args, const ResizedShape& shape, ResizedTables& block) {
  if (threadIdx.x == 0) {
    block.sample = sample_at(args.selection, blockIdx.x / args.batch.views);
    block.codes = PlainRows(args.packed).codes(block.sample.row);
    block.shows_fill = 0;
    block.lowest_column = INT_MAX;
    block.end_column = 0;
    const auto smaller = [](std::uint32_t a, std::uint32_t b) { return a < b ? a : b; };
    const std::uint32_t row_part = blockIdx.y / shape.column_tiles, tile = blockIdx.y - row_part * shape.column_tiles;
    const std::uint32_t y = row_part * shape.part_rows, x = tile * shape.columns;
    const std::uint32_t rows = smaller(shape.part_rows, static_cast<std::uint32_t>(args.batch.image.height) - y);
    const std::uint32_t columns = smaller(shape.columns, static_cast<std::uint32_t>(args.batch.image.width) - x);
    block.part = {static_cast<std::int32_t>(y),
                  static_cast<std::int32_t>(rows),
                  static_cast<std::int32_t>(x),
                  small_divider(columns),
                  (rows + kGroupRows - 1) / kGroupRows,
                  0,
                  0};
  }
  if (threadIdx.x < kMostBands) {
    block.bands[threadIdx.x].lowest = INT_MAX;
    block.bands[threadIdx.x].end = 0;
  }
  __syncthreads();
}

// Out of line, because few threads of a block call them.

OCTAVO_NO_INLINE __device__ static void draw_block_step(const GatherArgs& args, const SelectedSample& sample, int i,
                                                        MovingStep& step) {
  const auto view = static_cast<std::uint32_t>(blockIdx.x % args.batch.views);
  step = draw_resized_step(*args.augment.program, i, draw_key(args, sample, view));
}
OCTAVO_NO_INLINE __device__ static void find_axis(const GatherArgs& args, ImageAxis axis, ResizedTables& block) {
  const ResizedAxis found = resized_axis(*args.augment.program, block.steps, args.augment.resizing.op, axis);
  const auto taps = static_cast<std::uint32_t>(found.filter.most_taps());
  if (axis == ImageAxis::down) {
    block.down = found;
    block.between = between_format(found.filter.is_cubic);
    block.part.pairs = (taps + 1) / 2;
  } else {
    block.across = found;
    block.part.taps = taps;
  }
}

/// Draws the steps of the image, each by another warp, and determines its axes.
__device__ inline void draw_steps(const GatherArgs& args, ResizedTables& block) {
  const unsigned warp = threadIdx.x / kWarpThreads;
  const bool is_first = threadIdx.x % kWarpThreads == 0;
  if (is_first) {
    for (auto i = static_cast<int>(warp); i < args.augment.program->op_count;
         i += static_cast<int>(kResizedThreads / kWarpThreads)) {
      draw_block_step(args, block.sample, i, block.steps[i]);
    }
  }
  __syncthreads();
  if (is_first && warp < 2) find_axis(args, warp == 0 ? ImageAxis::down : ImageAxis::across, block);
  __syncthreads();
}

/// Visits the columns and rows of a part, shared out over the threads: visit(axis, index in the part, output).
template <typename Visit>
__device__ inline void for_outputs(ResizedTables& block, const Visit& visit) {
  const std::uint32_t columns = block.part.columns.divisor;
  for (std::uint32_t i = threadIdx.x; i < columns + block.part.groups * kGroupRows; i += kResizedThreads) {
    visit(i < columns ? ImageAxis::across : ImageAxis::down, i < columns ? i : i - columns, block.outputs[i]);
  }
}

/// Determines which stored rows and columns make the part.
OCTAVO_NO_INLINE __device__ static void find_outputs(const GatherArgs& args, const ResizedShape& shape,
                                                     ResizedTables& block) {
  const ResizedPart& part = block.part;
  const auto last_row = static_cast<std::uint32_t>(part.row_count) - 1;
  for_outputs(block, [&](ImageAxis axis, std::uint32_t i, ResizedOutput& output) {
    const bool is_down = axis == ImageAxis::down;
    const auto at = static_cast<std::int32_t>(is_down && i > last_row ? last_row : i);
    output = resized_output(*args.augment.program, block.steps, args.augment.resizing.op, axis,
                            is_down ? block.down : block.across, at + (is_down ? part.first_row : part.first_column));
    (is_down ? block.rows_filled_by : block.columns_filled_by)[i] = static_cast<std::int8_t>(output.filled_by);
    ResizedBand& band = block.bands[is_down ? i / shape.tile_rows() : 0];
    const std::int32_t end = is_down ? output.first + 2 * static_cast<std::int32_t>(part.pairs) : output.end;
    atomicMin(is_down ? &band.lowest : &block.lowest_column, output.first);
    atomicMax(is_down ? &band.end : &block.end_column, end);
    if (output.filled_by >= 0) atomicMax(&block.shows_fill, 1);
  });
  __syncthreads();
}

/// The stored columns of a tile.
struct StoredColumns {
  std::int32_t lowest;  ///< begins a word
  std::uint32_t words;

  __device__ explicit StoredColumns(const ResizedTables& block)
      : lowest(block.lowest_column & ~(kWordPixels - 1)),
        words(static_cast<std::uint32_t>(block.end_column - lowest + kWordPixels - 1) / kWordPixels) {}
};

/// Sets the weights of row `i`, in pairs, and where its stored rows begin. Weights beyond the filter are 0.
__device__ inline void set_row(const ResizedShape& shape, std::uint32_t words, std::uint32_t i,
                               const ResizedOutput& row, ResizedTables& block) {
  const std::int32_t lowest = block.bands[i / shape.tile_rows()].lowest;
  block.row_places[i / kGroupRows].rows[i % kGroupRows] = static_cast<std::uint32_t>(row.first - lowest) * words;
  const auto weights = [&](std::uint32_t pair) -> std::uint32_t& {
    return block.row_weights[pair * block.part.groups + i / kGroupRows].rows[i % kGroupRows];
  };
  for (std::uint32_t pair = 0; pair < block.part.pairs; ++pair) weights(pair) = 0;
  block.down.for_weights(row.pixel, [&](std::int32_t stored, std::int32_t weight) {
    const auto tap = static_cast<std::uint32_t>(stored - row.first);
    weights(tap / 2) |= (static_cast<std::uint32_t>(weight) & 0xFFFFu) << (tap % 2 * 16);
  });
}
/// Sets the weights of column `i`, in the upper halves; in the lower ones, the places of the row groups that they
/// weigh. Weights beyond the filter are 0, and have the place of the first.
__device__ inline void set_column(std::int32_t lowest, std::uint32_t i, const ResizedOutput& column,
                                  ResizedTables& block) {
  const auto place = [&](std::int32_t stored) {
    return group_place(static_cast<std::uint32_t>(stored - lowest)) * static_cast<std::uint32_t>(sizeof(RowGroup));
  };
  const auto set = [&](std::uint32_t tap, std::uint32_t value) {
    block.column_weights[tap * block.part.columns.divisor + i] = static_cast<std::int32_t>(value);
  };
  for (std::uint32_t tap = 0; tap < block.part.taps; ++tap) set(tap, place(column.first));
  block.across.for_weights(column.pixel, [&](std::int32_t stored, std::int32_t weight) {
    set(static_cast<std::uint32_t>(stored - column.first), static_cast<std::uint32_t>(weight) << 16 | place(stored));
  });
}

/// Fills the tables of weights.
OCTAVO_NO_INLINE __device__ static void fill_weights(const ResizedShape& shape, ResizedTables& block) {
  const StoredColumns stored(block);
  for_outputs(block, [&](ImageAxis axis, std::uint32_t i, const ResizedOutput& output) {
    if (axis == ImageAxis::down)
      set_row(shape, stored.words, i, output, block);
    else
      set_column(stored.lowest, i, output, block);
  });
  if (threadIdx.x == 0) block.words = small_divider(stored.words);
  if (threadIdx.x * shape.tile_rows() < static_cast<std::uint32_t>(block.part.row_count)) {
    ResizedBand& band = block.bands[threadIdx.x];
    band.rows = small_divider(static_cast<std::uint32_t>(band.end - band.lowest));
  }
  __syncthreads();
}

/// The word of stored codes at `offset` of a sample whose rows are not whole words. Codes beyond the sample are 0.
__device__ inline std::uint32_t split_word(const L2Policy& policy, bool wanted, const std::int8_t* codes,
                                           std::int32_t sample_bytes, std::int32_t offset) {
  const auto skipped =
      static_cast<unsigned>((reinterpret_cast<std::uintptr_t>(codes) + static_cast<unsigned>(offset)) % 4);
  const std::int32_t aligned = offset - static_cast<std::int32_t>(skipped);
  if (aligned >= 0 && aligned + 8 <= sample_bytes) {
    const std::uint32_t low = policy.load_word(wanted, codes + aligned);
    const std::uint32_t high = policy.load_word(wanted && skipped != 0, codes + aligned + 4);
    return bytes_from(low, high, skipped);
  }
  std::uint32_t word = 0;
  for (std::int32_t i = 0; i < 4; ++i) {
    if (!wanted || offset + i >= sample_bytes) continue;
    word |= static_cast<std::uint32_t>(static_cast<std::uint8_t>(load_code(codes + offset + i))) << (8 * i);
  }
  return word;
}

/// Stages the stored rows of a tile: words[channel][row][word].
__device__ inline void stage_rows(const GatherArgs& args, const ResizedShape& shape, const L2Policy& policy,
                                  const ResizedTile& tile, ResizedTables& block) {
  const ResizedBand band = block.bands[tile.band];
  const SmallDivider words = block.words;
  const auto last_row = static_cast<std::int32_t>(args.sample.height) - 1;
  const auto width = static_cast<std::int32_t>(args.sample.width), pixels = static_cast<std::int32_t>(args.pixels);
  const std::int32_t first_code = tile.first_channel * pixels + (block.lowest_column & ~(kWordPixels - 1));
  const std::uint32_t count = tile.channel_count * band.rows.divisor * words.divisor;
  const auto offset_of = [&](std::uint32_t i) {
    const std::uint32_t line = words.quotient(i), word = i - line * words.divisor;
    const std::uint32_t channel = tile.channel_count == 1 ? 0 : band.rows.quotient(line);
    const std::int32_t row = band.lowest + static_cast<std::int32_t>(line - channel * band.rows.divisor);
    return first_code + static_cast<std::int32_t>(channel) * pixels + (row < last_row ? row : last_row) * width +
           static_cast<std::int32_t>(word) * kWordPixels;
  };
  const std::int8_t* const codes = block.codes;
  const auto load = [&](bool wanted, std::int32_t offset) {
    return shape.has_whole_words
               ? policy.load_word(wanted, codes + offset)
               : split_word(policy, wanted, codes, static_cast<std::int32_t>(args.sample.values()), offset);
  };
  for (std::uint32_t first = threadIdx.x; first < count; first += kStagedUnroll * kResizedThreads) {
    std::uint32_t loaded[kStagedUnroll];
#pragma unroll
    for (unsigned k = 0; k < kStagedUnroll; ++k) {
      const std::uint32_t i = first + k * kResizedThreads;
      loaded[k] = load(i < count, offset_of(i));
    }
#pragma unroll
    for (unsigned k = 0; k < kStagedUnroll; ++k) {
      const std::uint32_t i = first + k * kResizedThreads;
      if (i < count) block.tile[i] = loaded[k];
    }
  }
}

/// Sets the maps of the channels of a tile. Jitters change them.
__device__ inline void set_maps(const GatherArgs& args, const ResizedTile& tile, ResizedTables& block) {
  if (threadIdx.x >= tile.channel_count + kValuesPerStore<Float16>) return;
  const std::uint32_t channel = static_cast<std::uint32_t>(tile.first_channel) + threadIdx.x % tile.channel_count;
  Affine map = args.maps[args.uniform_map ? 0 : channel];
  for (int i = args.augment.resizing.op + 1; i < args.augment.program->op_count; ++i) {
    if (block.steps[i].kind == StepKind::jitter) map = jittered(map, block.steps[i]);
  }
  block.maps[threadIdx.x] = map;
}

/// Adds two weighted rows of codes to the sums of four columns.
__device__ inline void add_row_pair(std::uint32_t weights, std::uint32_t upper, std::uint32_t lower,
                                    std::int32_t (&sums)[kWordPixels]) {
  const std::uint32_t first = permute_bytes(upper, lower, 0x5140), last = permute_bytes(upper, lower, 0x7362);
  sums[0] = add_weighted_codes(weights, first, false, sums[0]);
  sums[1] = add_weighted_codes(weights, first, true, sums[1]);
  sums[2] = add_weighted_codes(weights, last, false, sums[2]);
  sums[3] = add_weighted_codes(weights, last, true, sums[3]);
}

/// Weighs the staged rows. A thread makes four rows of four columns.
__device__ inline void blend_rows(const ResizedTile& tile, ResizedTables& block) {
  const std::uint32_t pairs = block.part.pairs, pair_groups = block.part.groups;
  const SmallDivider words = block.words;
  const std::uint32_t stride = line_groups(words.divisor), row_words = words.divisor;
  const std::uint32_t channel_words = block.bands[tile.band].rows.divisor * row_words;
  const std::uint32_t first_group = static_cast<std::uint32_t>(tile.first_row) / kGroupRows;
  const int shift = block.between.first_shift();
  // Codes are levels less 128, and the weights add up to 2^kWeightBits.
  const std::int32_t start = block.between.first_start() + (128 << kWeightBits);
  const std::uint32_t count = tile.channel_count * tile.groups.divisor * row_words;
  for (std::uint32_t i = threadIdx.x; i < count; i += kResizedThreads) {
    const std::uint32_t line = words.quotient(i), word = i - line * row_words;
    const std::uint32_t channel = tile.groups.quotient(line);
    const std::uint32_t group = first_group + line - channel * tile.groups.divisor;
    GroupWords from = block.row_places[group];
    std::int32_t sums[kGroupRows][kWordPixels];
#pragma unroll
    for (int r = 0; r < kGroupRows; ++r) {
      from.rows[r] += channel * channel_words + word;
      for (std::int32_t& sum : sums[r]) sum = start;
    }
    const GroupWords* weights = block.row_weights + group;
#pragma unroll 1
    for (std::uint32_t pair = 0; pair < pairs; ++pair, weights += pair_groups) {
      const GroupWords pair_weights = *weights;
#pragma unroll
      for (int r = 0; r < kGroupRows; ++r) {
        const std::uint32_t* const upper = block.tile + from.rows[r];
        add_row_pair(pair_weights.rows[r], upper[0], upper[row_words], sums[r]);
        from.rows[r] += 2 * row_words;
      }
    }
    RowGroup* const to = block.groups + line * stride;
#pragma unroll
    for (std::uint32_t x = 0; x < kWordPixels; ++x) {
      to[group_place(kWordPixels * word + x)] = {
          {sums[0][x] >> shift, sums[1][x] >> shift, sums[2][x] >> shift, sums[3][x] >> shift}};
    }
  }
}

/// The levels of a tile, in the order of the output.
template <bool kIsInterleaved>
struct TileLevels {
  std::uint32_t columns;
  std::uint32_t channels;      ///< of a pixel
  std::uint32_t channel_rows;  ///< from a channel to the next, if they are not interleaved

  __device__ TileLevels(const GatherArgs& args, const ResizedTile& tile, const ResizedTables& block)
      : columns(block.part.columns.divisor),
        channels(static_cast<std::uint32_t>(args.sample.channels)),
        channel_rows(tile.groups.divisor * kGroupRows) {}

  /// `channel` counts from the first channel of the tile, unless they are interleaved.
  __device__ std::uint32_t place(std::uint32_t channel, std::uint32_t row, std::uint32_t column) const {
    if constexpr (kIsInterleaved) return (row * columns + column) * channels + channel;
    return (channel * channel_rows + row) * columns + column;
  }
  /// Bytes from a row to the next.
  __device__ std::uint32_t row_bytes() const { return columns * (kIsInterleaved ? channels : 1); }
};

/// Weighs the columns of row groups. A thread makes four rows of a column.
template <bool kIsInterleaved>
__device__ inline void blend_columns(const GatherArgs& args, const ResizedTile& tile,
                                     ResizedBlock<kIsInterleaved>& block) {
  const TileLevels<kIsInterleaved> levels(args, tile, block);
  auto* const out = reinterpret_cast<std::uint8_t*>(block.levels());
  const SmallDivider column_divider = block.part.columns;
  const std::uint32_t columns = column_divider.divisor, taps = block.part.taps;
  const std::uint32_t stride = line_groups(block.words.divisor);
  const int shift = block.between.second_shift();
  const std::int32_t start = block.between.second_start();
  // Weights that are not negative make no level beyond the range.
  const bool is_cubic = block.across.filter.is_cubic;
  const std::uint32_t count = tile.channel_count * tile.groups.divisor * columns;
  for (std::uint32_t i = threadIdx.x; i < count; i += kResizedThreads) {
    const std::uint32_t line = column_divider.quotient(i), x = i - line * columns;
    const auto* const groups = reinterpret_cast<const std::byte*>(block.groups + line * stride);
    const std::int32_t* weights = block.column_weights + x;
    std::int32_t sums[kGroupRows] = {start, start, start, start};
#pragma unroll 1
    for (std::uint32_t tap = 0; tap < taps; ++tap, weights += columns) {
      const std::int32_t entry = *weights, weight = entry >> 16;
      const auto group = *reinterpret_cast<const RowGroup*>(groups + (entry & 0xFFFF));
#pragma unroll
      for (int r = 0; r < kGroupRows; ++r) sums[r] += weight * group.rows[r];
    }
    const std::uint32_t channel = kIsInterleaved ? tile.groups.quotient(line) : 0;
    const std::uint32_t first_channel = kIsInterleaved ? static_cast<std::uint32_t>(tile.first_channel) : 0;
    std::uint8_t* const first =
        out + levels.place(first_channel + channel, (line - channel * tile.groups.divisor) * kGroupRows, x);
    if (is_cubic) {
#pragma unroll
      for (std::int32_t& sum : sums) sum = std::int32_t{blended_level_of(sum, shift)} << shift;
    }
#pragma unroll
    for (std::uint32_t r = 0; r < kGroupRows; ++r) {
      first[r * levels.row_bytes()] = static_cast<std::uint8_t>(sums[r] >> shift);
    }
  }
}

/// Replaces the levels of a tile that crops fill.
template <bool kIsInterleaved>
__device__ inline void fill_beyond(const GatherArgs& args, const ResizedTile& tile,
                                   ResizedBlock<kIsInterleaved>& block) {
  const TileLevels<kIsInterleaved> levels(args, tile, block);
  __syncthreads();
  for (std::uint32_t i = threadIdx.x; i < static_cast<std::uint32_t>(tile.row_count) * levels.columns;
       i += kResizedThreads) {
    const std::uint32_t row = block.part.columns.quotient(i), column = i - row * levels.columns;
    const int by_row = block.rows_filled_by[static_cast<std::uint32_t>(tile.first_row) + row];
    const int by_column = block.columns_filled_by[column], by = by_row > by_column ? by_row : by_column;
    if (by < 0) continue;
    for (std::uint32_t channel = 0; channel < tile.channel_count; ++channel) {
      reinterpret_cast<std::uint8_t*>(block.levels())[levels.place(channel, row, column)] = static_cast<std::uint8_t>(
          args.augment.program->ops[by].fill.at(tile.first_channel + static_cast<std::int32_t>(channel)) + 128);
    }
  }
}

/// Calls visit(channel, row, column), all counted in the tile, for the pixels that an erasure fills.
template <typename Visit>
__device__ inline void for_erased(const ResizedPart& part, const ResizedTile& tile, const MovingStep& erase,
                                  const Visit& visit) {
  const auto clip = [](std::int32_t at, std::int32_t count) { return at < 0 ? 0 : at < count ? at : count; };
  const std::int32_t first_y = part.first_row + tile.first_row;
  const std::int32_t top = clip(erase.y - first_y, tile.row_count);
  const std::int32_t bottom = clip(erase.y + erase.height - first_y, tile.row_count);
  const auto columns = static_cast<std::int32_t>(part.columns.divisor);
  const std::int32_t left = clip(erase.x - part.first_column, columns);
  const std::int32_t right = clip(erase.x + erase.width - part.first_column, columns);
  if (top >= bottom || left >= right) return;
  const auto height = static_cast<std::uint32_t>(bottom - top), width = static_cast<std::uint32_t>(right - left);
  for (std::uint32_t i = threadIdx.x; i < tile.channel_count * height * width; i += kResizedThreads) {
    const std::uint32_t line = i / width, channel = line / height;
    visit(channel, static_cast<std::uint32_t>(top) + line - channel * height,
          static_cast<std::uint32_t>(left) + i - line * width);
  }
}

/// Erases codes of a tile.
template <bool kIsInterleaved>
__device__ inline void erase_codes(const GatherArgs& args, const ResizedTile& tile,
                                   ResizedBlock<kIsInterleaved>& block) {
  const TileLevels<kIsInterleaved> levels(args, tile, block);
  for (int i = args.augment.resizing.op + 1; i < args.augment.program->op_count; ++i) {
    const AugmentOp& op = args.augment.program->ops[i];
    if (block.steps[i].kind != StepKind::erase || op.is_normalized) continue;
    __syncthreads();
    for_erased(block.part, tile, block.steps[i], [&](std::uint32_t channel, std::uint32_t row, std::uint32_t column) {
      reinterpret_cast<std::uint8_t*>(block.levels())[levels.place(channel, row, column)] =
          static_cast<std::uint8_t>(op.fill.at(tile.first_channel + static_cast<std::int32_t>(channel)) + 128);
    });
  }
}

/// Where the values of a tile are stored: runs of neighboring values. Whole rows are one run.
template <typename Value, bool kIsInterleaved>
struct TileRuns {
  SmallDivider plane_runs;  ///< divides by the runs of a channel, or of all if they are interleaved
  std::uint32_t count;
  std::uint32_t length;
  std::uint32_t run_bytes, plane_bytes;    ///< from one to the next in the levels
  std::uint32_t row_values, plane_values;  ///< and in the output; an image has less than 2^31 values
  Value* out;

  __device__ TileRuns(const GatherArgs& args, const ResizedShape& shape, const ResizedTile& tile,
                      const ResizedTables& block) {
    const SampleShape& image = args.batch.image;
    const TileLevels<kIsInterleaved> levels(args, tile, block);
    const auto rows = static_cast<std::uint32_t>(tile.row_count);
    const std::uint32_t pixel_values = kIsInterleaved ? levels.channels : 1;
    const bool is_whole = shape.column_tiles == 1;
    plane_runs = small_divider(is_whole ? 1 : rows);
    count = plane_runs.divisor * (kIsInterleaved ? 1 : tile.channel_count);
    run_bytes = levels.row_bytes();
    plane_bytes = levels.channel_rows * run_bytes;
    length = run_bytes * (is_whole ? rows : 1);
    row_values = static_cast<std::uint32_t>(image.width) * pixel_values;
    plane_values = static_cast<std::uint32_t>(image.height * image.width);
    out = static_cast<Value*>(args.values) + static_cast<std::int64_t>(blockIdx.x) * image.values() +
          (kIsInterleaved ? 0 : static_cast<std::uint32_t>(tile.first_channel) * plane_values) +
          static_cast<std::uint32_t>(block.part.first_row + tile.first_row) * row_values +
          static_cast<std::uint32_t>(block.part.first_column) * pixel_values;
  }
};

/// Stores values [begin, begin + a unit) of a run of `length` values. Their levels are from byte `at` of the tile on. A
/// run may begin and end with a part of a unit. maps_of(value) has the maps from there on.
template <typename Value, typename MapsOf>
__device__ inline void store_unit(const L2Policy& policy, const std::uint32_t* tile, std::uint32_t at,
                                  std::int32_t begin, std::int32_t length, Value* out, const MapsOf& maps_of) {
  constexpr int kValues = kValuesPerStore<Value>;
  if (begin >= 0 && begin + kValues <= length) {
    const auto codes = staged_codes<kValues>(tile + at / 4, at % 4);
    return policy.store(true, out, decode_words<Value>(codes, maps_of(begin)));
  }
  for (int i = begin < 0 ? -begin : 0; i < kValues && begin + i < length; ++i) {
    const std::uint32_t level = reinterpret_cast<const std::uint8_t*>(tile)[at + static_cast<std::uint32_t>(i)];
    out[i] = round_to<Value>(decode(static_cast<std::int8_t>(level - 128), maps_of(begin + i)(0)));
  }
}

/// Stores the values of a tile.
template <typename Value, bool kIsInterleaved>
__device__ inline void store_tile(const GatherArgs& args, const ResizedShape& shape, const L2Policy& policy,
                                  const ResizedTile& tile, ResizedBlock<kIsInterleaved>& block) {
  constexpr std::uint32_t kValues = kValuesPerStore<Value>;
  const TileRuns<Value, kIsInterleaved> runs(args, shape, tile, block);
  // The first unit of a run may begin before it.
  const SmallDivider units = small_divider((runs.length + 2 * kValues - 2) / kValues);
  for (std::uint32_t i = threadIdx.x; i < runs.count * units.divisor; i += kResizedThreads) {
    const std::uint32_t run = units.quotient(i), plane = kIsInterleaved ? 0 : runs.plane_runs.quotient(run);
    const std::uint32_t row = run - plane * runs.plane_runs.divisor;
    Value* const out = runs.out + (plane * runs.plane_values + row * runs.row_values);
    const auto skew = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(out) / sizeof(Value) % kValues);
    const auto begin = static_cast<std::int32_t>((i - run * units.divisor) * kValues - skew);
    const std::uint32_t at = plane * runs.plane_bytes + row * runs.run_bytes + static_cast<std::uint32_t>(begin);
    store_unit(policy, block.levels(), at, begin, static_cast<std::int32_t>(runs.length), out + begin,
               [&](std::int32_t value) {
                 if constexpr (kIsInterleaved) {
                   const auto v = static_cast<std::uint32_t>(value);
                   const Affine* const maps = block.maps + (v - shape.channels.quotient(v) * shape.channels.divisor);
                   return [maps](int k) { return maps[k]; };
                 } else {
                   return [map = block.maps[plane]](int) { return map; };
                 }
               });
  }
}

/// Replaces the values of a tile that steps erase.
template <typename Value, bool kIsInterleaved>
__device__ inline void erase_values(const GatherArgs& args, const ResizedTile& tile,
                                    ResizedBlock<kIsInterleaved>& block) {
  const TileLevels<kIsInterleaved> levels(args, tile, block);
  const SampleShape& image = args.batch.image;
  for (int i = args.augment.resizing.op + 1; i < args.augment.program->op_count; ++i) {
    if (block.steps[i].kind != StepKind::erase || !args.augment.program->ops[i].is_normalized) continue;
    __syncthreads();
    for_erased(block.part, tile, block.steps[i], [&](std::uint32_t channel, std::uint32_t row, std::uint32_t column) {
      const std::int64_t c = tile.first_channel + static_cast<std::int32_t>(channel);
      const std::int32_t y = block.part.first_row + tile.first_row + static_cast<std::int32_t>(row);
      const std::int32_t x = block.part.first_column + static_cast<std::int32_t>(column);
      const auto* const staged = reinterpret_cast<const std::uint8_t*>(block.levels());
      const auto code = static_cast<std::int8_t>(staged[levels.place(channel, row, column)] - 128);
      const Affine map = augmented_map(*args.augment.program, block, args.maps[args.uniform_map ? 0 : c], c, y, x);
      const std::int64_t p = y * image.width + x;
      static_cast<Value*>(args.values)[blockIdx.x * image.values() +
                                       (kIsInterleaved ? p * image.channels + c : c * image.height * image.width + p)] =
          round_to<Value>(decode(code, map));
    });
  }
}

/// Makes the levels of a tile.
template <bool kIsInterleaved>
__device__ inline void make_levels(const GatherArgs& args, const ResizedShape& shape, const CachePolicies& policies,
                                   const ResizedTile& tile, ResizedBlock<kIsInterleaved>& block) {
  stage_rows(args, shape, L2Policy(policies.codes), tile, block);
  __syncthreads();
  blend_rows(tile, block);
  __syncthreads();
  blend_columns(args, tile, block);
}

/// Stores the levels of a tile, which has all channels if they are interleaved.
template <typename Value, bool kIsInterleaved>
__device__ inline void store_levels(const GatherArgs& args, const ResizedShape& shape, const CachePolicies& policies,
                                    const ResizedTile& tile, ResizedBlock<kIsInterleaved>& block) {
  set_maps(args, tile, block);
  if (block.shows_fill != 0) fill_beyond(args, tile, block);
  if (shape.erases) erase_codes(args, tile, block);
  __syncthreads();
  store_tile<Value>(args, shape, L2Policy(policies.values), tile, block);
  if (shape.erases) erase_values<Value>(args, tile, block);
  __syncthreads();  // before the next tile
}

/// Writes the label of the block's sample, if it has the first part of its first image. Out of line, to save registers.
OCTAVO_NO_INLINE __device__ static void write_sample_label(const GatherArgs& args, const ResizedTables& block) {
  const auto views = static_cast<std::uint32_t>(args.batch.views);
  if (args.out_labels == nullptr || blockIdx.y != 0 || blockIdx.x % views != 0) return;
  for (std::int64_t i = threadIdx.x; i < label_width(args); i += kResizedThreads) {
    write_label_number(args, unmixed(block.sample), blockIdx.x / views, i);
  }
}

template <typename Value, bool kIsInterleaved>
__global__ void __launch_bounds__(kResizedThreads, kLeastResizedBlocks)
    gather_resized(const __grid_constant__ GatherArgs args, const __grid_constant__ ResizedShape shape,
                   const CachePolicies policies) {
  __shared__ ResizedBlock<kIsInterleaved> block;
  find_part(args, shape, block);
  draw_steps(args, block);
  find_outputs(args, shape, block);
  fill_weights(shape, block);
  const auto channels = static_cast<std::int32_t>(args.sample.channels), rows = block.part.row_count;
  const auto tile_rows = static_cast<std::int32_t>(shape.tile_rows());
  ResizedTile tile{};
  for (; tile.first_row < rows; tile.first_row += tile_rows, ++tile.band) {
    tile.row_count = rows - tile.first_row < tile_rows ? rows - tile.first_row : tile_rows;
    tile.groups = small_divider(static_cast<std::uint32_t>(tile.row_count + kGroupRows - 1) / kGroupRows);
    for (tile.first_channel = 0; tile.first_channel < channels;) {
      const auto channels_left = static_cast<std::uint32_t>(channels - tile.first_channel);
      tile.channel_count = channels_left < shape.tile_channels ? channels_left : shape.tile_channels;
      make_levels(args, shape, policies, tile, block);
      if constexpr (!kIsInterleaved) store_levels<Value>(args, shape, policies, tile, block);
      tile.first_channel += static_cast<std::int32_t>(tile.channel_count);
    }
    if constexpr (kIsInterleaved) {
      tile.first_channel = 0;
      tile.channel_count = static_cast<std::uint32_t>(channels);
      store_levels<Value>(args, shape, policies, tile, block);
    }
  }
  write_sample_label(args, block);
  // The ticket is drawn late, to save registers.
  CursorAdvance(args.selection.cursor, args.cursor_batches).finish();
}

bool is_interleaved(const GatherArgs& args) { return args.batch.layout == Layout::nhwc && args.sample.channels != 1; }

/// The sizes of tiles.
struct TileSize {
  std::int64_t columns, groups, channels;
};

/// Finds the tiles that load the fewest codes for a value.
class TileSearch {
 public:
  explicit TileSearch(const GatherArgs& args)
      : down_(args.augment.resizing.down),
        across_(args.augment.resizing.across),
        sample_(args.sample),
        image_(args.batch.image),
        is_interleaved_(is_interleaved(args)),
        pairs_(quotient_up(down_.most_taps(), 2)) {}

  /// `channels` is 0 if no tile fits in shared memory.
  TileSize best() const {
    TileSize best{0, 0, 0};
    double least = 0;
    for (std::int64_t count = 1; count <= image_.width; ++count) {
      const std::int64_t columns = tile_columns(count);
      const std::int64_t groups = most_groups(columns);
      if (groups == 0) continue;
      const double loaded = loaded_per_value(columns, groups);
      if (best.groups != 0 && loaded >= least) break;
      best = {columns, groups, 1};
      least = loaded;
    }
    if (best.groups == 0) return best;
    // Bands of the same height.
    const std::int64_t rows = image_.height, bands = quotient_up(rows, best.groups * kGroupRows);
    best.groups = quotient_up(quotient_up(rows, bands), kGroupRows);
    best.channels = most_channels(best);
    return best;
  }
  std::int64_t pairs() const { return pairs_; }

 private:
  /// The columns of `count` tiles, or of a few less: whole units, unless they are narrow.
  std::int64_t tile_columns(std::int64_t count) const {
    const std::int64_t columns = quotient_up(image_.width, count), unit = kValuesPerStore<float>;
    return count > 1 && columns > unit ? std::min(quotient_up(columns, unit) * unit, image_.width) : columns;
  }
  /// Stored rows, or columns, that `count` neighbors may need, without the last one's.
  static std::int64_t span(const AxisFilter& filter, std::int64_t count) {
    return std::min<std::int64_t>(quotient_up((count - 1) * filter.count, filter.out_count), filter.count - 1);
  }
  std::int64_t stored_rows(std::int64_t groups) const {
    return span(down_, std::min(groups * kGroupRows, image_.height)) + 2 * pairs_;
  }
  std::int64_t stored_words(std::int64_t columns) const {
    const std::int64_t pixels = std::min<std::int64_t>(span(across_, columns) + across_.most_taps(), across_.count);
    return std::min(quotient_up(pixels + kWordPixels - 1, kWordPixels), quotient_up(sample_.width, kWordPixels));
  }
  bool fits(const TileSize& tile) const {
    const std::int64_t words = stored_words(tile.columns), rows = tile.groups * kGroupRows;
    return tile.columns <= kTileColumns && tile.columns * across_.most_taps() <= kColumnWeights && rows <= kPartRows &&
           rows * pairs_ <= kRowPairs && tile.channels * stored_rows(tile.groups) * words <= kTileWords &&
           rows * tile.columns * (is_interleaved_ ? sample_.channels : tile.channels) <=
               4 * (is_interleaved_ ? kPixelWords : kTileWords) &&
           tile.channels * tile.groups * line_groups(static_cast<std::uint32_t>(words)) <= kMostGroups;
  }
  std::int64_t most_groups(std::int64_t columns) const {
    std::int64_t groups = 0;
    while (groups < quotient_up(image_.height, kGroupRows) && fits({columns, groups + 1, 1})) ++groups;
    return groups;
  }
  std::int64_t most_channels(const TileSize& tile) const {
    std::int64_t channels = 1;
    while (channels < std::min(sample_.channels, kMostResizedChannels) &&
           fits({tile.columns, tile.groups, channels + 1})) {
      ++channels;
    }
    // Tiles of the same number of channels.
    return quotient_up(sample_.channels, quotient_up(sample_.channels, channels));
  }
  /// Half a sector more at each end of a stored row.
  double loaded_per_value(std::int64_t columns, std::int64_t groups) const {
    const std::int64_t rows = std::min(groups * kGroupRows, image_.height);
    const std::int64_t words = (stored_words(columns) + 4) * quotient_up(image_.width, columns);
    return static_cast<double>(stored_rows(groups) * words) / static_cast<double>(rows * image_.width);
  }

  const AxisFilter &down_, &across_;
  const SampleShape &sample_, &image_;
  bool is_interleaved_;
  std::int64_t pairs_;
};

/// Rows of a block's part.
std::int64_t rows_of_part(const GatherArgs& args, const TileSize& tile, std::int64_t pairs) {
  const std::int64_t rows = tile.groups * kGroupRows;
  const std::int64_t bands = quotient_up(args.batch.image.height, rows);
  const std::int64_t wanted = std::max<std::int64_t>(1, kBlockValues / (rows * tile.columns * args.sample.channels));
  const std::int64_t most =
      std::min({wanted, std::int64_t{kPartRows} / rows, std::int64_t{kRowPairs} / (pairs * rows)});
  return quotient_up(bands, quotient_up(bands, most)) * rows;
}

ResizedShape resized_shape(const GatherArgs& args) {
  const TileSearch search(args);
  const TileSize tile = search.best();
  const auto divider = [](std::int64_t divisor) { return small_divider(static_cast<std::uint32_t>(divisor)); };
  return {static_cast<std::uint32_t>(tile.columns),
          static_cast<std::uint32_t>(quotient_up(args.batch.image.width, tile.columns)),
          divider(tile.groups),
          divider(args.sample.channels),
          static_cast<std::uint32_t>(rows_of_part(args, tile, search.pairs())),
          static_cast<std::uint32_t>(tile.channels),
          is_aligned(args.packed, kWordPixels) && args.sample.width % kWordPixels == 0,
          args.augment.resizing.erases};
}

/// Parts of an image, each the work of a block.
std::int64_t parts_of(const GatherArgs& args, const ResizedShape& shape) {
  return quotient_up(args.batch.image.height, shape.part_rows) * shape.column_tiles;
}

}  // namespace

template <typename Value>
bool takes_resized(const GatherArgs& args) {
  if (args.augment.resizing.op < 0 || (is_interleaved(args) && args.sample.channels > kMostResizedChannels))
    return false;
  return TileSearch(args).best().groups != 0 && parts_of(args, resized_shape(args)) <= kMostSplits;
}

template <typename Value>
cudaError_t launch_gather_resized(const GatherArgs& args, const CachePolicies& policies, cudaStream_t stream) {
  const ResizedShape shape = resized_shape(args);
  const dim3 blocks(static_cast<unsigned>(args.batch_count * args.batch.views),
                    static_cast<unsigned>(parts_of(args, shape)));
  return launch(is_interleaved(args) ? &gather_resized<Value, true> : &gather_resized<Value, false>, blocks,
                dim3(kResizedThreads), stream, args, shape, policies);
}

#define OCTAVO_INSTANTIATE(Value)                        \
  template bool takes_resized<Value>(const GatherArgs&); \
  template cudaError_t launch_gather_resized<Value>(const GatherArgs&, const CachePolicies&, cudaStream_t);
OCTAVO_FOR_VALUE_TYPES(OCTAVO_INSTANTIATE)
#undef OCTAVO_INSTANTIATE

}  // namespace octavo::kernels::cuda
