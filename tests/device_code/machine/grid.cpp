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

void OtherBlocks::learn(u32 block, u32 epoch, u16 thread) {
  const auto [known, is_new] = blocks_.try_emplace(block, Known{epoch, thread});
  if (!is_new && epoch >= known->second.epoch) known->second = {epoch, thread};
}

void OtherBlocks::learn(const OtherBlocks& other) {
  for (const auto& [block, known] : other.blocks_) learn(block, known.epoch, known.thread);
}

bool OtherBlocks::knows(const Moment& moment) const {
  const auto found = blocks_.find(moment.block);
  if (found == blocks_.end()) return false;
  return moment.epoch < found->second.epoch ||
         (moment.epoch == found->second.epoch && moment.thread == found->second.thread);
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
