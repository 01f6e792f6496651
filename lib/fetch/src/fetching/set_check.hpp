// Checks that a set writes nothing outside of its folder and that every file has a checksum.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <octavo/fetch.hpp>

namespace octavo::fetching {

/// What is wrong with a set, such as "files[0].md5 is not 32 hex digits"; empty if it is valid.
std::optional<std::string> set_problem(const RemoteSet& set);

/// What is wrong with a URL, such as "begins with neither http:// nor https://"; empty if it is valid.
std::optional<std::string> address_problem(std::string_view address);

}  // namespace octavo::fetching
