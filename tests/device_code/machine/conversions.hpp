// The values of cvt.
#pragma once

#include "ptx/instruction.hpp"

namespace device_code {

/// Whether converted() knows the types and the rounding of a conversion.
bool is_known_conversion(const Instruction& instruction);

/// The bits of `value` after a conversion to or from a float; `second` is the lower half of a pair.
u64 converted(const Instruction& instruction, u64 value, u64 second);

/// Whether a conversion from a float to an integer depends on the processor: C++ leaves it undefined, PTX saturates.
bool is_out_of_range(const Instruction& instruction, u64 value);

}  // namespace device_code
