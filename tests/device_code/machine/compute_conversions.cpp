// cvt, for each lane.
#include "machine/bit_operations.hpp"
#include "machine/compute.hpp"
#include "machine/conversions.hpp"
#include "machine/lane_loops.hpp"

namespace device_code {
namespace {

/// A signed number repeats its sign in a register that is wider than its type.
u64 widened(Type type, u64 register_mask, u64 number) {
  return type.is_signed() ? sign_extended(number, type.bits) & register_mask : number;
}

void convert_integers(const Step& step, u64 register_mask) {
  const Type to = step.instruction.type, from = step.instruction.from_type;
  if (!to.is_signed() && !from.is_signed()) {
    return for_bits<1>(step, [mask = from.mask() & to.mask()](u64 a) { return a & mask; });
  }
  for_bits<1>(step, [=](u64 a) {
    const u64 number = from.is_signed() ? sign_extended(a, from.bits) : a & from.mask();
    return widened(to, register_mask, number & to.mask());
  });
}

}  // namespace

void compute_conversion(const Step& step) {
  const Instruction& i = step.instruction;
  if (!is_known_conversion(i)) fail_unknown(i);
  if (i.from.size() > 1) {
    return for_bits<2>(step, [&](u64 a, u64 b) { return converted(i, a, b); });
  }
  const u64 register_mask = low_bits(step.fragment.function->register_bits[i.to.at(0).value]);
  if (i.type.is_integer() && i.from_type.is_integer()) return convert_integers(step, register_mask);
  Lanes space;
  const Lanes& values = step.machine.values(step, i.from[0], space);
  for_each_lane(step.lanes, [&](u32 lane) {
    if (is_out_of_range(i, values[lane]) && Machine::undefined_bits(step, i.from[0], lane) == 0) {
      step.machine.report(Fault::conversion_range, step, lane);
    }
  });
  for_bits<1>(step, [&](u64 a) { return widened(i.type, register_mask, converted(i, a, 0)); });
}

}  // namespace device_code
