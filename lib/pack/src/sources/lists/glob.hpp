// Matching names with shell patterns.
#pragma once

#include <string>

namespace octavo::sources {

/// Whether all of `text` matches `pattern`: * stands for any characters, also '/', ? for one, [a-z] and [!a-z] for one
/// of some, and a backslash takes away the meaning of the character after it.
bool matches_glob(const std::string& pattern, const std::string& text);

}  // namespace octavo::sources
