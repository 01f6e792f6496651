#include "fetching/digest.hpp"

namespace octavo::fetching {

const char* name_of(DigestKind kind) { return kind == DigestKind::md5 ? "MD5" : "SHA-256"; }

std::string hex_digits(std::span<const unsigned char> bytes) {
  constexpr const char* kHexDigits = "0123456789abcdef";
  std::string digits;
  for (const unsigned char byte : bytes) {
    digits += kHexDigits[byte >> 4];
    digits += kHexDigits[byte & 15];
  }
  return digits;
}

}  // namespace octavo::fetching
