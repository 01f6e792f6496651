// Parsers for option values that are more than a number or a word.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <octavo/pack.hpp>
#include <string>
#include <vector>

namespace octavo::tools {

/// The help text of an option that takes a name of a table: "Where samples live (auto); auto: ...; device: ...".
template <typename Table>
std::string choices_help(std::string text, const Table& table) {
  for (const auto& row : table) text += std::string("; ") + row.name + ": " + row.help;
  return text;
}

/// The values of --compress.
std::map<std::string, Compression> compressions_by_name();

/// The texts between commas, without the blanks around them; none after a comma at the end.
std::vector<std::string> split_at_commas(const std::string& text);

/// Parses [SPLIT=]PATH[::IMAGES[::[LABEL_FILE::]LABELS]]. Text that names an existing path is a path as a whole. If the
/// part before "=" is not a valid split name, it belongs to the path.
SourceSpec parse_source(const std::string& text);
/// "LOW,HIGH", "LOW,HIGH,LOW,HIGH" for two channels, "minmax", "percentile:P" or "auto". Throws InvalidArgument.
ValueRange parse_range(const std::string& text);
/// "HxW", such as 32x48: height 32, width 48. Throws InvalidArgument.
std::array<std::int64_t, 2> parse_size(const std::string& text);
/// A number of parameters of a model: "25600000", "25.6M", "7B". K, M, B and T are powers of 1000. Throws
/// InvalidArgument.
std::int64_t parse_parameter_count(const std::string& text);
/// "#RRGGBB" or "R,G,B" with numbers up to 255. Throws InvalidArgument.
std::array<std::uint8_t, 3> parse_color(const std::string& text);
/// Reads a file of class names in label order, one per line. Throws IoError if it cannot be read, FormatError if a name
/// is empty or occurs twice.
std::vector<std::string> read_class_names(const std::filesystem::path& path);
/// Reads the OLD=NEW lines of a file that renames classes. Throws IoError if it cannot be read, FormatError if a line
/// has another form or a class is renamed twice.
std::map<std::string, std::string> read_class_map(const std::filesystem::path& path);
/// Quotes a word for the shell if necessary.
std::string quote_word(const std::string& word);
/// The command line in a form that can be pasted into a shell.
std::string quote_command_line(int argument_count, const char* const* arguments);

}  // namespace octavo::tools
