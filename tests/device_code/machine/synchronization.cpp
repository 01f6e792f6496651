// Barriers of blocks and warps, shuffles, votes and fences.
#include <algorithm>

#include "machine/machine.hpp"

namespace device_code {
namespace {

/// The lane that a shuffle reads, and whether it is in the segment of the reading lane.
struct ShuffleSource {
  u32 lane;
  bool is_valid;
};

/// `control` has the segment's mask in bits 8 to 12 and its last lane in bits 0 to 4. A lane without a valid source
/// reads itself.
ShuffleSource source_of(Shuffle shuffle, u32 lane, u64 operand, u64 control) {
  const auto distance = static_cast<i32>(operand & 31);
  const u32 segment = static_cast<u32>(control) >> 8 & 31, clamp = static_cast<u32>(control) & 31;
  const auto last = static_cast<i32>((lane & segment) | (clamp & ~segment)), mine = static_cast<i32>(lane);
  i32 from = 0;
  switch (shuffle) {
    case Shuffle::up:
      from = mine - distance;
      break;
    case Shuffle::down:
      from = mine + distance;
      break;
    case Shuffle::butterfly:
      from = mine ^ distance;
      break;
    case Shuffle::index:
    case Shuffle::none:
      from = static_cast<i32>((lane & segment) | (static_cast<u32>(distance) & ~segment));
      break;
  }
  const bool is_valid = shuffle == Shuffle::up ? from >= last : from <= last;
  return {is_valid ? static_cast<u32>(from) : lane, is_valid};
}

}  // namespace

/// Opens the barrier of a block if all its threads that have not ended wait at it.
bool Machine::open_block_barrier(Block& block) {
  bool any = false;
  for (const auto& warp : block.warps) {
    for (const Fragment& fragment : warp->fragments) {
      if (fragment.state != FragmentState::at_block_barrier) return false;
      any = true;
    }
  }
  if (!any) return false;
  ++counts.block_barriers;
  for (const auto& warp : block.warps) {
    check_block_barrier(*warp);
    for (Fragment& fragment : warp->fragments) {
      fragment.state = FragmentState::running;
      ++fragment.next;
    }
    for (const ThreadOrder& order : warp->orders) block.acquired.learn(order.acquired);
  }
  ++block.epoch;
  return true;
}

/// All threads of a warp must reach the same barrier.
void Machine::check_block_barrier(Warp& warp) {
  if (warp.fragments.empty()) return;
  Fragment& first = warp.fragments.front();
  const Instruction& barrier = first.instruction();
  const Step step{*this, warp, first, barrier, first.lanes};
  const auto first_lane = [](u32 lanes) { return static_cast<u32>(__builtin_ctz(lanes)); };
  for (const Fragment& other : warp.fragments) {
    if (&other.instruction() != &barrier) report(Fault::divergent_barrier, step, first_lane(other.lanes));
  }
  const u32 ended = warp.lanes & ~warp.live_lanes();
  if (ended != 0) report(Fault::divergent_barrier, step, first_lane(ended), "which has ended");
}

void Machine::open_warp_barriers(Warp& warp) {
  std::vector<u32> complete;
  for (const Fragment& fragment : warp.fragments) {
    if (fragment.state != FragmentState::at_warp_barrier) continue;
    u32 present = 0;
    for (const Fragment& other : warp.fragments) {
      const bool waits_too =
          other.state == FragmentState::at_warp_barrier && other.awaited_lanes == fragment.awaited_lanes;
      if (waits_too) present |= other.lanes;
    }
    const bool is_known = std::find(complete.begin(), complete.end(), present) != complete.end();
    if (!is_known && present == (fragment.awaited_lanes & warp.live_lanes())) complete.push_back(present);
  }
  for (const u32 lanes : complete) open_warp_barrier(warp, lanes);
}

void Machine::open_warp_barrier(Warp& warp, u32 lanes) {
  Fragment* first = nullptr;
  for (Fragment& fragment : warp.fragments) {
    if ((fragment.lanes & lanes) != 0 && first == nullptr) first = &fragment;
  }
  const Instruction& instruction = first->instruction();
  const Step step{*this, warp, *first, instruction, lanes};
  for (const Fragment& fragment : warp.fragments) {
    if ((fragment.lanes & lanes) == 0 || &fragment.instruction() == &instruction) continue;
    const bool is_allowed = instruction.op == Op::bar_warp_sync && fragment.instruction().op == Op::bar_warp_sync;
    if (!is_allowed) report(Fault::divergent_warp_barrier, step, static_cast<u32>(__builtin_ctz(fragment.lanes)));
  }
  if (instruction.op == Op::shfl)
    shuffle(step);
  else if (instruction.op == Op::vote)
    vote(step);
  else
    order_lanes(warp, lanes);
  for (Fragment& fragment : warp.fragments) {
    if ((fragment.lanes & lanes) == 0) continue;
    fragment.state = FragmentState::running;
    ++fragment.next;
  }
}

/// Orders all that the lanes did before all that they will do. Their own clocks become equal, because an access history
/// keeps one clock, the highest, for reads by several lanes of a warp.
void Machine::order_lanes(Warp& warp, u32 lanes) {
  Clocks joined{};
  OtherBlocks acquired;
  u32 highest = 0;
  for_each_lane(lanes, [&](u32 lane) {
    highest = std::max(highest, warp.clocks[lane][lane]);
    join(joined, warp.clocks[lane]);
    acquired.learn(warp.orders[lane].acquired);
  });
  for_each_lane(lanes, [&](u32 lane) { joined[lane] = highest; });
  for_each_lane(lanes, [&](u32 lane) {
    warp.clocks[lane] = joined;
    warp.clocks[lane][lane] = highest + 1;
    warp.orders[lane].acquired.learn(acquired);
  });
}

/// Exchanges values between lanes. Does not order memory accesses.
void Machine::shuffle(const Step& step) {
  const Instruction& i = step.instruction;
  Lanes spaces[3];
  const Lanes values_of = values(step, i.from[0], spaces[0]);
  const Lanes& distances = values(step, i.from[1], spaces[1]);
  const Lanes& controls = values(step, i.from[2], spaces[2]);
  Lanes results{}, undefined{};
  u32 valid = 0;
  for_each_lane(step.lanes, [&](u32 lane) {
    if ((undefined_bits(step, i.from[1], lane) | undefined_bits(step, i.from[2], lane)) != 0) {
      report(Fault::undefined_operand, step, lane);
    }
    const auto [from, is_valid] = source_of(i.shuffle, lane, distances[lane], controls[lane]);
    if ((step.lanes >> from & 1) == 0) report(Fault::absent_lane, step, lane);
    valid |= static_cast<u32>(is_valid) << lane;
    results[lane] = values_of[from];
    undefined[lane] = undefined_bits(step, i.from[0], from);
  });
  Registers& registers = step.warp.registers;
  const std::size_t to = step.register_of(i.to[0]);
  for_each_lane(step.lanes, [&](u32 lane) {
    registers.values(to)[lane] = results[lane];
    registers.set_undefined_bits(to, lane, undefined[lane] & low_bits(32));
  });
  if (i.to.size() < 2 || i.to[1].kind != Operand::Kind::reg) return;
  registers.set_predicate(step.register_of(i.to[1]), step.lanes, valid);
  registers.define(step.register_of(i.to[1]), step.lanes);
}

/// Tells the lanes whether a predicate is true in any or all of them. Does not order memory accesses.
void Machine::vote(const Step& step) {
  const Instruction& i = step.instruction;
  Registers& registers = step.warp.registers;
  u32 yes = i.from[0].value != 0 ? step.lanes : 0;
  if (i.from[0].kind == Operand::Kind::reg) {
    yes = registers.predicate(step.register_of(i.from[0])) & step.lanes;
    for_each_lane(step.lanes, [&](u32 lane) {
      if (undefined_bits(step, i.from[0], lane) != 0) report(Fault::undefined_operand, step, lane);
    });
  }
  const bool result = i.votes_all ? yes == step.lanes : yes != 0;
  registers.set_predicate(step.register_of(i.to[0]), step.lanes, result ? step.lanes : 0);
  registers.define(step.register_of(i.to[0]), step.lanes);
}

/// The next atomic of a thread releases what is before the fence. The fence acquires what the thread's last atomics
/// read. Within a block, only barriers order accesses.
void Machine::fence(const Step& step) {
  if (step.instruction.is_within_block) return;
  Warp& warp = step.warp;
  for_each_lane(step.lanes, [&](u32 lane) {
    ThreadOrder& order = warp.orders[lane];
    order.is_fenced = true;
    order.fence_epoch = warp.block->epoch;
    order.fence_clocks = warp.clocks[lane];
    order.acquired.learn(order.read);
  });
  // What follows is not before the fence. All lanes advance, so that lanes with equal clocks keep them.
  for (u32 lane = 0; lane < kWarpLanes; ++lane) ++warp.clocks[lane][lane];
}

}  // namespace device_code
