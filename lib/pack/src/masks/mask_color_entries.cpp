#include "masks/mask_color_entries.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include <octavo/errors.hpp>
#include <octavo/text.hpp>

#include "support/text/ascii.hpp"

namespace octavo {
namespace {

constexpr std::array<std::string_view, 3> kNameColumns = {"name", "class_name", "label_name"};
constexpr std::array<std::string_view, 5> kOtherClassColumns = {"class", "id", "index", "value", "label"};

std::optional<int> number_in(std::string_view text, int base = 10) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// A part of a color, 0 to 255.
std::optional<std::uint8_t> level_in(std::string_view text) {
  const auto number = number_in(text);
  if (!number || *number < 0 || *number > 255) return std::nullopt;
  return static_cast<std::uint8_t>(*number);
}

/// "#RRGGBB".
std::optional<MaskColor> hex_color(std::string_view text) {
  if (text.size() != 7 || text[0] != '#') return std::nullopt;
  MaskColor color;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::string_view digits = text.substr(1 + 2 * i, 2);
    const auto level = digits.find_first_of("+-") == std::string_view::npos ? number_in(digits, 16) : std::nullopt;
    if (!level) return std::nullopt;
    color[i] = static_cast<std::uint8_t>(*level);
  }
  return color;
}

/// The parts between commas or blanks.
std::vector<std::string_view> parts_of(std::string_view text) {
  std::vector<std::string_view> parts;
  while (!(text = trimmed(text)).empty()) {
    const std::size_t end = std::min(text.find_first_of(", \t"), text.size());
    parts.push_back(text.substr(0, end));
    text = trimmed(text.substr(end));
    if (!text.empty() && text[0] == ',') text.remove_prefix(1);
  }
  return parts;
}

/// The columns that have the classes and their names.
struct ClassColumns {
  std::optional<std::size_t> numbers, names;
};

/// Whether all cells that are not empty are numbers; nothing if all are empty.
std::optional<bool> has_numbers(const std::vector<MaskColorRow>& rows, std::size_t column) {
  std::optional<bool> found;
  for (const MaskColorRow& row : rows) {
    if (!row.cells[column].empty()) found = found.value_or(true) && is_number_text(row.cells[column]);
  }
  return found;
}

ClassColumns class_columns(const std::vector<std::string>& columns, const std::vector<MaskColorRow>& rows) {
  ClassColumns chosen;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const auto are_numbers = has_numbers(rows, i);
    if (!are_numbers) continue;
    // Names may consist of digits.
    const bool is_of_numbers = *are_numbers && std::ranges::find(kNameColumns, columns[i]) == kNameColumns.end();
    auto& role = is_of_numbers ? chosen.numbers : chosen.names;
    if (role) {
      throw FormatError("the columns \"" + columns[*role] + "\" and \"" + columns[i] + "\" both have class " +
                        (is_of_numbers ? "numbers" : "names") + "; keep one of them");
    }
    role = i;
  }
  return chosen;
}

/// Numbers names in their order.
class ClassNumbers {
 public:
  std::uint8_t of(const MaskColorEntry& entry) {
    const auto number = number_in(entry.class_text);
    const bool is_ignored = number == kIgnoredMaskValue;
    if (entry.class_text.empty()) refuse_entry(entry.where, "it has no class");
    if (number ? *number < 0 || *number > 255 : is_number_text(entry.class_text)) {
      refuse_entry(entry.where, "class " + printable(entry.class_text) + " is not a whole number from 0 to 255");
    }
    if (!is_ignored) {
      if (has_kind_ && is_of_numbers_ != number.has_value()) {
        refuse_entry(entry.where,
                     "class \"" + printable(entry.class_text) + "\" is a " + (number ? "number" : "name") +
                         ", earlier ones are not; use numbers for all classes, or names (and 255 for pixels to "
                         "ignore)");
      }
      has_kind_ = true;
      is_of_numbers_ = number.has_value();
    }
    if (number) return static_cast<std::uint8_t>(*number);
    const auto known = std::ranges::find(names_, entry.class_text);
    if (known == names_.end() && names_.size() == kIgnoredMaskValue)
      refuse_entry(entry.where, "it is the 256th class name");
    const auto at = known - names_.begin();
    if (known == names_.end()) names_.push_back(entry.class_text);
    return static_cast<std::uint8_t>(at);
  }

  const std::vector<std::string>& names() const { return names_; }

 private:
  bool has_kind_ = false, is_of_numbers_ = false;
  std::vector<std::string> names_;
};

}  // namespace

void refuse_entry(const std::string& where, const std::string& problem) { throw FormatError(where + ": " + problem); }

std::optional<MaskColor> mask_color_in(std::string_view text) {
  if (const auto color = hex_color(text)) return color;
  const auto parts = parts_of(text);
  return parts.size() == 3 ? mask_color_of(parts[0], parts[1], parts[2]) : std::nullopt;
}

std::optional<MaskColor> mask_color_of(std::string_view red, std::string_view green, std::string_view blue) {
  const auto r = level_in(red), g = level_in(green), b = level_in(blue);
  if (!r || !g || !b) return std::nullopt;
  return MaskColor{*r, *g, *b};
}

bool is_number_text(std::string_view text) {
  if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
  const auto has_any = [&](std::string_view characters) { return text.find_first_of(characters) != text.npos; };
  return has_any("0123456789") && text.find_first_not_of("0123456789.") == text.npos &&
         std::ranges::count(text, '.') <= 1;
}

bool is_class_column(std::string_view name) {
  return std::ranges::find(kNameColumns, name) != kNameColumns.end() ||
         std::ranges::find(kOtherClassColumns, name) != kOtherClassColumns.end();
}

std::vector<MaskColorEntry> entries_of_table(const std::vector<std::string>& columns,
                                             const std::vector<MaskColorRow>& rows) {
  const auto [numbers, names] = class_columns(columns, rows);
  std::vector<MaskColorEntry> entries;
  for (const MaskColorRow& row : rows) {
    const std::string name = names ? row.cells[*names] : "";
    entries.push_back({row.where, row.color, numbers ? row.cells[*numbers] : name, numbers ? name : ""});
  }
  return entries;
}

MaskColors colors_of(const std::vector<MaskColorEntry>& entries) {
  MaskColors colors;
  ClassNumbers numbers;
  for (const MaskColorEntry& entry : entries) {
    const std::uint8_t number = numbers.of(entry);
    const auto [known, is_new] = colors.classes.try_emplace(entry.color, number);
    if (!is_new && known->second != number) {
      refuse_entry(entry.where, "the color " + to_string(entry.color) + " already has another class");
    }
    if (!entry.name.empty()) colors.names.try_emplace(number, entry.name);
  }
  for (std::size_t i = 0; i < numbers.names().size(); ++i) colors.names[static_cast<int>(i)] = numbers.names()[i];
  if (colors.empty()) throw FormatError("there are no colors; give a class for each color");
  return colors;
}

}  // namespace octavo
