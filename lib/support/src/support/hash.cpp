#include "support/hash.hpp"

#include <cinttypes>
#include <cstdio>

namespace octavo {

std::string to_hex(std::uint64_t value) {
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016" PRIx64, value);
  return digits;
}

}  // namespace octavo
