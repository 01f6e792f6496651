// Reads the file that maps the colors of masks to classes.
#include <octavo/mask_colors.hpp>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <octavo/errors.hpp>
#include <octavo/text.hpp>

#include "masks/mask_color_entries.hpp"
#include "sources/lists/table/csv_parser.hpp"
#include "support/file.hpp"
#include "support/strict_json.hpp"
#include "support/text/ascii.hpp"

namespace octavo {
namespace {

constexpr std::int64_t kMostFileBytes = std::int64_t{1} << 20;

// ---- Lines and CSV ------------------------------------------------------------

using Fields = std::vector<std::string>;

struct Record {
  std::string where;
  Fields fields;
};

std::string line_name(std::int64_t number) { return "line " + std::to_string(number); }

/// The records of CSV. Throws FormatError if the text is not CSV with this separator.
std::vector<Record> csv_records(std::string_view text, char separator) {
  std::vector<Record> records;
  sources::CsvParser parser(separator, [&](Fields fields, std::int64_t line) {
    records.push_back({line_name(line), std::move(fields)});
    return true;
  });
  parser.parse(text);
  parser.finish();
  return records;
}

/// The fields of the first record; none if it is not CSV with this separator.
Fields csv_fields(std::string_view text, char separator) {
  Fields first;
  sources::CsvParser parser(separator, [&](Fields fields, std::int64_t) {
    first = std::move(fields);
    return false;
  });
  try {
    parser.parse(text);
    parser.finish();
  } catch (const FormatError&) {
    return {};
  }
  return first;
}

/// The text without comments, whose lines become empty. Lines that begin with '#' are comments unless they begin with a
/// color.
std::string without_comments(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  std::string kept;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end));
    if (!line.starts_with('#') || mask_color_in(line.substr(0, 7))) kept += text.substr(0, end);
    kept += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return kept;
}

/// The columns of a CSV file; each -1 if there is none.
struct Columns {
  char separator = ',';
  std::ptrdiff_t red = -1, green = -1, blue = -1, color = -1;
  std::vector<std::size_t> classes;
  Fields names;  ///< of all columns

  bool have_color() const { return color >= 0 || (red >= 0 && green >= 0 && blue >= 0); }
};

/// Nothing if the first line does not name columns of colors and classes.
std::optional<Columns> columns_in(std::string_view text) {
  for (const char separator : {',', ';', '\t'}) {
    Columns columns;
    columns.separator = separator;
    columns.names = csv_fields(text, separator);
    for (std::string& name : columns.names) name = lower_case(name);
    const auto find = [&](std::initializer_list<std::string_view> usual) -> std::ptrdiff_t {
      for (const std::string_view name : usual) {
        const auto found = std::ranges::find(columns.names, name);
        if (found != columns.names.end()) return found - columns.names.begin();
      }
      return -1;
    };
    columns.red = find({"r", "red"});
    columns.green = find({"g", "green"});
    columns.blue = find({"b", "blue"});
    columns.color = find({"color", "rgb", "hex"});
    for (std::size_t i = 0; i < columns.names.size(); ++i) {
      if (is_class_column(columns.names[i])) columns.classes.push_back(i);
    }
    if (columns.have_color() && !columns.classes.empty()) return columns;
  }
  return std::nullopt;
}

MaskColorRow row_of(const Record& record, const Columns& columns) {
  const auto& [where, cells] = record;
  if (cells.size() != columns.names.size()) {
    refuse_entry(where, "it has " + std::to_string(cells.size()) + " columns, the first line has " +
                            std::to_string(columns.names.size()));
  }
  const auto cell = [&all = cells](std::ptrdiff_t column) {
    return std::string_view(all[static_cast<std::size_t>(column)]);
  };
  const auto color = columns.color >= 0 ? mask_color_in(cell(columns.color))
                                        : mask_color_of(cell(columns.red), cell(columns.green), cell(columns.blue));
  if (!color) refuse_entry(where, "its color is not three numbers from 0 to 255, or #RRGGBB");
  MaskColorRow row = {where, *color, {}};
  for (const std::size_t column : columns.classes) row.cells.push_back(cells[column]);
  return row;
}

std::vector<MaskColorEntry> entries_of_csv(std::string_view text, const Columns& columns) {
  std::vector<Record> records = csv_records(text, columns.separator);
  std::vector<MaskColorRow> rows;
  for (std::size_t i = 1; i < records.size(); ++i) rows.push_back(row_of(records[i], columns));
  Fields names;
  for (const std::size_t column : columns.classes) names.push_back(columns.names[column]);
  return entries_of_table(names, rows);
}

/// An entry with one or two texts after its color: a class number or name, or both.
MaskColorEntry entry_with(const std::string& where, const MaskColor& color, std::string_view first,
                          std::string_view second) {
  if (is_number_text(first) && is_number_text(second)) {
    refuse_entry(where, "it has the numbers " + printable(first) + " and " + printable(second) +
                            " after its color; expected one class number");
  }
  if (is_number_text(second)) std::swap(first, second);
  return {where, color, std::string(first), std::string(second)};
}

