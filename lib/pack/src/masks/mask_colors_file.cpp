// Reads the file that maps the colors of masks to classes.
#include <octavo/mask_colors.hpp>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <vector>

#include <octavo/errors.hpp>
#include <octavo/text.hpp>

#include "support/ascii.hpp"
#include "support/file.hpp"
#include "support/strict_json.hpp"

namespace octavo {
namespace {

constexpr std::int64_t kMostFileBytes = std::int64_t{1} << 20;

/// One color of the file, before its class has a number.
struct Entry {
  std::string where;  ///< "line 3", for messages
  MaskColor color = {};
  std::string class_text;  ///< a number or a name
  std::string name;        ///< of a class that has a number; empty: unknown
};

[[noreturn]] void refuse(const std::string& where, const std::string& problem) {
  throw FormatError(where + ": " + problem);
}

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

std::optional<MaskColor> color_of(std::string_view red, std::string_view green, std::string_view blue) {
  const auto r = level_in(red), g = level_in(green), b = level_in(blue);
  if (!r || !g || !b) return std::nullopt;
  return MaskColor{*r, *g, *b};
}

std::vector<std::string> split_at(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t first = 0; first <= text.size();) {
    const std::size_t end = std::min(text.find(separator, first), text.size());
    std::string_view part = trimmed(text.substr(first, end - first));
    if (part.size() > 1 && part.front() == '"' && part.back() == '"') part = part.substr(1, part.size() - 2);
    parts.emplace_back(part);
    first = end + 1;
  }
  return parts;
}

/// "#RRGGBB" or "R,G,B".
std::optional<MaskColor> color_in(std::string_view text) {
  if (const auto color = hex_color(text)) return color;
  const auto parts = split_at(text, ',');
  return parts.size() == 3 ? color_of(parts[0], parts[1], parts[2]) : std::nullopt;
}

// ---- Lines and CSV ------------------------------------------------------------

struct Line {
  std::string where;
  std::string text;
};

/// The lines with text; those that begin with '#' are comments unless they begin with a color.
std::vector<Line> lines_of(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  std::vector<Line> lines;
  std::size_t number = 0;
  for (const std::string& line : split_at(text, '\n')) {
    ++number;
    if (line.empty() || (line[0] == '#' && !hex_color(std::string_view(line).substr(0, 7)))) continue;
    lines.push_back({"line " + std::to_string(number), line});
  }
  return lines;
}

/// The columns of a CSV file; each -1 if there is none.
struct Columns {
  char separator = ',';
  std::ptrdiff_t red = -1, green = -1, blue = -1, color = -1, number = -1, name = -1;
  std::size_t count = 0;

