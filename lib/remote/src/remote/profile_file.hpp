// The files of settings in ~/.aws.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace octavo::remote {

/// The settings of each profile, by name.
using Profiles = std::map<std::string, std::map<std::string, std::string>>;

/// Parses "[name]" or "[profile name]" and "key = value" lines. Skips lines that are neither, comments and nested
/// settings, as the programs of AWS do.
Profiles parse_profiles(std::string_view text);

}  // namespace octavo::remote
