// The entries of the mask colors of a user, and the classes that they give.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <octavo/mask_colors.hpp>

namespace octavo {

/// One color, before its class has a number.
struct MaskColorEntry {
  std::string where;  ///< "line 3", for messages
  MaskColor color = {};
  std::string class_text;  ///< a number or a name
  std::string name;        ///< of a class that has a number; empty: unknown
};

/// A row of a table of colors.
struct MaskColorRow {
  std::string where;
  MaskColor color = {};
  std::vector<std::string> cells;  ///< of the columns about classes; empty: unknown
};

/// "#RRGGBB", or three numbers from 0 to 255 with commas or blanks between them.
std::optional<MaskColor> mask_color_in(std::string_view text);
/// Three numbers from 0 to 255.
std::optional<MaskColor> mask_color_of(std::string_view red, std::string_view green, std::string_view blue);

/// Whether the text is a number, also one that no class can have, such as "-1", "7.0" or "99999999999".
bool is_number_text(std::string_view text);

/// Whether a column of this name, in lower case, has numbers or names of classes.
bool is_class_column(std::string_view name);

/// The entries of a table, whose columns have names of is_class_column(). A column of numbers has the classes, and one
/// of text their names. Throws FormatError if there are several of either.
std::vector<MaskColorEntry> entries_of_table(const std::vector<std::string>& columns,
                                             const std::vector<MaskColorRow>& rows);

/// Numbers the classes. Throws FormatError with the entry that is wrong.
MaskColors colors_of(const std::vector<MaskColorEntry>& entries);

[[noreturn]] void refuse_entry(const std::string& where, const std::string& problem);

}  // namespace octavo
