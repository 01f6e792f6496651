#include "machine/compute.hpp"

#include "machine/lane_loops.hpp"

namespace device_code {

void compute(const Step& step) {
  const Instruction& i = step.instruction;
  if (i.type.kind == TypeKind::predicate) return compute_predicate(step);
  switch (i.op) {
    case Op::mov:
      return compute_move(step);
    case Op::createpolicy:
      return for_bits<1>(step, [](u64 a) { return a; });
    case Op::cvta:
      return compute_address(step);
    case Op::cvt:
      return compute_conversion(step);
    case Op::setp:
      return compute_comparison(step);
    case Op::selp:
      return compute_selection(step);
    default:
      return i.type.is_real() ? compute_reals(step) : compute_integers(step);
  }
}

}  // namespace device_code
