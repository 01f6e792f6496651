// The gather for samples whose values keep the order of their codes, in whole aligned vectors.
#include "kernels/cuda/block/block_gather.cuh"
#include "kernels/cuda/block/decode_words.cuh"
#include "kernels/cuda/block/launch.cuh"
#include "kernels/cuda/gather_variants.hpp"
#include "kernels/divider.hpp"

namespace octavo::kernels::cuda {
namespace {

/// Units per lane in a step. They are 32 apart, so that loads and stores of a warp are consecutive and a lane reaches
/// all units from one address. Eight values with a shift each need 16 registers, so a lane has only two such units,
/// with as many bytes as four units of four values.
template <int kValues, bool kPixelShifts>
inline constexpr int kLaneUnits = kPixelShifts&& kValues == 8 ? 2 : 4;
/// Units per tile.
template <int kValues, bool kPixelShifts>
inline constexpr std::uint32_t kTileUnits = kLaneUnits<kValues, kPixelShifts>* kWarpThreads;

/// A unit is one store: kValues values. It has 16 bytes, except for half types whose channels end within 16 bytes.
struct PlanesShape {
  std::uint32_t units;        ///< units per sample
  Divider units_per_channel;  ///< `units` if the whole sample has one map
};

/// The maps of a lane's units in a tile, shared by all samples of the block.
template <int kValues, bool kPixelShifts>
struct TileMaps {
  static constexpr int kUnits = kLaneUnits<kValues, kPixelShifts>;
  Affine maps[kUnits];
  Words<16> shifts[kPixelShifts ? kUnits * kValues / 4 : 1];

