#include "support/text/short_text.hpp"

#include "support/text/utf8.hpp"

namespace octavo {

std::optional<std::string> text_problem(std::string_view text) {
  if (text.size() > kMostNameBytes) return "longer than " + std::to_string(kMostNameBytes) + " bytes";
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) return "not free of control characters";
  }
  if (!is_utf8(text)) return "not UTF-8";
  return std::nullopt;
}

}  // namespace octavo
