#include "options/option_values.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <fstream>
#include <octavo/errors.hpp>
#include <octavo/remote.hpp>
#include <octavo/text.hpp>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

namespace octavo::tools {
namespace {

bool is_letter_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

/// All of `text` as a number.
std::optional<std::int64_t> parse_number(std::string_view text, int base = 10) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (error != std::errc() || end != text.data() + text.size() || text[0] == '-') return std::nullopt;
  return number;
}

std::vector<std::string_view> split_at(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

/// The lines of a small text file, trimmed, without empty lines at the end.
std::vector<std::string> read_lines(const std::filesystem::path& path, const std::string& doing) {
  // Reading a device such as /dev/zero would never end; opening a pipe without a writer would block.
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) throw IoError(doing + "No such file or directory; check the path");
  if (!std::filesystem::is_regular_file(path, ignored)) {
    throw IoError(doing + "not a regular file; check the path");
  }
  std::ifstream file(path);
  if (!file) throw IoError(doing + "cannot open the file; check the path");
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.emplace_back(trimmed(line));
  if (file.bad()) throw IoError(doing + "cannot read the file; check the disk");
  // Editors on Windows write this first.
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (!lines.empty() && lines[0].starts_with(kByteOrderMark))
    lines[0] = std::string(trimmed(lines[0].substr(kByteOrderMark.size())));
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

}  // namespace

std::map<std::string, Compression> compressions_by_name() {
  std::map<std::string, Compression> compressions;
  for (const CompressionInfo& info : kCompressions) compressions.emplace(info.name, info.compression);
  return compressions;
}

std::vector<std::string> split_at_commas(const std::string& text) {
  std::vector<std::string> parts;
  for (const std::string_view part : split_at(text, ',')) parts.emplace_back(trimmed(part));
  if (parts.back().empty()) parts.pop_back();  // also the only one, of empty text
  return parts;
}

SourceSpec parse_source(const std::string& text) {
  std::error_code ignored;
  if (std::filesystem::exists(text, ignored)) return {text};
  SourceSpec spec;
  std::string path = text;
  const std::size_t equals = text.find('=');
  if (equals != std::string::npos && equals + 1 < text.size() &&
      is_split_name(std::string_view(text).substr(0, equals))) {
    spec.split = text.substr(0, equals);
    path = text.substr(equals + 1);
  }
  // The names after the path, from its end: an existing path may itself contain "::".
  std::vector<std::string> names;
  for (std::size_t colons; names.size() < 3 && !std::filesystem::exists(path, ignored); path.resize(colons)) {
    colons = path.rfind("::");
    if (colons == std::string::npos) break;
    names.insert(names.begin(), path.substr(colons + 2));
  }
  if (!names.empty()) spec.images = names[0];
  if (names.size() > 1) spec.labels = names.back();
  if (names.size() > 2) spec.label_file = names[1];
  spec.path = path;
  return spec;
}

ValueRange parse_range(const std::string& text) {
  using Kind = ValueRange::Kind;
  const auto number = [](std::string_view digits) {
    double value = 0.0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    const bool is_whole_text = error == std::errc() && end == digits.data() + digits.size();
    return is_whole_text ? std::optional(value) : std::nullopt;
  };
  constexpr std::string_view kPercentile = "percentile:";
  if (text == "auto") return {};
  if (text == "minmax") return {.kind = Kind::measured};
  if (text.starts_with(kPercentile)) {
    if (const auto percentile = number(std::string_view(text).substr(kPercentile.size()))) {
      return {.kind = Kind::percentile, .percentile = *percentile};
    }
  }
  std::vector<double> ends;
  for (const auto& digits : split_at(text, ',')) {
    const auto end = number(digits);
    if (!end) break;
    ends.push_back(*end);
  }
  if (ends.size() != split_at(text, ',').size() || ends.size() % 2 != 0) {
    throw InvalidArgument(
        "read --range: bad range \"" + text +
        "\"; expected LOW,HIGH, LOW,HIGH,LOW,HIGH,... for each channel, minmax, percentile:P or auto");
  }
  ValueRange given = {.kind = Kind::given, .low = ends[0], .high = ends[1]};
  if (ends.size() == 2) return given;
  for (std::size_t i = 0; i < ends.size(); i += 2) given.by_channel.emplace_back(ends[i], ends[i + 1]);
  return given;
}

std::array<std::int64_t, 2> parse_size(const std::string& text) {
  const auto parts = split_at(text, 'x');
  if (parts.size() <= 2) {
    const auto height = parse_number(parts.front());
    const auto width = parse_number(parts.back());
    if (height && width && *height > 0 && *width > 0) return {*height, *width};
  }
  throw InvalidArgument("read --size: invalid size \"" + text +
                        "\"; expected HEIGHTxWIDTH, for example 32x48, or 64 for 64x64");
}

std::int64_t parse_parameter_count(const std::string& text) {
  constexpr double kMost = 1e15;
  double number = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit = std::string_view(text).substr(static_cast<std::size_t>(end - text.data()));
  constexpr std::string_view kUnits = "KMBT";
  const std::size_t power = unit.size() == 1 ? kUnits.find(static_cast<char>(std::toupper(unit[0]))) : kUnits.npos;
  for (std::size_t i = 0; power != kUnits.npos && i <= power; ++i) number *= 1000.0;
  const bool is_number = error == std::errc() && (unit.empty() || power != kUnits.npos);
  const double count = std::round(number);
  // Only with a unit is a fraction of one a number of parameters.
  if (is_number && number >= 0.0 && number <= kMost && (!unit.empty() || count == number)) {
    return static_cast<std::int64_t>(count);
  }
  throw InvalidArgument("read --params: invalid number of parameters \"" + text +
                        "\"; expected a number such as 25600000 or 25.6M");
}

std::array<std::uint8_t, 3> parse_color(const std::string& text) {
  const bool is_hex = text.size() == 7 && text[0] == '#';
  const std::string_view digits = is_hex ? std::string_view(text).substr(1) : std::string_view();
  const auto parts =
      is_hex ? std::vector{digits.substr(0, 2), digits.substr(2, 2), digits.substr(4, 2)} : split_at(text, ',');
  std::array<std::uint8_t, 3> color = {};
  bool is_valid = parts.size() == color.size();
  for (std::size_t i = 0; is_valid && i < color.size(); ++i) {
    const auto value = parse_number(parts[i], is_hex ? 16 : 10);
    is_valid = value && *value <= 255;
    if (is_valid) color[i] = static_cast<std::uint8_t>(*value);
  }
  if (!is_valid) {
    throw InvalidArgument("read --background: invalid color \"" + text + "\"; expected #RRGGBB or R,G,B");
  }
  return color;
}

std::vector<std::string> read_class_names(const std::filesystem::path& path) {
  const std::string doing = "read the class names \"" + path.string() + "\": ";
  const std::vector<std::string> names = read_lines(path, doing);
  std::set<std::string> seen;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!names[i].empty() && seen.insert(names[i]).second) continue;
    throw FormatError(doing + "line " + std::to_string(i + 1) + (names[i].empty() ? " is empty" : " repeats a name") +
                      "; give one name per line, in label order");
  }
  if (names.empty()) throw FormatError(doing + "the file is empty; give one name per line, in label order");
  return names;
}

