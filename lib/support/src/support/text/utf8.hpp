// Validates UTF-8 and truncates it without splitting a character.
#pragma once

#include <cstddef>
#include <string_view>

namespace octavo {

/// Length of the well-formed character at the start of a text that is not empty; 0 if there is none (Unicode, table
/// 3-7).
std::size_t leading_character_bytes(std::string_view text);

/// Whether `text` is well-formed UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF.
bool is_utf8(std::string_view text);

/// Returns the longest prefix of `text` with at most `most_bytes` that does not end inside a character.
std::string_view cut_utf8(std::string_view text, std::size_t most_bytes);

}  // namespace octavo
