#include "help/terminal_width.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>

namespace octavo::tools {
namespace {

/// 0 if there is no such number.
std::size_t columns_in_environment() {
  const char* const text = std::getenv("COLUMNS");
  if (text == nullptr) return 0;
  const std::string_view digits = text;
  std::size_t columns = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), columns);
  return error == std::errc() && end == digits.data() + digits.size() ? columns : 0;
}

/// 0 if stdout is not a terminal, or its width is unknown.
std::size_t columns_of_terminal() {
  winsize size{};
  return ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

}  // namespace

std::size_t terminal_width() {
  constexpr std::size_t kLeast = 40, kUsual = 80, kMost = 100;
  std::size_t columns = columns_in_environment();
  if (columns == 0) columns = columns_of_terminal();
  return columns == 0 ? kUsual : std::clamp(columns, kLeast, kMost);
}

}  // namespace octavo::tools