/// A line of separated fields, which may have quotes; nothing if it is not one.
std::optional<MaskColorEntry> entry_of_fields(const std::string& where, std::string_view line) {
  for (const char separator : {',', ';', '\t'}) {
    const Fields fields = csv_fields(line, separator);
    if (fields.size() < 2) continue;
    auto color = mask_color_in(fields[0]);
    const std::size_t used = color ? 1 : 3;
    if (!color && fields.size() > 3) color = mask_color_of(fields[0], fields[1], fields[2]);
    if (!color) continue;
    const bool has_both =
        fields.size() == used + 2 && (is_number_text(fields[used]) || is_number_text(fields[used + 1]));
    if (has_both) return entry_with(where, *color, fields[used], fields[used + 1]);
    if (fields.size() == used + 1 && line.find('"') != line.npos)
      return MaskColorEntry{where, *color, fields[used], ""};
  }
  return std::nullopt;
}

std::string_view without_quotes(std::string_view text) {
  const bool is_quoted = text.size() > 1 && text.front() == '"' && text.back() == '"';
  return is_quoted ? text.substr(1, text.size() - 2) : text;
}

/// "#RRGGBB class" or "R G B class", with blanks, commas, semicolons or tabs between the parts. The class is a number,
/// a name, or a number and its name.
MaskColorEntry entry_of_line(const std::string& where, std::string_view line) {
  if (auto entry = entry_of_fields(where, line)) return *std::move(entry);
  std::string_view rest = line;
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
  auto color = mask_color_in(first);
  if (!color) {
    const std::string_view green = next(), blue = next();
    color = mask_color_of(first, green, blue);
  }
  if (!color || rest.empty()) {
    refuse_entry(where, "it is neither \"R G B CLASS\" nor \"#RRGGBB CLASS\", with numbers from 0 to 255");
  }
  const std::string_view whole = rest, number = next();
  if (!is_number_text(number) || rest.empty()) return {where, *color, std::string(without_quotes(whole)), ""};
  return entry_with(where, *color, number, without_quotes(rest));
}

std::vector<MaskColorEntry> entries_of_lines(std::string_view text) {
  std::vector<MaskColorEntry> entries;
  for (std::int64_t number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    const std::string_view line = trimmed(text.substr(0, end));
    if (!line.empty()) entries.push_back(entry_of_line(line_name(number), line));
    text.remove_prefix(end + 1);
  }
  return entries;
}

std::vector<MaskColorEntry> entries_of_text(std::string_view file) {
  const std::string text = without_comments(file);
  const auto columns = columns_in(text);
  return columns ? entries_of_csv(text, *columns) : entries_of_lines(text);
}

// ---- JSON -----------------------------------------------------------------------

std::optional<MaskColor> color_in(const Json& value) {
  if (value.is_string()) return mask_color_in(value.get_ref<const std::string&>());
  if (!value.is_array() || value.size() != 3) return std::nullopt;
  return mask_color_of(value[0].dump(), value[1].dump(), value[2].dump());
}

/// A class number or name as text; empty if it is neither.
std::string class_text_of(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  return value.is_number() ? value.dump() : std::string();
}

/// {"#RRGGBB": class} or {name: color}.
MaskColorEntry entry_of_member(const std::string& key, const Json& value) {
  const std::string where = "key \"" + printable(key) + "\"";
  if (const auto color = mask_color_in(key)) return {where, *color, class_text_of(value), ""};
  const auto color = color_in(value);
  if (!color) refuse_entry(where, "neither it nor its value is a color, [R,G,B] or \"#RRGGBB\"");
  return {where, *color, key, ""};
}

/// The keys of the objects that are about classes.
Fields class_keys(const Json& objects) {
  Fields keys;
  for (const Json& object : objects) {
    if (!object.is_object()) continue;
    for (const auto& [key, value] : object.items()) {
      if (is_class_column(key) && std::ranges::find(keys, key) == keys.end()) keys.push_back(key);
    }
  }
  return keys;
}

/// {"color": color, "class": number, "name": name}.
MaskColorRow row_of_object(const Json& object, std::size_t at, const Fields& keys) {
  const std::string where = "entry " + std::to_string(at + 1);
  if (!object.is_object() || !object.contains("color")) {
    refuse_entry(where, "it is not an object with the key \"color\"");
  }
  const auto color = color_in(object["color"]);
  if (!color) refuse_entry(where, "its color is neither [R,G,B], with numbers from 0 to 255, nor \"#RRGGBB\"");
  MaskColorRow row = {where, *color, {}};
  for (const std::string& key : keys) {
    row.cells.push_back(object.contains(key) ? class_text_of(object[key]) : std::string());
  }
  return row;
}

std::vector<MaskColorEntry> entries_of_json(std::string_view text) {
  const Json document = parse_strict_json(text);
  std::vector<MaskColorEntry> entries;
  if (document.is_object()) {
    for (const auto& [key, value] : document.items()) entries.push_back(entry_of_member(key, value));
    return entries;
  }
  if (!document.is_array()) throw FormatError("it is neither an object nor an array");
  const Fields keys = class_keys(document);
  std::vector<MaskColorRow> rows;
  for (std::size_t i = 0; i < document.size(); ++i) rows.push_back(row_of_object(document[i], i, keys));
  return entries_of_table(keys, rows);
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
  std::vector<MaskColorEntry> entries;
  for (const auto& [color, text] : classes) entries.push_back({"color " + to_string(color), color, text, ""});
  try {
    return colors_of(entries);
  } catch (const FormatError& error) {
    throw InvalidArgument(std::string("set the mask colors: ") + error.what());
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
