// The gather of images whose three or four channels are interleaved in the output.
//
// A lane loads four pixels of each channel as a word, interleaves them with byte permutations, and stages them in
// shared memory, one byte per value. From there the lanes of a warp store consecutive 16-byte units. If each lane
// stored the pixels that it loaded, its units would be 48 or 64 bytes apart, and each store would fill only half of the
// 32-byte sectors that it touches.
#include "kernels/cuda/block/block_gather.cuh"
#include "kernels/cuda/block/decode_words.cuh"
#include "kernels/cuda/block/interleave.cuh"
#include "kernels/cuda/block/launch.cuh"
#include "kernels/cuda/block/staged_tile.cuh"
#include "kernels/cuda/gather_variants.hpp"

namespace octavo::kernels::cuda {
namespace {

/// Words of each channel that a lane loads per step. One word for four channels if registers also hold a shift per
/// value or the second half of each unaligned word.
template <int kChannels, bool kNeedsRegisters = false>
inline constexpr int kGroups = kNeedsRegisters&& kChannels == 4 ? 1 : 2;
/// Pixels per tile.
template <int kChannels, bool kNeedsRegisters = false>
inline constexpr std::uint32_t kTilePixels = kGroups<kChannels, kNeedsRegisters> * 4 * kWarpThreads;

/// The maps of a pixel's channels.
template <int kChannels>
struct PixelMaps {
  Affine maps[kChannels];

  __device__ explicit PixelMaps(const GatherArgs& args) {
#pragma unroll
    for (int c = 0; c < kChannels; ++c) {
      const Affine map = args.maps[args.uniform_map ? 0 : c];
      maps[c] = {wait_for(map.scale), wait_for(map.shift)};
    }
  }

