// Branches, calls and returns, and where lanes wait for others.
#include <algorithm>
#include <cstring>

#include "machine/machine.hpp"

namespace device_code {
namespace {

/// The offset where the memory of a callee begins.
u64 aligned(u64 offset) { return (offset + 15) / 16 * 16; }

/// Copies a parameter within the frames of a lane.
void copy_parameter(TrackedBytes& frame, u64 from, u64 to, u64 bytes) {
  std::memmove(frame.bytes.data() + to, frame.bytes.data() + from, bytes);
  std::memmove(frame.undefined.data() + to, frame.undefined.data() + from, bytes);
}

}  // namespace

bool Machine::branch(Warp& warp, Fragment& fragment, const Instruction& instruction, u32 lanes) {
  if (lanes == fragment.lanes) {
    fragment.next = instruction.target;
    return true;
  }
  if (lanes == 0) {
    ++fragment.next;
    return true;
  }
  Fragment taken = split(fragment, lanes);
  taken.next = instruction.target;
  ++fragment.next;
  warp.fragments.push_back(std::move(taken));
  warp.fragments.push_back(std::move(fragment));
  return false;
}

/// Moves the lanes of a fragment that do not execute an instruction past it.
void Machine::pass_others(Warp& warp, Fragment& fragment, u32 lanes) {
  if (lanes == fragment.lanes) return;
  Fragment others = split(fragment, fragment.lanes & ~lanes);
  ++others.next;
  warp.fragments.push_back(std::move(others));
}

bool Machine::call(Warp& warp, Fragment& fragment, const Instruction& instruction, u32 lanes) {
  pass_others(warp, fragment, lanes);
  const Function& caller = *fragment.function;
  const Function& callee = *instruction.callee;
  const u64 caller_frame = fragment.frame_begin;
  fragment.returns.push_back(
      {&caller, fragment.next, fragment.first_register, fragment.local_begin, fragment.frame_begin});
  fragment.function = &callee;
  fragment.next = 0;
  fragment.first_register += static_cast<u32>(caller.register_bits.size());
  fragment.local_begin = aligned(fragment.local_begin + caller.local_bytes);
  fragment.frame_begin = aligned(fragment.frame_begin + caller.frame_bytes);
  warp.registers.grow(fragment.first_register + callee.register_bits.size());
  warp.registers.forget(fragment.first_register, callee.register_bits.size(), lanes);
  for_each_lane(lanes, [&](u32 lane) {
    warp.local[lane].resize(fragment.local_begin + callee.local_bytes, fragment.local_begin);
    TrackedBytes& frame = warp.frame[lane];
    frame.resize(fragment.frame_begin + callee.frame_bytes, fragment.frame_begin);
    for (std::size_t k = 0; k < callee.parameters.size(); ++k) {
      const Parameter& parameter = callee.parameters[k];
      copy_parameter(frame, caller_frame + instruction.arguments[k], fragment.frame_begin + parameter.offset,
                     parameter.bytes);
    }
  });
  return true;
}

bool Machine::return_from(Warp& warp, Fragment& fragment, u32 lanes) {
  pass_others(warp, fragment, lanes);
  if (fragment.returns.empty()) return end(warp, fragment, lanes);
  const Function& callee = *fragment.function;
  const u64 callee_frame = fragment.frame_begin;
  const Return back = fragment.returns.back();
  fragment.returns.pop_back();
  fragment.function = back.function;
  fragment.next = back.call + 1;
  fragment.first_register = back.first_register;
  fragment.local_begin = back.local_begin;
  fragment.frame_begin = back.frame_begin;
  const Instruction& call = back.function->code[static_cast<std::size_t>(back.call)];
  if (call.result < 0) return true;
  for_each_lane(lanes, [&](u32 lane) {
    copy_parameter(warp.frame[lane], callee_frame + callee.result.offset,
                   back.frame_begin + static_cast<u64>(call.result), callee.result.bytes);
  });
  return true;
}

/// Ends threads in any function.
bool Machine::end(Warp& warp, Fragment& fragment, u32 lanes) {
  pass_others(warp, fragment, lanes);
  // Other lanes may have waited for these.
  open_warp_barriers(warp);
  return false;
}

bool Machine::wait_for_block(Warp& warp, Fragment& fragment, u32 lanes) {
  pass_others(warp, fragment, lanes);
  fragment.state = FragmentState::at_block_barrier;
  warp.fragments.push_back(std::move(fragment));
  return false;
}

/// A barrier of a warp, a shuffle or a vote: waits for the lanes in its mask, which is the last operand.
bool Machine::wait_for_warp(Warp& warp, Fragment& fragment, const Instruction& instruction, u32 lanes) {
  pass_others(warp, fragment, lanes);
  const Operand& mask = instruction.from.back();
  const Step step{*this, warp, fragment, instruction, lanes};
  Lanes space;
  const Lanes masks = values(step, mask, space);
  const auto first = static_cast<u32>(__builtin_ctz(lanes));
  u32 agreeing = 0;
  for_each_lane(lanes, [&](u32 lane) {
    if (undefined_bits(step, mask, lane) != 0) report(Fault::undefined_operand, step, lane, "its mask");
    if ((masks[lane] >> lane & 1) == 0) report(Fault::not_in_mask, step, lane);
    if (masks[lane] == masks[first]) agreeing |= 1u << lane;
  });
  // Lanes that gave other masks wait apart.
  if (agreeing != lanes) warp.fragments.push_back(split(fragment, lanes & ~agreeing));
  fragment.awaited_lanes = static_cast<u32>(masks[first]) & warp.lanes;
  fragment.state = FragmentState::at_warp_barrier;
  warp.fragments.push_back(std::move(fragment));
  open_warp_barriers(warp);
  return false;
}

}  // namespace device_code
