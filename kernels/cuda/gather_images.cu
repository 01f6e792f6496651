// The gather of images that a block makes in memory of its own, one after the other: of rows that are decoded, and of
// augmentations with steps that need whole images.
#include <algorithm>

#include "kernels/augment/image_passes.hpp"
#include "kernels/augment/needed_part.hpp"
#include "kernels/cuda/block/batch_rows.cuh"
#include "kernels/cuda/block/block_image.cuh"
#include "kernels/cuda/block/block_threads.cuh"
#include "kernels/cuda/block/filter_tables.cuh"
#include "kernels/cuda/block/launch.cuh"
#include "kernels/cuda/gather.hpp"
#include "kernels/cuda/gather_variants.hpp"
#include "kernels/stages/load.hpp"

namespace octavo::kernels::cuda {
namespace {

/// Images that are made at once: enough blocks to hide the latency of the memory that holds them.
constexpr int kImagesPerMultiprocessor = 4;

/// A part of a block's slot: a row that is decoded, then the images of its sample.
struct ImageSlot {
  std::int8_t* row;
  std::byte* images;
};
template <typename Rows>
__device__ inline ImageSlot image_slot(const GatherArgs& args, int part, int part_count) {
  const BlockMemory& memory = args.block_memory;
  std::byte* const begin = memory.memory + blockIdx.x * memory.slot_bytes + part * (memory.slot_bytes / part_count);
  return {reinterpret_cast<std::int8_t*>(begin),
          begin + (Rows::kInPlace ? 0 : decoded_bytes(args.packed.coding, args.sample.values()))};
}

template <typename Value, bool kMixes, typename Rows>
__global__ void __launch_bounds__(kImageThreads, kLeastImageBlocks)
    gather_made_images(const GatherArgs args, std::uint32_t image_count) {
  constexpr int kImages = BlockImage<kMixes>::kImages;
  __shared__ BlockImage<kMixes> image;
  __shared__ FilterTables filters;
  __shared__ ImageStatistics statistics;
  __shared__ ImagePart part;  // not in registers, which the images need
  const Rows rows(args.packed);
  const BlockThreads threads;
  for (std::uint32_t i = blockIdx.x; i < image_count; i += gridDim.x) {
    draw_block_image(args, i, image);
    RemainingSteps remaining[kImages];
    for (int of = 0; of < kImages; ++of) {
      const ImageSlot slot = image_slot<Rows>(args, of, kImages);
      const ImageMemory memory = image_memory(*args.augment.program, args.sample.channels, slot.images);
      ImagePasses<BlockThreads, FilterTables> passes(threads, *args.augment.program, image.drawn[of],
                                                     args.sample.channels, memory, statistics, filters);
      if constexpr (!Rows::kInPlace) {
        if (threadIdx.x == 0) part = needed_part(*args.augment.program, image.drawn[of]);
        __syncthreads();
      }
      const std::int8_t* const codes = load_row(rows, image.sample(of).row, part, slot.row, threads);
      remaining[of].steps = passes.make(codes, kMixes);
      remaining[of].codes = passes.made() == nullptr ? codes : passes.made();
    }
    store_image<Value>(args, image, remaining, filters, i, 0, 1);
    write_label(args, image.mixed, i);
    __syncthreads();  // before the next image
  }
  CursorAdvance(args.selection.cursor, args.cursor_batches).finish();
}

/// Without an augmentation.
template <typename Value>
__global__ void __launch_bounds__(kImageThreads, kLeastImageBlocks) gather_decoded(const GatherArgs args) {
  __shared__ SelectedSample sample;
  const DecodedRows rows(args.packed);
  const PlainStages stages = plain_stages(args);
  std::int8_t* const row = image_slot<DecodedRows>(args, 0, 1).row;
  for (std::int64_t b = blockIdx.x; b < args.batch_count; b += gridDim.x) {
    if (threadIdx.x == 0) sample = sample_at(args.selection, b);
    __syncthreads();
    const std::int8_t* const codes = load_row(rows, sample.row, whole_image(args.sample), row, BlockThreads());
    const std::int64_t count = args.sample.values();
    Value* const out = static_cast<Value*>(args.values) + b * count;
    for (std::int64_t i = threadIdx.x; i < count; i += blockDim.x) {
      out[i] = round_to<Value>(gathered_value(stages, codes, sample, i));
    }
    if (args.out_labels != nullptr) {
      for (std::int64_t word = threadIdx.x; word < args.packed.label_words; word += blockDim.x) {
        copy_label_word(args, sample.row, b, word);
      }
    }
    __syncthreads();  // before the next sample
  }
  CursorAdvance(args.selection.cursor, args.cursor_batches).finish();
}

template <typename Value, typename Rows>
cudaError_t launch_rows(const GatherArgs& args, cudaStream_t stream) {
  const std::int64_t images = args.batch_count * args.batch.views;
  const dim3 blocks(static_cast<unsigned>(std::min(images, args.block_memory.slots))), threads(kImageThreads);
  if constexpr (!Rows::kInPlace) {
    if (args.augment.program == nullptr) return launch(&gather_decoded<Value>, blocks, threads, stream, args);
  }
  return launch(
      args.augment.mix.is_on ? &gather_made_images<Value, true, Rows> : &gather_made_images<Value, false, Rows>, blocks,
      threads, stream, args, static_cast<std::uint32_t>(images));
}

}  // namespace

std::int64_t most_images_at_once(const DeviceTraits& device) {
  return std::int64_t{kImagesPerMultiprocessor} * device.multiprocessor_count;
}

template <typename Value>
cudaError_t launch_gather_images(const GatherArgs& args, cudaStream_t stream) {
  return is_in_place(args.packed.coding) ? launch_rows<Value, PlainRows>(args, stream)
                                         : launch_rows<Value, DecodedRows>(args, stream);
}

#define OCTAVO_INSTANTIATE(Value) template cudaError_t launch_gather_images<Value>(const GatherArgs&, cudaStream_t);
OCTAVO_FOR_VALUE_TYPES(OCTAVO_INSTANTIATE)
#undef OCTAVO_INSTANTIATE

}  // namespace octavo::kernels::cuda
