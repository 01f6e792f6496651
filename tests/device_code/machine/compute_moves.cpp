// Moves of values between registers, and addresses of one byte in two memories.
#include "machine/compute.hpp"
#include "machine/lane_loops.hpp"

namespace device_code {
namespace {

/// mov.b32 %r1, {%rs1, %rs2}.
void pack(const Step& step) {
  const Instruction& i = step.instruction;
  const unsigned bits = i.type.bits / static_cast<unsigned>(i.from.size());
  Lanes values{}, undefined{};
  for (std::size_t k = 0; k < i.from.size(); ++k) {
    Lanes space;
    const Lanes& part = step.machine.values(step, i.from[k], space);
    for_each_lane(step.lanes, [&](u32 lane) {
      values[lane] |= (part[lane] & low_bits(bits)) << (k * bits);
      undefined[lane] |= (Machine::undefined_bits(step, i.from[k], lane) & low_bits(bits)) << (k * bits);
    });
  }
  const std::size_t reg = step.register_of(i.to[0]);
  for_each_lane(step.lanes, [&](u32 lane) {
    step.warp.registers.values(reg)[lane] = values[lane];
    step.warp.registers.set_undefined_bits(reg, lane, undefined[lane]);
  });
}

/// mov.b32 {%rs1, %rs2}, %r1.
void unpack(const Step& step) {
  const Instruction& i = step.instruction;
  const unsigned bits = i.type.bits / static_cast<unsigned>(i.to.size());
  Lanes space;
  const Lanes whole = step.machine.values(step, i.from[0], space);
  Lanes undefined{};
  for_each_lane(step.lanes, [&](u32 lane) { undefined[lane] = Machine::undefined_bits(step, i.from[0], lane); });
  for (std::size_t k = 0; k < i.to.size(); ++k) {
    if (i.to[k].kind != Operand::Kind::reg) continue;
    const std::size_t reg = step.register_of(i.to[k]);
    for_each_lane(step.lanes, [&](u32 lane) {
      step.warp.registers.values(reg)[lane] = whole[lane] >> (k * bits) & low_bits(bits);
      step.warp.registers.set_undefined_bits(reg, lane, undefined[lane] >> (k * bits) & low_bits(bits));
    });
  }
}

}  // namespace

void compute_move(const Step& step) {
  if (step.instruction.from.size() > 1) return pack(step);
  if (step.instruction.to.size() > 1) return unpack(step);
  for_bits<1>(step, [](u64 a) { return a; });
}

void compute_address(const Step& step) {
  const Instruction& i = step.instruction;
  const u64 window = i.space == Space::shared      ? kSharedWindow
                     : i.space == Space::local     ? kLocalWindow
                     : i.space == Space::parameter ? kParameterWindow
                                                   : 0;
  // Addresses of parameters have their window already.
  const u64 added = i.space == Space::parameter ? 0 : i.to_generic ? window : 0 - window;
  if (!i.to_generic) {
    Lanes space;
    const Lanes& addresses = step.machine.values(step, i.from[0], space);
    for_each_lane(step.lanes, [&](u32 lane) {
      const bool is_undefined = Machine::undefined_bits(step, i.from[0], lane) != 0;
      if (!is_undefined && window != 0 && (addresses[lane] & kWindowMask) != window) {
        step.machine.report(Fault::wrong_space, step, lane);
      }
    });
  }
  for_bits<1>(step, [added](u64 a) { return a + added; });
}

}  // namespace device_code
