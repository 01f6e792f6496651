// The gather for batches that no faster kernel supports: any alignment, and any number of channels to interleave. Codes
// are loaded as words, several before the first is used, and staged in shared memory in output order.
#include "kernels/cuda/block/block_gather.cuh"
#include "kernels/cuda/block/launch.cuh"
#include "kernels/cuda/block/staged_tile.cuh"
#include "kernels/cuda/gather_variants.hpp"
#include "kernels/divider.hpp"

namespace octavo::kernels::cuda {
namespace {

/// Words that a lane loads per step.
constexpr int kGroups = 4;
/// Values per tile.
constexpr std::uint32_t kTileValues = kGroups * 4 * kWarpThreads;
/// Units per lane in a tile.
template <typename Value>
inline constexpr int kTileUnits = static_cast<int>(kTileValues) /
                                  (kValuesPerStore<Value> * static_cast<int>(kWarpThreads));

/// Both halves of each word.
using Loaded = LoadedWords<2 * kGroups>;

/// The map of value `index` of an output sample, in channel `c`.
__device__ inline Affine map_at(const GatherArgs& args, std::uint32_t c, std::uint32_t index) {
  return AffineTransform(args.maps, args.uniform_map, args.pixel_shifts).map(c, index);
}

/// How the maps of a sample's values differ.
enum class MapsBy { uniform, channel, pixel };

/// Gathers values in the order of their codes. `channel_values` divides by P.
template <typename Value, MapsBy kMaps>
__global__ void __launch_bounds__(kMostThreads, kLeastTileBlocks)
    gather_unaligned_planes(const GatherArgs args, const Divider channel_values, const WorkShare share,
                            const CachePolicies policies) {
  __shared__ BlockRows rows;
  __shared__ std::uint32_t tiles[kMostWarps][kTileValues / 4 + 4];
  const BlockGather block(args, share, rows);
  const std::uint32_t lane = threadIdx.x % kWarpThreads;
  const auto sample_values = static_cast<std::uint32_t>(args.sample.channels * args.pixels);
  const L2Policy codes_policy(policies.codes), values_policy(policies.values);
  std::uint32_t* staged = tiles[threadIdx.x / kWarpThreads];

  const Affine uniform_map{wait_for(args.maps[0].scale), wait_for(args.maps[0].shift)};

  const auto offset_of = [&](TileStep step) { return step.tile * kTileValues + 4 * lane; };
  const auto load = [&](TileStep step, bool wanted) {
    const SampleBytes sample(block.codes(step), sample_values);
    const SplitPlace place = sample.place(offset_of(step));
    Loaded loaded;
#pragma unroll
    for (int g = 0; g < kGroups; ++g) {
      sample.load(codes_policy, wanted, place, static_cast<std::uint32_t>(g) * 4 * kWarpThreads, loaded.words[2 * g],
                  loaded.words[2 * g + 1]);
    }
    return loaded;
  };
  const auto stage = [&](TileStep step, const Loaded& loaded) {
    const SampleBytes sample(block.codes(step), sample_values);
    __syncwarp();  // all lanes have read the tile before
#pragma unroll
    for (int g = 0; g < kGroups; ++g) {
      staged[static_cast<std::uint32_t>(g) * kWarpThreads + lane] =
          bytes_from(loaded.words[2 * g], loaded.words[2 * g + 1], sample.place(offset_of(step)).shift);
    }
    __syncwarp();
    if (has_edges(step.tile, share.tiles_per_sample)) {
      sample.stage_edges(staged, [&](std::uint32_t offset) -> std::int64_t {
        const std::uint32_t place = offset - step.tile * kTileValues;
        return place < kTileValues ? std::int64_t{place} : -1;
      });
      __syncwarp();
    }
  };
  const auto store = [&](TileStep step, const Loaded& loaded) {
    stage(step, loaded);
    const std::uint32_t first = step.tile * kTileValues, P = channel_values.divisor();
    const std::uint32_t count = sample_values - first < kTileValues ? sample_values - first : kTileValues;
    Value* out = static_cast<Value*>(args.values) + block.place(step) * sample_values + first;
    const auto map_of = [&](std::uint32_t i) { return map_at(args, channel_values.quotient(first + i), first + i); };
    const auto unit_maps = [&](int, std::uint32_t unit_first) {
      if constexpr (kMaps == MapsBy::uniform) {
        return [uniform_map](int) { return uniform_map; };
      } else {
        // A unit beyond the sample loads the first maps, which are not used.
        const std::uint32_t v = first + unit_first + kValuesPerStore<Value> <= sample_values ? first + unit_first : 0;
        const std::uint32_t c = channel_values.quotient(v), second_from = (c + 1) * P - v;
        const bool is_split = second_from < kValuesPerStore<Value>;
        const Affine one = args.maps[args.uniform_map ? 0 : c], two = args.maps[args.uniform_map ? 0 : c + is_split];
        return [&args, v, second_from, one, two](int i) {
          const Affine map = static_cast<std::uint32_t>(i) < second_from ? one : two;
          if constexpr (kMaps == MapsBy::channel) return map;
          return Affine{map.scale, args.pixel_shifts[v + static_cast<std::uint32_t>(i)]};
        };
      }
    };
    // A unit that is not longer than a channel has values of at most two channels.
    store_staged<kTileUnits<Value>>(staged, count, args.uniform_map || P >= kValuesPerStore<Value>, out, values_policy,
                                    map_of, unit_maps);
  };
  block.run(
      load, [](std::uint32_t) {}, store);
}

/// The kernel below uses smaller blocks, because a tile has all channels of a pixel.
constexpr unsigned kMostChannelWarps = 2;

/// How channels are interleaved, one tile of pixels at a time. An item is four pixels of a channel.
struct ChannelsShape {
  std::uint32_t tile_pixels;
  Divider channel_items;  ///< divides by the number of items of a channel in a tile
  Divider channels;       ///< divides by C
};

/// Gathers values whose channels are interleaved.
template <typename Value>
__global__ void __launch_bounds__(kMostChannelWarps* kWarpThreads, 10)
    gather_channels(const GatherArgs args, const ChannelsShape shape, const WorkShare share,
                    const CachePolicies policies) {
  __shared__ BlockRows rows;
  __shared__ std::uint32_t tiles[kMostChannelWarps][kMostChannels / 4 + 4];
  const BlockGather block(args, share, rows);
  const std::uint32_t lane = threadIdx.x % kWarpThreads;
  const std::uint32_t C = shape.channels.divisor(), P = static_cast<std::uint32_t>(args.pixels);
  const std::uint32_t items = C * shape.channel_items.divisor();
  const L2Policy codes_policy(policies.codes), values_policy(policies.values);
  std::uint32_t* staged = tiles[threadIdx.x / kWarpThreads];

  // The first pixel of item `item` in its tile, and the offset of its codes in the sample.
  const auto pixel_of = [&](std::uint32_t item) { return 4 * shape.channel_items.remainder(item); };
  const auto offset_of = [&](TileStep step, std::uint32_t item) {
    return shape.channel_items.quotient(item) * P + step.tile * shape.tile_pixels + pixel_of(item);
  };
  const auto pixels_in = [&](TileStep step) {
    const std::uint32_t rest = P - step.tile * shape.tile_pixels;
    return rest < shape.tile_pixels ? rest : shape.tile_pixels;
  };
  const auto load_items = [&](TileStep step, std::uint32_t first_item, bool wanted) {
    const SampleBytes sample(block.codes(step), C * P);
    const std::uint32_t pixels = pixels_in(step);
    Loaded loaded;
#pragma unroll
    for (int g = 0; g < kGroups; ++g) {
      const std::uint32_t item = first_item + static_cast<std::uint32_t>(g) * kWarpThreads + lane;
      sample.load(codes_policy, wanted && item < items && pixel_of(item) < pixels, sample.place(offset_of(step, item)),
                  0, loaded.words[2 * g], loaded.words[2 * g + 1]);
    }
    return loaded;
  };
  const auto stage_items = [&](TileStep step, std::uint32_t first_item, const Loaded& loaded) {
    const SampleBytes sample(block.codes(step), C * P);
    const std::uint32_t pixels = pixels_in(step);
#pragma unroll
    for (int g = 0; g < kGroups; ++g) {
      const std::uint32_t item = first_item + static_cast<std::uint32_t>(g) * kWarpThreads + lane;
      if (item >= items) continue;
      const std::uint32_t codes =
          bytes_from(loaded.words[2 * g], loaded.words[2 * g + 1], sample.place(offset_of(step, item)).shift);
      auto* to = reinterpret_cast<std::uint8_t*>(staged) + shape.channel_items.quotient(item);
#pragma unroll
      for (std::uint32_t i = 0; i < 4; ++i) {
        const std::uint32_t pixel = pixel_of(item) + i;
        if (pixel < pixels) to[pixel * C] = static_cast<std::uint8_t>(codes >> (8 * i));
      }
    }
  };
  const auto store = [&](TileStep step, const Loaded& loaded) {
    __syncwarp();  // all lanes have read the tile before
    stage_items(step, 0, loaded);
    for (std::uint32_t item = kGroups * kWarpThreads; item < items; item += kGroups * kWarpThreads) {
      stage_items(step, item, load_items(step, item, true).flipped());
    }
    __syncwarp();
    if (has_edges(step.tile, share.tiles_per_sample)) {
      const SampleBytes sample(block.codes(step), C * P);
      sample.stage_edges(staged, [&](std::uint32_t offset) -> std::int64_t {
        const std::uint32_t c = offset / P, pixel = offset - c * P - step.tile * shape.tile_pixels;
        return pixel < shape.tile_pixels ? std::int64_t{pixel * C + c} : -1;
      });
      __syncwarp();
    }
    const std::uint32_t first = step.tile * shape.tile_pixels * C;
    Value* out = static_cast<Value*>(args.values) + block.place(step) * C * P + first;
    const auto map_of = [&](std::uint32_t i) { return map_at(args, shape.channels.remainder(i), first + i); };
    const std::uint32_t count = pixels_in(step) * C;
    store_staged<kTileUnits<Value>>(staged, count, true, out, values_policy, map_of, [&](int, std::uint32_t unit) {
      // A unit beyond the tile loads the first maps, which are not used.
      const std::uint32_t used = unit + kValuesPerStore<Value> <= count ? unit : 0;
      return [&map_of, used](int i) { return map_of(used + static_cast<std::uint32_t>(i)); };
    });
  };
  block.run([&](TileStep step, bool wanted) { return load_items(step, 0, wanted); }, [](std::uint32_t) {}, store);
}

template <typename Value>
cudaError_t launch_planes(const GatherArgs& args, const CachePolicies& policies, const DeviceTraits& device,
                          cudaStream_t stream) {
  const std::int64_t values = args.sample.channels * args.pixels;
  const BatchGeometry geometry = batch_geometry(args.batch_count, (values + kTileValues - 1) / kTileValues, device);
  const auto kernel = args.pixel_shifts != nullptr ? gather_unaligned_planes<Value, MapsBy::pixel>
                      : args.uniform_map           ? gather_unaligned_planes<Value, MapsBy::uniform>
                                                   : gather_unaligned_planes<Value, MapsBy::channel>;
  return launch(kernel, dim3(geometry.groups, geometry.splits), dim3(geometry.block_threads), stream, args,
                Divider(args.pixels), work_share(geometry), policies);
}

/// Pixels per tile: up to kTileValues values, or one pixel if it has more; whole items if possible.
std::uint32_t tile_pixels(std::int64_t channels) {
  const std::int64_t pixels = static_cast<std::int64_t>(kTileValues) / channels;
  return static_cast<std::uint32_t>(pixels >= 4 ? pixels / 4 * 4 : std::max<std::int64_t>(1, pixels));
}

template <typename Value>
cudaError_t launch_channels(const GatherArgs& args, const CachePolicies& policies, const DeviceTraits& device,
                            cudaStream_t stream) {
  const std::uint32_t pixels = tile_pixels(args.sample.channels);
  const ChannelsShape shape{pixels, Divider((pixels + 3) / 4), Divider(args.sample.channels)};
  const BatchGeometry geometry =
      batch_geometry(args.batch_count, (args.pixels + pixels - 1) / pixels, device, kMostChannelWarps);
  return launch(gather_channels<Value>, dim3(geometry.groups, geometry.splits), dim3(geometry.block_threads), stream,
                args, shape, work_share(geometry), policies);
}

}  // namespace

template <typename Value>
cudaError_t launch_gather_any(const GatherArgs& args, const CachePolicies& policies, const DeviceTraits& device,
                              cudaStream_t stream) {
  return is_planar(args) ? launch_planes<Value>(args, policies, device, stream)
                         : launch_channels<Value>(args, policies, device, stream);
}

#define OCTAVO_INSTANTIATE(Value)                                                                             \
  template cudaError_t launch_gather_any<Value>(const GatherArgs&, const CachePolicies&, const DeviceTraits&, \
                                                cudaStream_t);
OCTAVO_FOR_VALUE_TYPES(OCTAVO_INSTANTIATE)
#undef OCTAVO_INSTANTIATE

}  // namespace octavo::kernels::cuda