  bool have_color() const { return color >= 0 || (red >= 0 && green >= 0 && blue >= 0); }
};

/// Nothing if the line does not name columns of colors and classes.
std::optional<Columns> columns_in(const std::string& line) {
  for (const char separator : {',', ';', '\t'}) {
    Columns columns{separator};
    std::vector<std::string> names = split_at(line, separator);
    for (std::string& name : names) name = lower_case(name);
    const auto find = [&](std::initializer_list<std::string_view> usual) -> std::ptrdiff_t {
      for (const std::string_view name : usual) {
        const auto found = std::ranges::find(names, name);
        if (found != names.end()) return found - names.begin();
      }
      return -1;
    };
    columns.red = find({"r", "red"});
    columns.green = find({"g", "green"});
    columns.blue = find({"b", "blue"});
    columns.color = find({"color", "rgb", "hex"});
    columns.number = find({"class", "id", "index", "value", "label"});
    columns.name = find({"name", "class_name", "label_name"});
    columns.count = names.size();
    if (columns.have_color() && (columns.number >= 0 || columns.name >= 0)) return columns;
  }
  return std::nullopt;
}

Entry entry_of_row(const Line& line, const Columns& columns) {
  const std::vector<std::string> cells = split_at(line.text, columns.separator);
  if (cells.size() != columns.count) {
    refuse(line.where,
           "it has " + std::to_string(cells.size()) + " columns, the first line has " + std::to_string(columns.count));
  }
  const auto cell = [&](std::ptrdiff_t column) {
    return column < 0 ? std::string() : cells[static_cast<std::size_t>(column)];
  };
  const auto color = columns.color >= 0 ? color_in(cell(columns.color))
                                        : color_of(cell(columns.red), cell(columns.green), cell(columns.blue));
  if (!color) refuse(line.where, "its color is not three numbers from 0 to 255, or #RRGGBB");
  if (columns.number < 0) return {line.where, *color, cell(columns.name), ""};
  return {line.where, *color, cell(columns.number), cell(columns.name)};
}

/// "#RRGGBB class" or "R G B class", with blanks, commas, semicolons or tabs between the parts.
Entry entry_of_line(const Line& line) {
  std::string_view rest = line.text;
  const auto next = [&] {
    const std::size_t end = std::min(rest.find_first_of(" ,;\t"), rest.size());
    const std::string_view part = rest.substr(0, end);
    rest.remove_prefix(end);
    // One separator, with blanks around it.
    rest = trimmed(rest);
    if (!rest.empty() && (rest[0] == ',' || rest[0] == ';')) rest = trimmed(rest.substr(1));
    return part;
  };
  const std::string_view first = next();
  auto color = hex_color(first);
  if (!color) {
    const std::string_view green = next(), blue = next();
    color = color_of(first, green, blue);
  }
  if (!color || rest.empty()) {
    refuse(line.where, "it is neither \"R G B CLASS\" nor \"#RRGGBB CLASS\", with numbers from 0 to 255");
  }
  return {line.where, *color, std::string(rest), ""};
}

std::vector<Entry> entries_of_text(std::string_view text) {
  const std::vector<Line> lines = lines_of(text);
  std::vector<Entry> entries;
  const auto columns = lines.empty() ? std::nullopt : columns_in(lines[0].text);
  for (std::size_t i = columns ? 1 : 0; i < lines.size(); ++i) {
    entries.push_back(columns ? entry_of_row(lines[i], *columns) : entry_of_line(lines[i]));
  }
  return entries;
}

// ---- JSON -----------------------------------------------------------------------

std::optional<MaskColor> color_in(const Json& value) {
  if (value.is_string()) return color_in(std::string_view(value.get_ref<const std::string&>()));
  if (!value.is_array() || value.size() != 3) return std::nullopt;
  return color_of(value[0].dump(), value[1].dump(), value[2].dump());
}

/// A class number or name as text; empty if it is neither.
std::string class_text_of(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  return value.is_number_integer() ? value.dump() : std::string();
}

/// {"#RRGGBB": class} or {name: color}.
Entry entry_of_member(const std::string& key, const Json& value) {
  const std::string where = "key \"" + printable(key) + "\"";
  if (const auto color = color_in(std::string_view(key))) return {where, *color, class_text_of(value), ""};
  const auto color = color_in(value);
  if (!color) refuse(where, "neither it nor its value is a color, [R,G,B] or \"#RRGGBB\"");
  return {where, *color, key, ""};
}

/// {"color": color, "class": number, "name": name}.
Entry entry_of_object(const Json& object, std::size_t at) {
  const std::string where = "entry " + std::to_string(at + 1);
  if (!object.is_object() || !object.contains("color")) refuse(where, "it is not an object with the key \"color\"");
  const auto color = color_in(object["color"]);
  if (!color) refuse(where, "its color is neither [R,G,B], with numbers from 0 to 255, nor \"#RRGGBB\"");
  const auto text = [&](const char* key) { return object.contains(key) ? class_text_of(object[key]) : std::string(); };
  for (const char* const key : {"class", "id", "index", "value", "label"}) {
    if (const std::string number = text(key); !number.empty()) return {where, *color, number, text("name")};
  }
  return {where, *color, text("name"), ""};
}

std::vector<Entry> entries_of_json(std::string_view text) {
  const Json document = parse_strict_json(text);
  std::vector<Entry> entries;
  if (document.is_object()) {
    for (const auto& [key, value] : document.items()) entries.push_back(entry_of_member(key, value));
  } else if (document.is_array()) {
    for (std::size_t i = 0; i < document.size(); ++i) entries.push_back(entry_of_object(document[i], i));
  } else {
    throw FormatError("it is neither an object nor an array");
  }
  return entries;
}

// ---- Classes --------------------------------------------------------------------

/// Numbers names in their order.
class ClassNumbers {
 public:
  std::uint8_t of(const Entry& entry) {
    const auto number = number_in(entry.class_text);
    const bool is_ignored = number == kIgnoredMaskValue;
    if (entry.class_text.empty()) refuse(entry.where, "it has no class");
    if (number && (*number < 0 || *number > 255)) {
      refuse(entry.where, "class " + entry.class_text + " is not in 0 to 255");
    }
    if (!is_ignored) {
      if (has_kind_ && is_of_numbers_ != number.has_value()) {
        refuse(entry.where, "class \"" + printable(entry.class_text) + "\" is a " + (number ? "number" : "name") +
                                ", earlier ones are not; use numbers for all classes, or names (and 255 for pixels to "
                                "ignore)");
      }
      has_kind_ = true;
      is_of_numbers_ = number.has_value();
    }
    if (number) return static_cast<std::uint8_t>(*number);
    const auto known = std::ranges::find(names_, entry.class_text);
    if (known == names_.end() && names_.size() == kIgnoredMaskValue) refuse(entry.where, "it is the 256th class name");
    const auto at = known - names_.begin();
    if (known == names_.end()) names_.push_back(entry.class_text);
    return static_cast<std::uint8_t>(at);
  }

