// What a set must be like, so that nothing is written outside of its folder and every file can be checked.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <octavo/fetch.hpp>

namespace octavo::fetching {

/// What is wrong with a set, such as "files[0].md5 is not 32 hex digits"; nothing if it can be fetched.
std::optional<std::string> set_problem(const RemoteSet& set);

/// What is wrong with an address, such as "begins with neither http:// nor https://".
std::optional<std::string> address_problem(std::string_view address);

}  // namespace octavo::fetching
