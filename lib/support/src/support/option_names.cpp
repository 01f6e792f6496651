#include <octavo/option_names.hpp>

#include <algorithm>

namespace octavo {
namespace {

/// Calls spell(option, value) for each option in the message, and replaces it by the result. Other text in backquotes
/// stays.
template <typename Spell>
std::string with_options(std::string_view message, const Spell& spell) {
  std::string text;
  while (true) {
    const std::size_t begin = message.find('`');
    const std::size_t end = begin == std::string_view::npos ? begin : message.find('`', begin + 1);
    if (end == std::string_view::npos) return text.append(message);
    const std::string_view quoted = message.substr(begin + 1, end - begin - 1);
    const std::size_t equals = std::min(quoted.find('='), quoted.size());
    const auto option = std::ranges::find(kOptionNames, quoted.substr(0, equals), &OptionName::id);
    if (option == kOptionNames.end()) {
      text.append(message.substr(0, begin + 1));  // the second backquote may begin an option
      message.remove_prefix(begin + 1);
      continue;
    }
    text.append(message.substr(0, begin)).append(spell(*option, quoted.substr(std::min(equals + 1, quoted.size()))));
    message.remove_prefix(end + 1);
  }
}

/// Shells replace braces and stars.
std::string quoted_for_shell(std::string_view value) {
  const bool is_plain = value.find_first_of("{}* ") == std::string_view::npos;
  return is_plain ? std::string(value) : "'" + std::string(value) + "'";
}

std::string on_command_line(const OptionName& option, std::string_view value) {
  if (option.command_line.empty()) return std::string(option.id) + (value.empty() ? "" : "=") + std::string(value);
  return std::string(option.command_line) + (value.empty() ? "" : " ") + quoted_for_shell(value);
}

}  // namespace

std::string with_command_line_options(std::string_view message) { return with_options(message, on_command_line); }

std::string with_python_options(std::string_view message) {
  return with_options(message, [](const OptionName& option, std::string_view value) {
    const bool is_number = value.find_first_not_of("0123456789") == std::string_view::npos;
    return std::string(option.python) + "=" + (is_number ? std::string(value) : '"' + std::string(value) + '"');
  });
}

}  // namespace octavo
