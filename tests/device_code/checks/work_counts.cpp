#include "checks/work_counts.hpp"

#include <algorithm>
#include <bit>
#include <vector>

namespace device_code {
namespace {

constexpr u64 kSectorBytes = 32, kWordBytes = 4, kBanks = 32;

/// The distinct units of `unit_bytes` that the lanes touch.
std::vector<u64> distinct_units(u32 lanes, const Lanes& addresses, u32 bytes, u64 unit_bytes) {
  std::vector<u64> units;
  for (u32 rest = lanes; rest != 0; rest &= rest - 1) {
    const u64 address = addresses[static_cast<std::size_t>(std::countr_zero(rest))];
    for (u64 unit = address / unit_bytes; unit <= (address + bytes - 1) / unit_bytes; ++unit) units.push_back(unit);
  }
  std::sort(units.begin(), units.end());
  units.erase(std::unique(units.begin(), units.end()), units.end());
  return units;
}

u64 divided_up(u64 value, u64 divisor) { return (value + divisor - 1) / divisor; }

u64 requested_bytes(u32 lanes, u32 bytes) { return static_cast<u64>(std::popcount(lanes)) * bytes; }

}  // namespace

void RequestCounts::add(const RequestCounts& other) {
  requests += other.requests;
  bytes += other.bytes;
  units += other.units;
  ideal_units += other.ideal_units;
}

void WorkCounts::add(const WorkCounts& other) {
  launches += other.launches;
  warps += other.warps;
  warp_instructions += other.warp_instructions;
  lane_instructions += other.lane_instructions;
  double_instructions += other.double_instructions;
  block_barriers += other.block_barriers;
  local_requests += other.local_requests;
  global_loads.add(other.global_loads);
  global_stores.add(other.global_stores);
  shared_loads.add(other.shared_loads);
  shared_stores.add(other.shared_stores);
}

RequestCounts count_sectors(u32 lanes, const Lanes& addresses, u32 bytes) {
  const u64 distinct_bytes = distinct_units(lanes, addresses, bytes, 1).size();
  return {1, requested_bytes(lanes, bytes), distinct_units(lanes, addresses, bytes, kSectorBytes).size(),
          divided_up(distinct_bytes, kSectorBytes)};
}

RequestCounts count_wavefronts(u32 lanes, const Lanes& addresses, u32 bytes) {
  const std::vector<u64> words = distinct_units(lanes, addresses, bytes, kWordBytes);
  std::array<u64, kBanks> of_bank{};
  for (const u64 word : words) ++of_bank[word % kBanks];
  return {1, requested_bytes(lanes, bytes), *std::max_element(of_bank.begin(), of_bank.end()),
          divided_up(words.size(), kBanks)};
}

}  // namespace device_code
