// Validates UTF-8 and truncates it without splitting a character.
#pragma once

#include <cstddef>
#include <string_view>

namespace octavo {

/// Whether `text` is well-formed UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF.
bool is_utf8(std::string_view text);

/// Returns the longest prefix of `text` with at most `most_bytes` that does not end inside a character.
std::string_view cut_utf8(std::string_view text, std::size_t most_bytes);

}  // namespace octavo