  /// The maps in turn from channel `phase` on: for a lane's units, whose first value is in that channel.
  __device__ PixelMaps rotated(std::uint32_t phase) const {
    PixelMaps result = *this;
#pragma unroll
    for (std::uint32_t turn = 1; turn < kChannels; ++turn) {
#pragma unroll
      for (std::uint32_t i = 0; i < kChannels; ++i) {
        if (phase == turn) result.maps[i] = maps[(i + turn) % kChannels];
      }
    }
    return result;
  }
};

/// The channel of value i of a lane's unit k, relative to the channel of the first value of unit 0. In a tile, unit k
/// begins 32 * k units after unit 0.
template <typename Value, int kChannels>
__device__ constexpr int channel_in_unit(int k, int i) {
  return (k * static_cast<int>(kWarpThreads) * kValuesPerStore<Value> + i) % kChannels;
}

/// A block's shared memory: its rows, and a tile for each warp. A tile has four extra words, which unaligned reads of
/// its last codes touch.
template <int kChannels>
struct SharedTiles {
  static constexpr int kWords = static_cast<int>(kTilePixels<kChannels>) * kChannels / 4 + 4;
  BlockRows rows;
  alignas(16) std::uint32_t words[kMostWarps][kWords];
};

/// Gathers pixels if all loads and stores are aligned.
template <typename Value, int kChannels, bool kPixelShifts>
__global__ void __launch_bounds__(kMostThreads, kLeastTileBlocks)
    gather_pixels(const GatherArgs args, const WorkShare share, const CachePolicies policies) {
  constexpr int kValues = kValuesPerStore<Value>;
  constexpr int kLoads = kGroups<kChannels, kPixelShifts>;
  constexpr std::uint32_t kPixels = kTilePixels<kChannels, kPixelShifts>;
  constexpr int kUnits = static_cast<int>(kPixels) * kChannels / (kValues * static_cast<int>(kWarpThreads));
  __shared__ SharedTiles<kChannels> shared;
  const BlockGather block(args, share, shared.rows);
  const std::uint32_t lane = threadIdx.x % kWarpThreads;
  const auto P = static_cast<std::uint32_t>(args.pixels), units = P * kChannels / kValues;
  const L2Policy codes_policy(policies.codes), values_policy(policies.values);
  std::uint32_t* staged = shared.words[threadIdx.x / kWarpThreads];
  const PixelMaps<kChannels> maps = PixelMaps<kChannels>(args).rotated(lane * kValues % kChannels);

  using Loaded = LoadedWords<kLoads * kChannels>;
  const auto load = [&](TileStep step, bool wanted) {
    const std::uint32_t first = step.tile * kPixels + 4 * lane;
    const std::int8_t* codes = block.codes(step) + first;
    Loaded loaded;
#pragma unroll
    for (int g = 0; g < kLoads; ++g) {
#pragma unroll
      for (int c = 0; c < kChannels; ++c) {
        const auto pixel = static_cast<std::uint32_t>(g) * 4 * kWarpThreads;
        loaded.words[g * kChannels + c] =
            codes_policy.load_once<4>(wanted && first + pixel < P, codes + static_cast<std::uint32_t>(c) * P + pixel)
                .words[0];
      }
    }
    return loaded;
  };
  Words<16> shifts[kPixelShifts ? kUnits * kValues / 4 : 1];
  const auto load_shifts = [&](std::uint32_t tile) {
    const std::uint32_t first_unit = tile * (kUnits * kWarpThreads) + lane;
#pragma unroll
    for (int i = 0; i < kUnits * kValues / 4; ++i) {
      const std::uint32_t unit = first_unit + static_cast<std::uint32_t>(i / (kValues / 4)) * kWarpThreads;
      if (unit >= units) continue;
      shifts[i] = reinterpret_cast<const Words<16>*>(
          args.pixel_shifts)[unit * (kValues / 4) + static_cast<std::uint32_t>(i % (kValues / 4))];
    }
#pragma unroll
    for (Words<16>& four : shifts) {
#pragma unroll
      for (std::uint32_t& shift : four.words) shift = bits_of(wait_for(float_of(shift)));
    }
  };
  const auto stage = [&](const Loaded& loaded) {
    __syncwarp();  // all lanes have read the tile before
#pragma unroll
    for (int g = 0; g < kLoads; ++g) {
      std::uint32_t channels[kChannels], pixels[kChannels];
#pragma unroll
      for (int c = 0; c < kChannels; ++c) channels[c] = loaded.words[g * kChannels + c];
      interleave(channels, pixels);
      std::uint32_t* to = staged + (static_cast<std::uint32_t>(g) * kWarpThreads + lane) * kChannels;
      if constexpr (kChannels == 4) {
        *reinterpret_cast<Words<16>*>(to) = {pixels[0], pixels[1], pixels[2], pixels[3]};
      } else {
#pragma unroll
        for (int i = 0; i < kChannels; ++i) to[i] = pixels[i];
      }
    }
    __syncwarp();
  };
  const auto store = [&](TileStep step, const Loaded& loaded) {
    const std::uint32_t first = step.tile * (kUnits * kWarpThreads) + lane;
    stage(loaded);
    auto* out = static_cast<std::byte*>(args.values) + (block.place(step) * units + first) * 16;
#pragma unroll
    for (int k = 0; k < kUnits; ++k) {
      const auto map_of = [&](int i) {
        const Affine map = maps.maps[channel_in_unit<Value, kChannels>(k, i)];
        if constexpr (!kPixelShifts) return map;
        return Affine{map.scale, float_of(shifts[(k * kValues + i) / 4].words[i % 4])};
      };
      const auto codes =
          reinterpret_cast<const Words<kValues>*>(staged)[static_cast<std::uint32_t>(k) * kWarpThreads + lane];
      values_policy.store(first + static_cast<std::uint32_t>(k) * kWarpThreads < units,
                          out + k * static_cast<int>(kWarpThreads) * 16, decode_words<Value>(codes, map_of));
    }
  };
  block.run(
      load,
      [&](std::uint32_t tile) {
        if constexpr (kPixelShifts) load_shifts(tile);
      },
      store);
}

/// Gathers any number of pixels with any alignment.
template <typename Value, int kChannels, bool kPixelShifts>
__global__ void __launch_bounds__(kMostThreads, kLeastTileBlocks)
    gather_unaligned_pixels(const GatherArgs args, const WorkShare share, const CachePolicies policies) {
  constexpr std::uint32_t kValues = kValuesPerStore<Value>;
  constexpr int kLoads = kGroups<kChannels, true>;
  constexpr std::uint32_t kPixels = kTilePixels<kChannels, true>;
  constexpr int kUnits = static_cast<int>(kPixels * kChannels / (kValues * kWarpThreads));
  __shared__ SharedTiles<kChannels> shared;
  const BlockGather block(args, share, shared.rows);
  const std::uint32_t lane = threadIdx.x % kWarpThreads;
  const auto P = static_cast<std::uint32_t>(args.pixels);
  const L2Policy codes_policy(policies.codes), values_policy(policies.values);
  std::uint32_t* staged = shared.words[threadIdx.x / kWarpThreads];
  const PixelMaps<kChannels> channel_maps(args);

  using Loaded = LoadedWords<2 * kLoads * kChannels>;
  const auto offset_of = [&](TileStep step, int c) {
    return static_cast<std::uint32_t>(c) * P + step.tile * kPixels + 4 * lane;
  };
  const auto sample_of = [&](TileStep step) { return SampleBytes(block.codes(step), P * kChannels); };
  const auto load = [&](TileStep step, bool wanted) {
    const SampleBytes sample = sample_of(step);
    const std::uint32_t pixel = step.tile * kPixels + 4 * lane;
    Loaded loaded;
#pragma unroll
    for (int c = 0; c < kChannels; ++c) {
      const SplitPlace place = sample.place(offset_of(step, c));
#pragma unroll
      for (int g = 0; g < kLoads; ++g) {
        constexpr std::uint32_t kStride = 4 * kWarpThreads;
        const int i = 2 * (g * kChannels + c);
        sample.load(codes_policy, wanted && pixel + static_cast<std::uint32_t>(g) * kStride < P, place,
                    static_cast<std::uint32_t>(g) * kStride, loaded.words[i], loaded.words[i + 1]);
      }
    }
    return loaded;
  };
  const auto stage = [&](TileStep step, const Loaded& loaded) {
    const SampleBytes sample = sample_of(step);
    __syncwarp();  // all lanes have read the tile before
#pragma unroll
    for (int g = 0; g < kLoads; ++g) {
      std::uint32_t channels[kChannels], pixels[kChannels];
#pragma unroll
      for (int c = 0; c < kChannels; ++c) {
        const int i = 2 * (g * kChannels + c);
        channels[c] = bytes_from(loaded.words[i], loaded.words[i + 1], sample.place(offset_of(step, c)).shift);
      }
      interleave(channels, pixels);
#pragma unroll
      for (int i = 0; i < kChannels; ++i) {
        staged[(static_cast<std::uint32_t>(g) * kWarpThreads + lane) * kChannels + static_cast<std::uint32_t>(i)] =
            pixels[i];
      }
    }
    __syncwarp();
    if (has_edges(step.tile, share.tiles_per_sample)) {
      sample.stage_edges(staged, [&](std::uint32_t offset) -> std::int64_t {
        const std::uint32_t c = offset / P, pixel = offset - c * P - step.tile * kPixels;
        return pixel < kPixels ? std::int64_t{pixel * kChannels + c} : -1;
      });
      __syncwarp();
    }
  };
  const auto store = [&](TileStep step, const Loaded& loaded) {
    stage(step, loaded);
    const std::uint32_t rest = P - step.tile * kPixels;
    const std::uint32_t count = (rest < kPixels ? rest : kPixels) * kChannels;
    const std::int64_t first = std::int64_t{step.tile} * kPixels * kChannels;
    Value* out = static_cast<Value*>(args.values) + block.place(step) * P * kChannels + first;
    const PixelMaps<kChannels> maps = channel_maps.rotated((head_of(out, count) + lane * kValues) % kChannels);
    const float* shifts = kPixelShifts ? args.pixel_shifts + first : nullptr;
    const auto map_of = [&](std::uint32_t i) {
      const Affine map = args.maps[args.uniform_map ? 0 : i % kChannels];
      return kPixelShifts ? Affine{map.scale, shifts[i]} : map;
    };
    const auto unit_maps = [&](int k, std::uint32_t unit_first) {
      // A unit beyond the tile loads the first shifts, which are not used.
      const float* unit_shifts = kPixelShifts ? shifts + (unit_first + kValues <= count ? unit_first : 0) : nullptr;
      return [&maps, k, unit_shifts](int i) {
        const Affine map = maps.maps[channel_in_unit<Value, kChannels>(k, i)];
        if constexpr (!kPixelShifts) return map;
        return Affine{map.scale, unit_shifts[i]};
      };
    };
    store_staged<kUnits>(staged, count, true, out, values_policy, map_of, unit_maps);
  };
  block.run(
      load, [](std::uint32_t) {}, store);
}

template <typename Value>
bool is_aligned_throughout(const GatherArgs& args) {
  const auto sample_bytes = static_cast<std::size_t>(args.sample.channels * args.pixels) * sizeof(Value);
  return args.pixels % 4 == 0 && sample_bytes % 16 == 0 && is_aligned(args.packed, 4) && is_aligned(args.values, 16) &&
         is_aligned(args.pixel_shifts, 16);
}

template <typename Value, int kChannels>
cudaError_t launch_as(const GatherArgs& args, const CachePolicies& policies, const DeviceTraits& device,
                      cudaStream_t stream) {
  const bool is_aligned = is_aligned_throughout<Value>(args), has_shifts = args.pixel_shifts != nullptr;
  const std::int64_t tile = is_aligned && !has_shifts ? kTilePixels<kChannels> : kTilePixels<kChannels, true>;
  const BatchGeometry geometry = batch_geometry(args.batch_count, (args.pixels + tile - 1) / tile, device);
  const auto kernel = is_aligned && has_shifts ? gather_pixels<Value, kChannels, true>
                      : is_aligned             ? gather_pixels<Value, kChannels, false>
                      : has_shifts             ? gather_unaligned_pixels<Value, kChannels, true>
                                               : gather_unaligned_pixels<Value, kChannels, false>;
  return launch(kernel, dim3(geometry.groups, geometry.splits), dim3(geometry.block_threads), stream, args,
                work_share(geometry), policies);
}

}  // namespace

template <typename Value>
cudaError_t launch_gather_pixels(const GatherArgs& args, const CachePolicies& policies, const DeviceTraits& device,
                                 cudaStream_t stream) {
  return args.sample.channels == 3 ? launch_as<Value, 3>(args, policies, device, stream)
                                   : launch_as<Value, 4>(args, policies, device, stream);
}

#define OCTAVO_INSTANTIATE(Value)                                                                                \
  template cudaError_t launch_gather_pixels<Value>(const GatherArgs&, const CachePolicies&, const DeviceTraits&, \
                                                   cudaStream_t);
OCTAVO_FOR_VALUE_TYPES(OCTAVO_INSTANTIATE)
#undef OCTAVO_INSTANTIATE

}  // namespace octavo::kernels::cuda
