// Short texts that are shown to people and stored in dataset files, such as class names.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace octavo {

inline constexpr std::size_t kMostNameBytes = 255;

/// What is wrong with a short text (kMostNameBytes at most, UTF-8, no control characters), or nothing.
std::optional<std::string> text_problem(std::string_view text);

}  // namespace octavo
