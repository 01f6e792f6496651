// Counts what a GPU would do for a launch: instructions of warps, sectors of memory and wavefronts of shared memory.
#pragma once

#include <array>

#include "ptx/instruction.hpp"

namespace device_code {

inline constexpr u32 kWarpLanes = 32;
using Lanes = std::array<u64, kWarpLanes>;

/// The requests of warps to one memory.
struct RequestCounts {
  u64 requests = 0;
  u64 bytes = 0;        ///< that lanes asked for
  u64 units = 0;        ///< sectors of 32 bytes in global memory, or wavefronts of shared memory
  u64 ideal_units = 0;  ///< for the same distinct bytes, if they were next to each other

  void add(const RequestCounts& other);
};

struct WorkCounts {
  u64 launches = 0, warps = 0;
  u64 warp_instructions = 0;
  u64 lane_instructions = 0;  ///< instructions times the lanes that execute them
  u64 double_instructions = 0;
  u64 block_barriers = 0;
  u64 local_requests = 0;
  RequestCounts global_loads, global_stores, shared_loads, shared_stores;

  void add(const WorkCounts& other);
};

/// Counts the sectors of a request to global memory: `bytes` bytes at the address of each lane in `lanes`.
RequestCounts count_sectors(u32 lanes, const Lanes& addresses, u32 bytes);
/// Counts the wavefronts of a request to shared memory: a wavefront serves one word in each of 32 banks.
RequestCounts count_wavefronts(u32 lanes, const Lanes& addresses, u32 bytes);

}  // namespace device_code
