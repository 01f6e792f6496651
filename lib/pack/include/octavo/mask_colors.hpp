// The classes that the colors of masks stand for.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace octavo {

/// The mask value of pixels that training usually ignores.
inline constexpr std::uint8_t kIgnoredMaskValue = 255;

using MaskColor = std::array<std::uint8_t, 3>;  ///< RGB

/// A table from the colors of masks to class numbers.
struct MaskColors {
  std::map<MaskColor, std::uint8_t> classes;
  std::map<int, std::string> names;  ///< of classes; empty: unknown

  bool empty() const { return classes.empty(); }
};

/// Reads a file with a color and its class in each line, a CSV file with the columns r, g and b, or color, or a JSON
/// file; docs/sources.md describes them. Classes are all numbers, 0 to 255, which may have names, or all names, which
/// are numbered in their order in the file; next to names, 255 stands for pixels to ignore. Throws IoError if the file
/// cannot be read, FormatError with the line or entry that is wrong.
MaskColors read_mask_colors(const std::filesystem::path& path);

/// The same for colors and their classes, numbers or names, in order. Throws InvalidArgument with the color that is
/// wrong.
MaskColors make_mask_colors(const std::vector<std::pair<MaskColor, std::string>>& classes);

/// "#RRGGBB".
std::string to_string(const MaskColor& color);

}  // namespace octavo
