#include "machine/grid.hpp"

#include <algorithm>

namespace device_code {

void TrackedBytes::resize(u64 size, u64 first_new) {
  constexpr u8 kPoison = 0xA5;
  bytes.resize(size);
  undefined.resize(size);
  if (first_new >= size) return;
  std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(first_new), bytes.end(), kPoison);
  std::fill(undefined.begin() + static_cast<std::ptrdiff_t>(first_new), undefined.end(), u8{0xFF});
}

bool Fragment::is_at_same_place(const Fragment& other) const {
  return state == other.state && function == other.function && next == other.next &&
         first_register == other.first_register && returns == other.returns;
}

void join(Clocks& clocks, const Clocks& other) {
  for (u32 lane = 0; lane < kWarpLanes; ++lane) clocks[lane] = std::max(clocks[lane], other[lane]);
}

void OtherBlocks::learn(u32 block, u32 epoch, u32 warp, const Clocks& clocks) {
  Known& known = blocks_[block];
  if (epoch < known.epoch) return;
  if (epoch > known.epoch) known = {epoch, {}};
  join(known.warps[warp], clocks);
}

void OtherBlocks::learn(const OtherBlocks& other) {
  for (const auto& [block, known] : other.blocks_) {
    for (const auto& [warp, clocks] : known.warps) learn(block, known.epoch, warp, clocks);
  }
}

bool OtherBlocks::knows(const Moment& moment) const {
  const auto block = blocks_.find(moment.block);
  if (block == blocks_.end() || moment.epoch > block->second.epoch) return false;
  if (moment.epoch < block->second.epoch) return true;
  const auto warp = block->second.warps.find(moment.thread / kWarpLanes);
  return warp != block->second.warps.end() && moment.clock <= warp->second[moment.thread % kWarpLanes];
}

u32 Warp::live_lanes() const {
  u32 live = 0;
  for (const Fragment& fragment : fragments) live |= fragment.lanes;
  return live;
}

Moment Warp::moment(u32 lane) const {
  return {block->number, static_cast<u16>(index * kWarpLanes + lane), block->epoch, clocks[lane][lane]};
}

bool Block::is_done() const {
  return std::all_of(warps.begin(), warps.end(), [](const auto& warp) { return warp->fragments.empty(); });
}

}  // namespace device_code
