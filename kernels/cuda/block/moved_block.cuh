// What a block of the gather of moved images (gather_moved.cu) knows of its images: their steps, and tables of their
// lines and words.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "kernels/augment/moved_image.hpp"
#include "kernels/cache_policy.hpp"
#include "kernels/cuda/block/batch_rows.cuh"
#include "kernels/cuda/block/geometry.hpp"
#include "kernels/divider.hpp"
#include "kernels/gather.hpp"

namespace octavo::kernels::cuda {

/// Entries of a block's tables: of 8 images of up to 3x32x32, or of parts of larger ones. Of the longest lines, there
/// are 129 words in each of four phases.
inline constexpr std::int64_t kTableLines = 776, kTableWords = 520;
/// Words after those of the tables that lanes may read: as many as a step has.
inline constexpr std::uint32_t kWordsBeyond = 4 * kWarpThreads;
static_assert(kTableWords > kMostMovedSide + kWordColumns);

/// A tile is some whole lines, or a part of one that is longer than a tile.
struct MovedShape {
  std::uint32_t lines;        ///< of an image
  std::uint32_t image_lines;  ///< of an image in the output: planes that share lines have several
  std::uint32_t width;        ///< of a line
  std::uint32_t line_units;
  unsigned phase_bits;  ///< phases of lines are multiples of 1 << phase_bits, below 4
  std::uint32_t tile_lines;
  Divider line_tiles;     ///< tiles per line; 1 if a tile has whole lines
  Divider channel_lines;  ///< H
  // Entries of an image in a block's tables: odd numbers, so that neighboring images are in other banks.
  std::uint32_t table_lines, table_words;
};

/// A bit for each column of a word.
inline constexpr std::uint32_t kAllColumns = 0xF;

/// What the word of a unit has of its line, if lines of the output may have any width: all four columns; the first ones
/// of the line, after those of the line before; or the last ones. Bits of a set.
enum WordKind : std::uint32_t { kWholeWord = 1, kHeadWord = 2, kTailWord = 4 };

// MovedLine::channel also has the phase of the line in its second byte, the columns of its first word that are before
// the line; and in its third byte, which words of the line share theirs with a neighboring line of the same plane.
__device__ inline std::uint32_t channel_of(const MovedLine& line) { return line.channel & 0xFF; }
__device__ inline std::uint32_t phase_of(const MovedLine& line) { return line.channel >> 8 & 0xFF; }
__device__ inline std::uint32_t shared_kinds_of(const MovedLine& line) { return line.channel >> 16; }

// MovedWord::selector also has the kind of the word, and the digits that make a head word from its own bytes and those
// of the tail before it: 0x3210, with 4 more for those of the tail.
__device__ inline std::uint32_t kind_of(const MovedWord& word) { return word.selector >> 16 & 0xF; }
__device__ inline std::uint32_t join_selector_of(const MovedWord& word) { return 0x3210u ^ word.selector >> 20; }

/// The codes of a stored sample, from the word on in which it begins.
struct MovedCodes {
  const std::int8_t* words;
  std::uint32_t begin, end;                ///< offsets of the sample
  std::uint32_t first_whole, whole_count;  ///< offsets of four codes whose words are within the sample

  __device__ static MovedCodes of(const std::int8_t* codes, std::uint32_t count) {
    const auto begin = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(codes) % 4);
    const std::uint32_t end = begin + count, first_whole = begin == 0 ? 0 : 4, end_whole = end & ~3u;
    return {codes - begin, begin, end, first_whole, end_whole < first_whole + 4 ? 0 : end_whole - first_whole - 3};
  }
  /// Loads the words that hold four codes from `offset` on, without bytes before and after the sample. Returns how many
  /// bytes of the first word are before the codes.
  __device__ std::uint32_t load(const L2Policy& policy, std::uint32_t offset, std::uint32_t& low,
                                std::uint32_t& high) const {
    const std::uint32_t shift = offset % 4;
    if (offset - first_whole < whole_count)
      policy.load_words(shift, words + (offset - shift), low, high);
    else
      load_edges(offset - shift, low, high);
    return shift;
  }

