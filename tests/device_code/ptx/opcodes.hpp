// The opcodes that the machine knows: their names, modifiers and kinds of operands.
#pragma once

#include <optional>
#include <string_view>

#include "ptx/instruction.hpp"

namespace device_code {

/// How the operands of an opcode are written.
enum class Form {
  value,      ///< to, from...
  pair,       ///< to|to, from...: setp, shfl
  load,       ///< to, [address]
  store,      ///< [address], from
  atomic,     ///< to, [address], from...
  reduction,  ///< [address], from
  branch,     ///< label
  call,       ///< (result), function, (arguments)
  operands,   ///< from...: barriers
  none,
};

/// The type of a name such as "u32".
std::optional<Type> find_type(std::string_view name);

/// Sets the opcode and modifiers of `instruction` from a word such as "ld.global.nc.v4.u32"; `vector_length` gets the
/// number of elements. Throws std::runtime_error for an unknown opcode or modifier, which it names.
Form decode_opcode(std::string_view word, Instruction& instruction, int& vector_length);

}  // namespace device_code
