// Names of registers and variables, and the operands that they stand for.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "ptx/instruction.hpp"

namespace device_code {

/// Registers that are declared together: %r<12>.
struct RegisterFamily {
  u64 first, count;
};

/// The names that a block in braces declares.
struct Scope {
  std::unordered_map<std::string_view, Operand> symbols;
  std::unordered_map<std::string_view, RegisterFamily> families;

  std::optional<Operand> find(std::string_view name) const {
    if (const auto found = symbols.find(name); found != symbols.end()) return found->second;
    // %r12 is register 12 of the family %r.
    const std::size_t digits = name.find_last_not_of("0123456789") + 1;
    const auto family = families.find(name.substr(0, digits));
    if (family == families.end() || digits == name.size()) return std::nullopt;
    const u64 number = std::strtoull(std::string(name.substr(digits)).c_str(), nullptr, 10);
    if (number >= family->second.count) return std::nullopt;
    return Operand{Operand::Kind::reg, family->second.first + number};
  }
};

}  // namespace device_code
