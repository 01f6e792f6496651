// Decoding the samples of a batch: a kernel selects them, another one draws what of them an augmentation shows, the
// decoders of the codings write these codes, and the gather that follows finds them as plain rows, which have the
// number of their position.
#include <algorithm>

#include "kernels/augment/needed_part.hpp"
#include "kernels/cuda/batch_decoding.hpp"
#include "kernels/cuda/block/batch_rows.cuh"
#include "kernels/cuda/block/launch.cuh"
#include "kernels/cuda/gather_variants.hpp"

namespace octavo::kernels::cuda {
namespace {

constexpr unsigned kSelectThreads = 128;
/// Drawing a sample takes as long as decoding some 600 values. Smaller samples are decoded whole.
constexpr std::int64_t kFewestDrawnValues = std::int64_t{16} << 10;

/// Samples in DecodedMemory.
struct DecodedSamples {
  std::int8_t* codes;       ///< [count,C,P]
  std::uint32_t* labels;    ///< [count,label_words]
  std::int64_t* rows;       ///< [count] where each is stored
  std::int64_t* positions;  ///< [count] 0, 1, ...: its row in `codes`
  std::int64_t *indices, *epochs;
  ImagePart* needed;  ///< [count]
};
static_assert(sizeof(ImagePart) == DecodedParts::kPartBytes);

DecodedSamples decoded_samples(const GatherArgs& args, std::int64_t count) {
  const DecodedParts parts(count, args.sample.values(), args.packed.label_words);
  std::byte* const codes = args.decoded_memory.memory;
  std::byte* const labels = codes + parts.codes;
  const auto numbers = [&](int i) {
    return reinterpret_cast<std::int64_t*>(labels + parts.labels + i * parts.numbers);
  };
  return {.codes = reinterpret_cast<std::int8_t*>(codes),
          .labels = reinterpret_cast<std::uint32_t*>(labels),
          .rows = numbers(0),
          .positions = numbers(1),
          .indices = numbers(2),
          .epochs = numbers(3),
          .needed = reinterpret_cast<ImagePart*>(numbers(DecodedParts::kNumbers))};
}

__global__ void __launch_bounds__(kSelectThreads)
    select_decoded(const GatherArgs args, const std::int64_t first, const std::int64_t count, const DecodedSamples to) {
  __shared__ std::int64_t rows[kSelectThreads];
  const std::int64_t block_first = static_cast<std::int64_t>(blockIdx.x) * kSelectThreads,
                     i = block_first + threadIdx.x;
  if (i < count) {
    const SelectedSample sample = sample_at(args.selection, first + i);
    rows[threadIdx.x] = to.rows[i] = sample.row;
    to.positions[i] = i;
    to.indices[i] = sample.index;
    to.epochs[i] = static_cast<std::int64_t>(sample.epoch);
  }
  __syncthreads();  // before the cursor advances, and the rows are read
  const CursorAdvance cursor(args.selection.cursor, args.cursor_batches);
  const std::int64_t words = args.packed.label_words;
  const std::int64_t block_count = count - block_first < kSelectThreads ? count - block_first : kSelectThreads;
  for (std::int64_t word = threadIdx.x; word < block_count * words; word += kSelectThreads) {
    to.labels[block_first * words + word] = label_of(args.packed, rows[word / words])[word % words];
  }
  cursor.finish();
}

/// A block, which is a warp, draws the views of a sample. A partner that a sample is mixed with is drawn as its own
/// image is.
__global__ void __launch_bounds__(kWarpThreads) find_needed_parts(const GatherArgs args, const DecodedSamples samples) {
  __shared__ DrawnImage image;
  const SelectedSample sample = {samples.rows[blockIdx.x], samples.indices[blockIdx.x],
                                 static_cast<std::uint64_t>(samples.epochs[blockIdx.x])};
  const AugmentProgram& program = *args.augment.program;
  ImagePart needed = {};
  for (std::uint32_t view = 0; view < static_cast<std::uint32_t>(args.batch.views); ++view) {
    const DrawKey key = draw_key(args, sample, view);
    for (int i = static_cast<int>(threadIdx.x); i < program.op_count; i += static_cast<int>(kWarpThreads)) {
      draw_step(program, args.sample.channels, key, i, image);
    }
    __syncthreads();
    if (threadIdx.x == 0) needed.unite(needed_part(program, image));
    __syncthreads();  // before the next view
  }
  if (threadIdx.x == 0) samples.needed[blockIdx.x] = needed;
}

/// Bytes of a number of a label in the output.
std::int64_t label_number_bytes(const GatherArgs& args) {
  return args.augment.soft_labels.width() == 0 && args.label_type == LabelType::int64 ? 8 : 4;
}

}  // namespace

std::int64_t samples_decoded_at_once(const GatherArgs& args) {
  if (!decodes_lp8(args) && !decodes_lc8(args)) return 0;
  const std::int64_t most = args.decoded_memory.bytes, values = args.sample.values(), words = args.packed.label_words;
  std::int64_t count = std::min(args.batch_count, most / (values + 4 * words + DecodedParts::kNumberBytes));
  while (count > 0 && DecodedParts(count, values, words).bytes() > most) --count;
  // A sample is mixed with others of its batch.
  if (args.augment.mix.is_on && count < args.batch_count)
    count = count / args.augment.mixed_count * args.augment.mixed_count;
  return count;
}

cudaError_t launch_batch_decoding(const GatherArgs& args, std::int64_t first, std::int64_t count, cudaStream_t stream,
                                  GatherArgs& part) {
  const DecodedSamples samples = decoded_samples(args, count);
  GatherArgs selected = args;
  const bool has_labels = args.packed.labels != nullptr || args.packed.staged_labels != nullptr;
  if (!has_labels) selected.packed.label_words = 0;
  if (first + count < args.batch_count) selected.cursor_batches = 0;
  const dim3 blocks(static_cast<unsigned>((count + kSelectThreads - 1) / kSelectThreads)), threads(kSelectThreads);
  cudaError_t status = launch(&select_decoded, blocks, threads, stream, selected, first, count, samples);
  const bool finds_parts = args.augment.program != nullptr && args.sample.values() >= kFewestDrawnValues;
  if (status == cudaSuccess && finds_parts) {
    status = launch(&find_needed_parts, dim3(static_cast<unsigned>(count)), dim3(kWarpThreads), stream, args, samples);
  }
  if (status != cudaSuccess) return status;

  part = args;
  part.batch_count = count;
  part.cursor_batches = 0;
  part.values = static_cast<std::byte*>(args.values) + first * args.batch.bytes();
  if (args.out_labels != nullptr) {
    part.out_labels = static_cast<std::byte*>(args.out_labels) + first * label_width(args) * label_number_bytes(args);
  }
  part.selection = given_rows(samples.positions, count);
  part.selection.indices = samples.indices;
  part.selection.epochs = samples.epochs;
  part.packed = PackedRows{};
  part.packed.codes = samples.codes;
  part.packed.labels = has_labels ? samples.labels : nullptr;
  part.packed.resident_count = count;
  part.packed.row_stride_bytes = args.sample.values();
  part.packed.label_words = args.packed.label_words;

  GatherArgs decoding = args;
  decoding.batch_count = count;
  decoding.cursor_batches = 0;
  decoding.values = samples.codes;
  decoding.out_labels = nullptr;
  decoding.selection = given_rows(samples.rows, args.selection.row_count);
  decoding.needed_parts = finds_parts ? samples.needed : nullptr;
  return args.packed.coding == RowCoding::lp8 ? launch_decode_lp8(decoding, stream)
                                              : launch_decode_lc8(decoding, stream);
}

}  // namespace octavo::kernels::cuda