std::map<std::string, std::string> read_class_map(const std::filesystem::path& path) {
  const std::string doing = "read the class map \"" + path.string() + "\": ";
  const std::vector<std::string> lines = read_lines(path, doing);
  std::map<std::string, std::string> class_map;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].empty()) continue;
    const std::size_t equals = lines[i].find('=');
    const std::string old_name(trimmed(lines[i].substr(0, equals)));
    const std::string new_name(equals == std::string::npos ? "" : trimmed(lines[i].substr(equals + 1)));
    const bool is_new = !old_name.empty() && !new_name.empty() && class_map.emplace(old_name, new_name).second;
    if (is_new) continue;
    throw FormatError(doing + "line " + std::to_string(i + 1) +
                      " is not OLD=NEW, or renames a class a second time; give one OLD=NEW pair per line");
  }
  if (class_map.empty()) throw FormatError(doing + "the file is empty; give one OLD=NEW pair per line");
  return class_map;
}

std::string quote_word(const std::string& word) {
  const bool is_plain = !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
    return is_letter_or_digit(c) || std::string_view("_-./=,:+@%").find(c) != std::string_view::npos;
  });
  if (is_plain) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

/// An argument for the provenance: a URL, or NAME=URL, without what may be secret.
static std::string shown_argument(const std::string& argument) {
  const std::size_t equals = argument.find('=');
  if (remote::is_url(argument) || equals == std::string::npos) return remote::shown_location(argument);
  return argument.substr(0, equals + 1) + remote::shown_location(argument.substr(equals + 1));
}

std::string quote_command_line(int argument_count, const char* const* arguments) {
  std::string line = "octavo";
  for (int i = 1; i < argument_count; ++i) line += " " + quote_word(shown_argument(arguments[i]));
  return line;
}

}  // namespace octavo::tools
