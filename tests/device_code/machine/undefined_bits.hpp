// How undefined bits spread: which bits of a result depend on undefined bits of the operands.
#pragma once

#include <array>

#include "ptx/instruction.hpp"

namespace device_code {

struct OperandBits {
  u64 value = 0, undefined = 0;
};

/// The undefined bits of the result of an instruction, which has `result_bits` bits. Where an operation mixes bits,
/// this may include bits that do not depend on undefined ones.
u64 undefined_result(const Instruction& instruction, unsigned result_bits, const std::array<OperandBits, 4>& operands);

}  // namespace device_code