  const std::vector<std::string>& names() const { return names_; }

 private:
  bool has_kind_ = false, is_of_numbers_ = false;
  std::vector<std::string> names_;
};

MaskColors colors_of(const std::vector<Entry>& entries) {
  MaskColors colors;
  ClassNumbers numbers;
  for (const Entry& entry : entries) {
    const std::uint8_t number = numbers.of(entry);
    const auto [known, is_new] = colors.classes.try_emplace(entry.color, number);
    if (!is_new && known->second != number) {
      refuse(entry.where, "the color " + to_string(entry.color) + " already has another class");
    }
    if (!entry.name.empty()) colors.names.try_emplace(number, entry.name);
  }
  for (std::size_t i = 0; i < numbers.names().size(); ++i) colors.names[static_cast<int>(i)] = numbers.names()[i];
  if (colors.empty()) throw FormatError("there are no colors; give a class for each color");
  return colors;
}

}  // namespace

std::string to_string(const MaskColor& color) {
  static constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string text = "#";
  for (const std::uint8_t level : color) {
    text += kDigits[level >> 4];
    text += kDigits[level & 15];
  }
  return text;
}

MaskColors make_mask_colors(const std::vector<std::pair<MaskColor, std::string>>& classes) {
  std::vector<Entry> entries;
  for (const auto& [color, text] : classes) entries.push_back({"color " + to_string(color), color, text, ""});
  try {
    return colors_of(entries);
  } catch (const FormatError& error) {
    throw FormatError(std::string("read the mask colors: ") + error.what());
  }
}

MaskColors read_mask_colors(const std::filesystem::path& path) {
  const std::string text = read_whole_file(path, kMostFileBytes);
  try {
    const bool is_json = lower_case(path.extension().string()) == ".json";
    return colors_of(is_json ? entries_of_json(text) : entries_of_text(text));
  } catch (const FormatError& error) {
    throw FormatError("read the mask colors " + quoted(path) + ": " + error.what());
  }
}

}  // namespace octavo
