#include "machine/lane_loops.hpp"

#include <array>
#include <stdexcept>
#include <string>

#include "machine/undefined_bits.hpp"

namespace device_code {
namespace {

/// The value of an operand in a lane: of a predicate, or one of `values`.
u64 value_in(const Step& step, const Operand& operand, const Lanes& values, u32 lane) {
  const bool is_predicate =
      operand.kind == Operand::Kind::reg && step.fragment.function->register_bits[operand.value] == 1;
  return is_predicate ? step.warp.registers.predicate(step.register_of(operand)) >> lane & 1 : values[lane];
}

}  // namespace

void fail_unknown(const Instruction& i) {
  throw std::runtime_error("PTX line " + std::to_string(i.ptx_line) + ": the machine does not know \"" + i.text + "\"");
}

void mark_undefined(const Step& step, const Operand& to) {
  u32 lanes = 0;
  for (const Operand& operand : step.instruction.from) lanes |= Machine::undefined_lanes(step, operand);
  lanes &= step.lanes;
  const std::size_t reg = step.register_of(to);
  if (lanes == 0) return step.warp.registers.define(reg, step.lanes);
  const unsigned bits = step.fragment.function->register_bits[to.value];
  std::array<Lanes, 4> spaces;
  std::array<const Lanes*, 4> values{};
  for (std::size_t k = 0; k < step.instruction.from.size() && k < 4; ++k) {
    values[k] = &step.machine.values(step, step.instruction.from[k], spaces[k]);
  }
  for_each_lane(step.lanes, [&](u32 lane) {
    std::array<OperandBits, 4> operands;
    for (std::size_t k = 0; k < 4 && values[k] != nullptr; ++k) {
      const Operand& operand = step.instruction.from[k];
      operands[k] = {value_in(step, operand, *values[k], lane), Machine::undefined_bits(step, operand, lane)};
    }
    step.warp.registers.set_undefined_bits(reg, lane, undefined_result(step.instruction, bits, operands));
  });
}

}  // namespace device_code
