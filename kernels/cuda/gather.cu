// The gather kernels: one for runs that can be loaded and stored in whole vectors, one for every other shape.
#include "cuda/batch_rows.cuh"
#include "cuda/gather.hpp"
#include "cuda/launch.cuh"

namespace octavo::kernels::cuda {
namespace {

/// A thread stores 16 bytes at once, hence loads the 4 codes (float32) or 8 (half types) that these are made of: the
/// store, four fifths of the traffic, sets the width, and both are whole, consecutive lines for a warp.
template <typename Value>
inline constexpr int kValuesPerStore = 16 / static_cast<int>(sizeof(Value));

/// What 16 bytes of output are made of.
template <typename Value>
struct alignas(kValuesPerStore<Value>) CodeWords {
  std::uint32_t words[kValuesPerStore<Value> / 4];
};
template <typename Value>
struct alignas(16) ValueVector {
  Value values[kValuesPerStore<Value>];
};
template <typename Value>
struct alignas(16) ShiftVector {
  float shifts[kValuesPerStore<Value>];
};

template <typename Value>
__device__ inline ValueVector<Value> decode_vector(CodeWords<Value> codes, float scale,
                                                   const ShiftVector<Value>& shifts) {
  ValueVector<Value> out;
#pragma unroll
  for (int i = 0; i < kValuesPerStore<Value>; ++i) {
    const float code = code_in_word(codes.words[i / 4], i % 4);
    out.values[i] = round_to<Value>(fmaf(code, scale, shifts.shifts[i]));
  }
  return out;
}

/// Runs of `units` vectors: the channels of a sample, or the whole sample if one map serves it. Scale, and shift unless
/// each value has its own, are the same for a block.
template <typename Value, bool kPixelShifts>
__global__ void __launch_bounds__(kLargestBlock)
    gather_vectors(const GatherArgs args, const std::int64_t units, const int samples_per_block) {
  __shared__ std::int64_t rows[kMostSamplesPerBlock];
  const BlockPlaces places = block_places(args.batch_count, samples_per_block);
  find_rows(args.selection, places, args.error_slot, rows);
  if (args.out_labels != nullptr && blockIdx.y == 0 && blockIdx.z == 0) {
    copy_labels(args.packed, args.label_type, args.out_labels, places, rows);
  }

  const std::int64_t run_start = static_cast<std::int64_t>(blockIdx.z) * units * kValuesPerStore<Value>;
  const std::int64_t sample_values = args.channel_count * args.values_per_channel;
  const Affine map = args.maps[args.uniform_map ? 0 : blockIdx.z];
  const std::int64_t units_per_tile = static_cast<std::int64_t>(blockDim.x) * kUnroll;
  for (std::int64_t tile = blockIdx.y; tile * units_per_tile < units; tile += gridDim.y) {
    const std::int64_t first_unit = tile * units_per_tile + threadIdx.x;
    ShiftVector<Value> shifts[kPixelShifts ? kUnroll : 1];
    if constexpr (kPixelShifts) {
      const auto* source = reinterpret_cast<const ShiftVector<Value>*>(args.pixel_shifts + run_start);
#pragma unroll
      for (int k = 0; k < kUnroll; ++k) {
        const std::int64_t unit = first_unit + static_cast<std::int64_t>(k) * blockDim.x;
        if (unit < units) shifts[k] = source[unit];
      }
    } else {
#pragma unroll
      for (int i = 0; i < kValuesPerStore<Value>; ++i) shifts[0].shifts[i] = map.shift;
    }
    for (int s = 0; s < places.count; ++s) {
      const std::int64_t row = rows[s];
      auto* out = reinterpret_cast<ValueVector<Value>*>(static_cast<Value*>(args.values) +
                                                        (places.first + s) * sample_values + run_start);
      // A row out of range loads the first row of the batch's memory, and stores zeros.
      const auto* codes =
          reinterpret_cast<const CodeWords<Value>*>(codes_of(args.packed, row < 0 ? 0 : row) + run_start);
      CodeWords<Value> loaded[kUnroll];
#pragma unroll
      for (int k = 0; k < kUnroll; ++k) {
        const std::int64_t unit = first_unit + static_cast<std::int64_t>(k) * blockDim.x;
        if (unit < units) loaded[k] = codes[unit];
      }
#pragma unroll
      for (int k = 0; k < kUnroll; ++k) {
        const std::int64_t unit = first_unit + static_cast<std::int64_t>(k) * blockDim.x;
        if (unit < units) {
          out[unit] =
              row < 0 ? ValueVector<Value>{} : decode_vector<Value>(loaded[k], map.scale, shifts[kPixelShifts ? k : 0]);
        }
      }
    }
  }
}

/// Any shape, layout and alignment: a value at a time, in the order of the output, so that stores are consecutive.
/// Where a value comes from and its map are found once and serve all samples of the block.
template <typename Value>
__global__ void __launch_bounds__(kLargestBlock) gather_values(const GatherArgs args, const int samples_per_block) {
  __shared__ std::int64_t rows[kMostSamplesPerBlock];
  const BlockPlaces places = block_places(args.batch_count, samples_per_block);
  find_rows(args.selection, places, args.error_slot, rows);
  if (args.out_labels != nullptr && blockIdx.y == 0) {
    copy_labels(args.packed, args.label_type, args.out_labels, places, rows);
  }

  const std::int64_t sample_values = args.channel_count * args.values_per_channel;
  const std::int64_t values_per_tile = static_cast<std::int64_t>(blockDim.x) * kUnroll;
  for (std::int64_t tile = blockIdx.y; tile * values_per_tile < sample_values; tile += gridDim.y) {
    const std::int64_t first = tile * values_per_tile + threadIdx.x;
    CodePlace from[kUnroll];
    Affine maps[kUnroll];
#pragma unroll
    for (int k = 0; k < kUnroll; ++k) {
      const std::int64_t i = first + static_cast<std::int64_t>(k) * blockDim.x;
      if (i < sample_values) {
        from[k] = code_place(args, i);
        maps[k] = map_of(args, from[k].channel, i);
      }
    }
    for (int s = 0; s < places.count; ++s) {
      const std::int64_t row = rows[s];
      Value* out = static_cast<Value*>(args.values) + (places.first + s) * sample_values;
      const std::int8_t* codes = codes_of(args.packed, row < 0 ? 0 : row);
#pragma unroll
      for (int k = 0; k < kUnroll; ++k) {
        const std::int64_t i = first + static_cast<std::int64_t>(k) * blockDim.x;
        if (i < sample_values) out[i] = row < 0 ? Value{} : round_to<Value>(decode(codes[from[k].index], maps[k]));
      }
    }
  }
}

/// Whether runs of `values_per_run` values can be loaded and stored in whole vectors.
template <typename Value>
bool takes_vectors(const GatherArgs& args, std::int64_t values_per_run) {
  const bool keeps_order = args.layout == Layout::nchw || args.channel_count == 1;
  return keeps_order && values_per_run % kValuesPerStore<Value> == 0 &&
         is_aligned(args.packed, kValuesPerStore<Value>) && is_aligned(args.values, 16) &&
         is_aligned(args.pixel_shifts, 16);
}

template <typename Value>
cudaError_t launch_as(const GatherArgs& args, int multiprocessor_count, cudaStream_t stream) {
  const std::int64_t run_count = args.uniform_map ? 1 : args.channel_count;
  const std::int64_t values_per_run = args.channel_count * args.values_per_channel / run_count;
  if (!takes_vectors<Value>(args, values_per_run)) {
    const BatchGeometry geometry =
        batch_geometry(args.batch_count, 1, args.channel_count * args.values_per_channel, multiprocessor_count);
    return launch(gather_values<Value>, dim3(geometry.groups, geometry.tiles), dim3(geometry.block_threads), stream,
                  args, geometry.samples_per_block);
  }
  const std::int64_t units = values_per_run / kValuesPerStore<Value>;
  const BatchGeometry geometry = batch_geometry(args.batch_count, run_count, units, multiprocessor_count);
  const auto kernel = args.pixel_shifts != nullptr ? gather_vectors<Value, true> : gather_vectors<Value, false>;
  return launch(kernel, dim3(geometry.groups, geometry.tiles, geometry.runs), dim3(geometry.block_threads), stream,
                args, units, geometry.samples_per_block);
}

}  // namespace

cudaError_t launch_gather(const GatherArgs& args, int multiprocessor_count, cudaStream_t stream) {
  if (args.batch_count == 0) return cudaSuccess;
  switch (args.value_type) {
    case ValueType::float32:
      return launch_as<float>(args, multiprocessor_count, stream);
    case ValueType::float16:
      return launch_as<Float16>(args, multiprocessor_count, stream);
    case ValueType::bfloat16:
      return launch_as<BFloat16>(args, multiprocessor_count, stream);
  }
  return cudaErrorInvalidValue;
}

}  // namespace octavo::kernels::cuda