 private:
  __device__ void load_edges(std::uint32_t first, std::uint32_t& low, std::uint32_t& high) const {
    low = high = 0;
#pragma unroll 1
    for (std::uint32_t i = 0; i < 8; ++i) {
      const std::uint32_t at = first + i;
      if (at < begin || at >= end) continue;
      const std::uint32_t byte = static_cast<std::uint32_t>(static_cast<std::uint8_t>(load_code(words + at)))
                                 << (8 * (i % 4));
      (i < 4 ? low : high) |= byte;
    }
  }
};

/// What a block knows of its images.
struct MovedBlock {
  SelectedSample samples[kMostSamples];
  MovedCodes codes[kMostSamples];
  MovingStep steps[kMostSamples][kMostAugmentOps + 1];  // one more, so that neighboring images are in other banks
  MovedAxis down[kMostSamples], across[kMostSamples];
  MovedChannel channels[kMostSamples][kMostMovedChannels];
  MovedLine lines[kTableLines];
  MovedWord words[kTableWords + kWordsBeyond];
};

// All threads of a block call the functions below, one after the other, until its tables are ready.

/// Finds the samples of the block's images.
__device__ inline void find_samples(const GatherArgs& args, BlockPlaces places, MovedBlock& block) {
  if (threadIdx.x < static_cast<unsigned>(places.count)) {
    const SelectedSample sample = sample_at(args.selection, (places.first + threadIdx.x) / args.batch.views);
    block.samples[threadIdx.x] = sample;
    block.codes[threadIdx.x] = MovedCodes::of(PlainRows(args.packed).codes(sample.row),
                                              static_cast<std::uint32_t>(args.sample.channels * args.pixels));
  }
  __syncthreads();
}

// Out of line, because few threads of a block call them.

/// Draws the step of operation `op` for a view of a sample.
OCTAVO_NO_INLINE __device__ static void draw_image_step(const GatherArgs& args, const SelectedSample& sample,
                                                        std::uint32_t view, unsigned op, MovingStep& step) {
  const AugmentProgram& program = *args.augment.program;
  step = draw_moving_step(program.ops[op], program.sizes[op], draw_key(args, sample, view));
}

/// Determines what the pixels of an image share: an axis, or the fill values of a channel.
OCTAVO_NO_INLINE __device__ static void fill_image(const GatherArgs& args, MovedBlock& block, unsigned image,
                                                   std::int32_t task) {
  const AugmentProgram& program = *args.augment.program;
  const MovingStep* const steps = block.steps[image];
  if (task == 0)
    block.down[image] = moved_axis(program, steps, ImageAxis::down);
  else if (task == 1)
    block.across[image] = moved_axis(program, steps, ImageAxis::across);
  else
    block.channels[image][task - 2] =
        moved_channel(program, steps, args.maps[args.uniform_map ? 0 : task - 2], task - 2);
}

/// Draws the steps of the block's images. Lanes that draw the same operation are neighbors.
__device__ inline void draw_steps(const GatherArgs& args, BlockPlaces places, MovedBlock& block) {
  const auto count = static_cast<unsigned>(places.count);
  for (unsigned i = threadIdx.x; i < count * static_cast<unsigned>(args.augment.program->op_count); i += blockDim.x) {
    const unsigned op = i / count, image = i % count;
    const auto view = static_cast<std::uint32_t>((places.first + image) % args.batch.views);
    draw_image_step(args, block.samples[image], view, op, block.steps[image][op]);
  }
  __syncthreads();
}

/// Determines what the pixels of each image share.
__device__ inline void fill_images(const GatherArgs& args, BlockPlaces places, MovedBlock& block) {
  const auto count = static_cast<unsigned>(places.count), tasks = static_cast<unsigned>(args.sample.channels) + 2;
  for (unsigned i = threadIdx.x; i < count * tasks; i += blockDim.x) {
    fill_image(args, block, i % count, static_cast<std::int32_t>(i / count));
  }
  __syncthreads();
}

