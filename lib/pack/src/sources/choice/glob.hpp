// Matching names with shell patterns.
#pragma once

#include <string>

namespace octavo::sources {

/// Whether all of `text` matches `pattern`: * matches any characters including '/', ? matches one character, [a-z] and
/// [!a-z] match one of a set, and a backslash escapes the next character.
bool matches_glob(const std::string& pattern, const std::string& text);

}  // namespace octavo::sources
