#include "remote/profile_file.hpp"

#include <algorithm>

#include <octavo/text.hpp>

#include "support/text/ascii.hpp"

namespace octavo::remote {
namespace {

constexpr std::string_view kProfilePrefix = "profile ";

/// The name in "[profile name]"; empty for sections of other kinds, such as [sso-session name].
std::string profile_in(std::string_view section) {
  section = trimmed(section.substr(0, section.find(']')));
  if (section.starts_with(kProfilePrefix)) return std::string(trimmed(section.substr(kProfilePrefix.size())));
  return section.find_first_of(" \t") == std::string_view::npos ? std::string(section) : "";
}

std::string_view without_comment(std::string_view value) {
  for (const std::string_view mark : {" #", " ;", "\t#", "\t;"}) value = value.substr(0, value.find(mark));
  return trimmed(value);
}

}  // namespace

Profiles parse_profiles(std::string_view text) {
  Profiles profiles;
  std::string profile;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.starts_with('[')) {
      profile = profile_in(line.substr(1));
      if (!profile.empty()) profiles[profile];
      continue;
    }
    const bool is_nested = line.starts_with(' ') || line.starts_with('\t');
    const std::size_t equals = line.find('=');
    if (is_nested || profile.empty() || line.starts_with('#') || line.starts_with(';') ||
        equals == std::string_view::npos) {
      continue;
    }
    const std::string key = lower_case(trimmed(line.substr(0, equals)));
    if (!key.empty()) profiles[profile][key] = without_comment(line.substr(equals + 1));
  }
  return profiles;
}

}  // namespace octavo::remote
