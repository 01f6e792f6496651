#include "old_spellings.hpp"

#include <string_view>

namespace octavo::tools {
namespace {

struct OldSpelling {
  std::string_view old_name, name;
};
constexpr OldSpelling kOldSpellings[] = {
    {"--normalise", "--normalize"},  // 0.1
};

std::string with_present_spelling(std::string_view argument) {
  const std::string_view name = argument.substr(0, argument.find('='));
  for (const OldSpelling& spelling : kOldSpellings) {
    if (name == spelling.old_name) return std::string(spelling.name) + std::string(argument.substr(name.size()));
  }
  return std::string(argument);
}

}  // namespace

std::vector<std::string> with_present_spellings(int argument_count, const char* const* arguments) {
  std::vector<std::string> present;
  for (int i = 0; i < argument_count; ++i) present.push_back(with_present_spelling(arguments[i]));
  return present;
}

}  // namespace octavo::tools