  __device__ void load(const GatherArgs& args, const PlanesShape& shape, std::uint32_t first_unit) {
#pragma unroll
    for (int k = 0; k < kUnits; ++k) {
      const std::uint32_t unit = first_unit + k * kWarpThreads;
      if (unit >= shape.units) continue;
      maps[k] = args.maps[shape.units_per_channel.quotient(unit)];
      if constexpr (kPixelShifts) {
#pragma unroll
        for (int i = 0; i < kValues / 4; ++i) {
          shifts[k * (kValues / 4) + i] =
              reinterpret_cast<const Words<16>*>(args.pixel_shifts)[unit * (kValues / 4) + static_cast<unsigned>(i)];
        }
      }
    }
  }
  /// Waits for the loads.
  __device__ void wait() {
#pragma unroll
    for (Affine& map : maps) map = {wait_for(map.scale), kPixelShifts ? 0.0f : wait_for(map.shift)};
    if constexpr (kPixelShifts) {
#pragma unroll
      for (Words<16>& four : shifts) {
#pragma unroll
        for (std::uint32_t& shift : four.words) shift = bits_of(wait_for(float_of(shift)));
      }
    }
  }
  __device__ Affine of(int k, int i) const {
    if constexpr (!kPixelShifts) return maps[k];
    return {maps[k].scale, float_of(shifts[(k * kValues + i) / 4].words[i % 4])};
  }
};

template <typename Value, int kValues, bool kPixelShifts>
__global__ void __launch_bounds__(kMostThreads, kLeastTileBlocks)
    gather_planes(const GatherArgs args, const PlanesShape shape, const WorkShare share, const CachePolicies policies) {
  constexpr int kUnits = kLaneUnits<kValues, kPixelShifts>;
  constexpr int kStoreBytes = kValues * static_cast<int>(sizeof(Value));
  using Loaded = LoadedWords<kUnits * kValues / 4>;
  __shared__ BlockRows rows;
  const BlockGather block(args, share, rows);
  const std::uint32_t lane = threadIdx.x % kWarpThreads;
  const L2Policy codes_policy(policies.codes), values_policy(policies.values);

  const auto load = [&](TileStep step, bool wanted) {
    const std::uint32_t first = step.tile * kTileUnits<kValues, kPixelShifts> + lane;
    const std::int8_t* codes = block.codes(step) + std::int64_t{first} * kValues;
    Loaded loaded;
#pragma unroll
    for (int k = 0; k < kUnits; ++k) {
      const auto unit = codes_policy.load_once<kValues>(wanted && first + k * kWarpThreads < shape.units,
                                                        codes + k * static_cast<int>(kWarpThreads) * kValues);
#pragma unroll
      for (int i = 0; i < kValues / 4; ++i) loaded.words[k * (kValues / 4) + i] = unit.words[i];
    }
    return loaded;
  };
  TileMaps<kValues, kPixelShifts> maps;
  const auto store = [&](TileStep step, const Loaded& loaded) {
    const std::uint32_t first = step.tile * kTileUnits<kValues, kPixelShifts> + lane;
    auto* out = static_cast<std::byte*>(args.values) + (block.place(step) * shape.units + first) * kStoreBytes;
#pragma unroll
    for (int k = 0; k < kUnits; ++k) {
      Words<kValues> codes;
#pragma unroll
      for (int i = 0; i < kValues / 4; ++i) codes.words[i] = loaded.words[k * (kValues / 4) + i];
      const auto values = decode_words<Value>(codes, [&](int i) { return maps.of(k, i); });
      values_policy.store(first + k * kWarpThreads < shape.units,
                          out + k * static_cast<int>(kWarpThreads) * kStoreBytes, values);
    }
  };
  block.run(
      load,
      [&](std::uint32_t tile) {
        maps.load(args, shape, tile * kTileUnits<kValues, kPixelShifts> + lane);
        maps.wait();
      },
      store);
}

template <typename Value, int kValues, bool kPixelShifts>
cudaError_t launch_as(const GatherArgs& args, const CachePolicies& policies, const DeviceTraits& device,
                      cudaStream_t stream) {
  const std::int64_t units = args.sample.channels * args.pixels / kValues;
  const PlanesShape shape{static_cast<std::uint32_t>(units), Divider(args.uniform_map ? units : args.pixels / kValues)};
  constexpr std::int64_t kTile = kTileUnits<kValues, kPixelShifts>;
  const BatchGeometry geometry = batch_geometry(args.batch_count, (units + kTile - 1) / kTile, device);
  return launch(gather_planes<Value, kValues, kPixelShifts>, dim3(geometry.groups, geometry.splits),
                dim3(geometry.block_threads), stream, args, shape, work_share(geometry), policies);
}

template <typename Value, int kValues>
cudaError_t launch_units(const GatherArgs& args, const CachePolicies& policies, const DeviceTraits& device,
                         cudaStream_t stream) {
  return args.pixel_shifts != nullptr ? launch_as<Value, kValues, true>(args, policies, device, stream)
                                      : launch_as<Value, kValues, false>(args, policies, device, stream);
}

template <typename Value>
bool takes_units(const GatherArgs& args, std::int64_t values) {
  const std::int64_t run = (args.uniform_map ? args.sample.channels : 1) * args.pixels;
  return is_planar(args) && run % values == 0 && is_aligned(args.packed, static_cast<std::size_t>(values)) &&
         is_aligned(args.values, static_cast<std::size_t>(values) * sizeof(Value)) && is_aligned(args.pixel_shifts, 16);
}

}  // namespace

template <typename Value>
bool takes_planes(const GatherArgs& args) {
  return takes_units<Value>(args, 4);
}

template <typename Value>
cudaError_t launch_gather_planes(const GatherArgs& args, const CachePolicies& policies, const DeviceTraits& device,
                                 cudaStream_t stream) {
  constexpr int kValues = kValuesPerStore<Value>;
  if (kValues == 4 || takes_units<Value>(args, kValues)) {
    return launch_units<Value, kValues>(args, policies, device, stream);
  }
  return launch_units<Value, 4>(args, policies, device, stream);
}

#define OCTAVO_INSTANTIATE(Value)                                                                                \
  template bool takes_planes<Value>(const GatherArgs&);                                                          \
  template cudaError_t launch_gather_planes<Value>(const GatherArgs&, const CachePolicies&, const DeviceTraits&, \
                                                   cudaStream_t);
OCTAVO_FOR_VALUE_TYPES(OCTAVO_INSTANTIATE)
#undef OCTAVO_INSTANTIATE

}  // namespace octavo::kernels::cuda
