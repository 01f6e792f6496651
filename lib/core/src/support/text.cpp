#include <octavo/text.hpp>

#include <algorithm>

namespace octavo {
namespace {

bool is_letter_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

}  // namespace

std::string printable(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7F; }, '?');
  return text;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::string either_of(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == names.size() ? " or " : ", ") + names[i];
  }
  return text;
}

bool is_split_name(std::string_view name) {
  if (name.empty() || name.size() > 64 || !is_letter_or_digit(name.front())) return false;
  for (const char c : name) {
    if (!is_letter_or_digit(c) && c != '_' && c != '.' && c != '-') return false;
  }
  return name != "index" && name != "classes" && name != "provenance";
}

}  // namespace octavo
