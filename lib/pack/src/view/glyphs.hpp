// A small font: the printable ASCII characters, 5x7 pixels each.
#pragma once

#include <cstdint>

namespace octavo::view {

inline constexpr std::int64_t kGlyphWidth = 5;
inline constexpr std::int64_t kGlyphHeight = 7;

/// Whether pixel (x, y) of a character is drawn, counted from its upper left corner; x in [0, kGlyphWidth), y in
/// [0, kGlyphHeight). A character that is not printable ASCII is an empty box.
bool is_inked(char character, std::int64_t x, std::int64_t y);

}  // namespace octavo::view
