// Short texts in dataset files that are shown to people, such as class names.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace octavo {

inline constexpr std::size_t kMostNameBytes = 255;

/// Returns what is wrong with a short text (at most kMostNameBytes, UTF-8, no control characters), or nothing. The
/// result follows the word "is".
std::optional<std::string> text_problem(std::string_view text);

}  // namespace octavo
