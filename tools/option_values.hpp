// The values of options that are more than a number or a word.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <octavo/pack.hpp>
#include <string>
#include <vector>

namespace octavo::tools {

/// What --compress takes.
inline const std::map<std::string, Compression> kCompressions = {{"none", Compression::none},
                                                                 {"deflate", Compression::deflate}};

/// [SPLIT=]PATH[::IMAGES[::LABELS]]. A path that exists is a path, whatever signs it holds; so is one whose beginning
/// is no split name.
SourceSpec parse_source(const std::string& text);
/// "LOW,HIGH", "minmax", "percentile:P" or "auto". Throws InvalidArgument.
ValueRange parse_range(const std::string& text);
/// "HxW", such as 32x48: height 32, width 48. Throws InvalidArgument.
std::array<std::int64_t, 2> parse_size(const std::string& text);
/// "#RRGGBB" or "R,G,B" with numbers up to 255. Throws InvalidArgument.
std::array<std::uint8_t, 3> parse_color(const std::string& text);
/// The lines of a file of class names, in label order. Throws IoError if it cannot be read, FormatError if a name is
/// empty or there twice.
std::vector<std::string> read_class_names(const std::filesystem::path& path);
/// The lines OLD=NEW of a file that renames classes. Throws IoError if it cannot be read, FormatError if a line is
/// something else, or a class is renamed twice.
std::map<std::string, std::string> read_class_map(const std::filesystem::path& path);
/// A word as a shell wants it: in quotes unless it is plain.
std::string quote_word(const std::string& word);
/// A command line as one could type it again.
std::string quote_command_line(int argument_count, const char* const* arguments);

}  // namespace octavo::tools