/// Line `line` of the block's image `image`.
template <bool kIsAny>
__device__ inline MovedLine line_of_image(const GatherArgs& args, const MovedShape& shape, BlockPlaces places,
                                          const MovedBlock& block, unsigned image, std::uint32_t line) {
  const std::uint32_t c = shape.channel_lines.quotient(line);
  MovedLine made =
      moved_line(*args.augment.program, block.steps[image], block.down[image], static_cast<std::int32_t>(args.pixels),
                 static_cast<std::int32_t>(c), static_cast<std::int32_t>(shape.channel_lines.remainder(line)));
  if constexpr (!kIsAny) return made;
  made.offset += static_cast<std::int32_t>(block.codes[image].begin);
  // The values or pixels of the batch before the line. Only the last digit counts.
  const std::uint32_t before =
      (static_cast<std::uint32_t>(places.first + image) * shape.image_lines + line) * shape.width;
  const std::uint32_t phase = before % kWordColumns;
  const std::uint32_t y = shape.channel_lines.remainder(line);
  const std::uint32_t shared = (y == 0 ? 0u : kHeadWord) | (y + 1 == shape.channel_lines.divisor() ? 0u : kTailWord);
  made.channel |= phase << 8 | shared << 16;
  return made;
}

/// Entry `entry` of the words of the block's image `image`: the words of a line for each phase.
template <bool kIsAny>
__device__ inline MovedWord word_of_image(const GatherArgs& args, const MovedShape& shape, const MovedBlock& block,
                                          unsigned image, unsigned entry) {
  const auto word_at = [&](std::int32_t x) {
    return moved_word(*args.augment.program, block.steps[image], block.across[image], x);
  };
  if constexpr (!kIsAny) return word_at(static_cast<std::int32_t>(entry) * kWordColumns);
  const unsigned index = entry / shape.line_units, phase = index << shape.phase_bits;
  const auto x = static_cast<std::int32_t>((entry - index * shape.line_units) * kWordColumns - phase);
  const auto end = static_cast<std::int32_t>(shape.width);
  // After the end of a line is a copy of its tail, for the next lane, which is not stored.
  if (x >= end) return word_at(x - kWordColumns);
  MovedWord word = word_at(x);
  const std::uint32_t kind = x < 0 ? kHeadWord : x + kWordColumns > end ? kTailWord : kWholeWord;
  const std::uint32_t of_tail = x < 0 ? 0x444u & ((1u << 4 * phase) - 1) : 0;
  word.selector |= kind << 16 | of_tail << 20;
  return word;
}

/// Fills the tables, with lines from `first_line` on. Out of line, to save registers.
template <bool kIsAny>
OCTAVO_NO_INLINE __device__ static void fill_tables(const GatherArgs& args, const MovedShape& shape, BlockPlaces places,
                                                    std::uint32_t first_line, MovedBlock& block) {
  const auto count = static_cast<unsigned>(places.count), words = shape.line_units * (kWordColumns >> shape.phase_bits);
  if (shape.line_tiles.divisor() > 1) {
    // Lanes beyond the end of a line load its first code.
    for (unsigned i = threadIdx.x; i < kTableWords + kWordsBeyond; i += blockDim.x) block.words[i] = {};
    __syncthreads();
  }
  for (unsigned i = threadIdx.x; i < count * shape.table_lines; i += blockDim.x) {
    const unsigned image = i % count, line = first_line + i / count;
    block.lines[image * shape.table_lines + i / count] =
        line_of_image<kIsAny>(args, shape, places, block, image, line < shape.lines ? line : shape.lines - 1);
  }
  for (unsigned i = threadIdx.x; i < count * words; i += blockDim.x) {
    const unsigned image = i % count, entry = i / count;
    block.words[image * shape.table_words + entry] = word_of_image<kIsAny>(args, shape, block, image, entry);
  }
  __syncthreads();
}

}  // namespace octavo::kernels::cuda
