// How undefined bits spread: which bits of a result depend on undefined bits of the operands.
#pragma once

#include <array>

#include "ptx/instruction.hpp"

namespace device_code {

struct OperandBits {
  u64 value = 0, undefined = 0;
};

/// The undefined bits of the result of an instruction, of `result_bits` bits. It may name bits that happen not to
/// depend on the operands, but only where the operation mixes bits.
u64 undefined_result(const Instruction& instruction, unsigned result_bits, const std::array<OperandBits, 4>& operands);

}  // namespace device_code
