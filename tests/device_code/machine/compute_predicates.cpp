// Predicates: their logic, comparisons that set them, and selection by them.
#include <cmath>
#include <type_traits>

#include "machine/bit_operations.hpp"
#include "machine/compute.hpp"
#include "machine/lane_loops.hpp"

namespace device_code {
namespace {

u32 predicate_of(const Step& step, const Operand& operand) {
  if (operand.kind == Operand::Kind::constant) return operand.value != 0 ? kAllLanes : 0;
  return step.warp.registers.predicate(step.register_of(operand));
}

void set_predicate(const Step& step, const Operand& to, u32 value) {
  step.warp.registers.set_predicate(step.register_of(to), step.lanes, value);
}

template <typename Number>
bool compare(Comparison comparison, Number a, Number b) {
  bool is_unordered = false;
  if constexpr (std::is_floating_point_v<Number>) is_unordered = std::isnan(a) || std::isnan(b);
  switch (comparison) {
    case Comparison::eq:
      return !is_unordered && a == b;
    case Comparison::ne:
      return !is_unordered && a != b;
    case Comparison::lt:
      return !is_unordered && a < b;
    case Comparison::le:
      return !is_unordered && a <= b;
    case Comparison::gt:
      return !is_unordered && a > b;
    case Comparison::ge:
      return !is_unordered && a >= b;
    case Comparison::equ:
      return is_unordered || a == b;
    case Comparison::neu:
      return is_unordered || a != b;
    case Comparison::ltu:
      return is_unordered || a < b;
    case Comparison::leu:
      return is_unordered || a <= b;
    case Comparison::gtu:
      return is_unordered || a > b;
    case Comparison::geu:
      return is_unordered || a >= b;
    case Comparison::num:
      return !is_unordered;
    case Comparison::nan:
      return is_unordered;
  }
  return false;
}

template <typename Number>
u32 compared(const Step& step) {
  const Instruction& i = step.instruction;
  Lanes spaces[2];
  const Lanes& a = step.machine.values(step, i.from[0], spaces[0]);
  const Lanes& b = step.machine.values(step, i.from[1], spaces[1]);
  u32 result = 0;
  for_each_lane(step.lanes, [&](u32 lane) {
    const auto number = [&](u64 bits) { return number_of<Number>(i.flushes_denormals ? flushed_bits(bits) : bits); };
    const bool is_true = compare(i.comparison, number(a[lane]), number(b[lane]));
    result |= static_cast<u32>(is_true) << lane;
  });
  return result;
}

}  // namespace

void compute_predicate(const Step& step) {
  const Instruction& i = step.instruction;
  const u32 a = predicate_of(step, i.from[0]), b = i.from.size() > 1 ? predicate_of(step, i.from[1]) : 0;
  mark_undefined(step, i.to[0]);
  switch (i.op) {
    case Op::mov:
      return set_predicate(step, i.to[0], a);
    case Op::not_:
      return set_predicate(step, i.to[0], ~a);
    case Op::and_:
      return set_predicate(step, i.to[0], a & b);
    case Op::or_:
      return set_predicate(step, i.to[0], a | b);
    case Op::xor_:
      return set_predicate(step, i.to[0], a ^ b);
    default:
      fail_unknown(i);
  }
}

void compute_comparison(const Step& step) {
  const Instruction& i = step.instruction;
  if (i.from.size() != 2) fail_unknown(i);
  u32 result = 0;
  if (i.type == Type{TypeKind::real, 32})
    result = compared<float>(step);
  else if (i.type == Type{TypeKind::real, 64})
    result = compared<double>(step);
  else
    with_integer(i, [&](auto number) { result = compared<decltype(number)>(step); });
  for (const Operand& to : i.to) {
    if (to.kind == Operand::Kind::reg) mark_undefined(step, to);
  }
  set_predicate(step, i.to[0], result);
  if (i.to.size() > 1 && i.to[1].kind == Operand::Kind::reg) set_predicate(step, i.to[1], ~result);
}

void compute_selection(const Step& step) {
  const Instruction& i = step.instruction;
  const u32 condition = predicate_of(step, i.from[2]);
  mark_undefined(step, i.to[0]);
  Lanes spaces[2];
  const Lanes& a = step.machine.values(step, i.from[0], spaces[0]);
  const Lanes& b = step.machine.values(step, i.from[1], spaces[1]);
  Lanes& to = step.warp.registers.values(step.register_of(i.to[0]));
  for_each_lane(step.lanes, [&](u32 lane) { to[lane] = (condition >> lane & 1) != 0 ? a[lane] : b[lane]; });
}

}  // namespace device_code
