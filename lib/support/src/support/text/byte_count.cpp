#include <octavo/byte_count.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>

#include <octavo/errors.hpp>

#include "support/text/text_units.hpp"

namespace octavo {
namespace {

struct Unit {
  std::string_view name;
  double bytes;
};
// A single letter is a power of 1024, as in most programs that limit memory.
constexpr Unit kByteUnits[] = {{"", 1},         {"B", 1},      {"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30},
                               {"TiB", 0x1p40}, {"K", 0x1p10}, {"M", 0x1p20},   {"G", 0x1p30},   {"T", 0x1p40},
                               {"KB", 1e3},     {"MB", 1e6},   {"GB", 1e9},     {"TB", 1e12}};

/// "gb" is as clear as "GB".
bool is_unit(std::string_view text, std::string_view name) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::ranges::equal(text, name, {}, lower, lower);
}

[[noreturn]] void refuse(std::string_view text) {
  throw InvalidArgument("invalid memory size \"" + std::string(text) +
                        "\"; expected 1 to 2^60 bytes, for example 24G, 512MiB or 80GB");
}

}  // namespace

std::int64_t parse_byte_count(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  if (error != std::errc{}) refuse(text);
  std::string_view rest = text.substr(static_cast<std::size_t>(end - text.data()));
  if (rest.starts_with(' ')) rest.remove_prefix(1);
  for (const Unit& unit : kByteUnits) {
    if (!is_unit(rest, unit.name)) continue;
    const double bytes = std::floor(number * unit.bytes);
    if (!(bytes >= 1 && bytes <= 0x1p60)) refuse(text);
    return static_cast<std::int64_t>(bytes);
  }
  refuse(text);
}

std::string format_bytes(std::int64_t bytes) {
  constexpr std::array<const char*, 6> kUnits = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 0) return "-" + format_bytes(-bytes);
  if (bytes < 1024) return std::to_string(bytes) + " B";
  double value = static_cast<double>(bytes) / 1024.0;
  std::size_t unit = 0;
  // Larger values would be shown as 1024.0.
  for (; value >= 1023.95; ++unit) value /= 1024.0;
  return formatted("%.1f %s", value, kUnits[unit]);
}

std::string format_count(std::int64_t count) {
  std::string digits = std::to_string(count);
  const std::size_t first = count < 0 ? 1 : 0;
  for (std::size_t at = digits.size(); at > first + 3;) digits.insert(at -= 3, ",");
  return digits;
}

std::string counted(std::int64_t count, const std::string& noun) {
  return format_count(count) + " " + noun + (count == 1 ? "" : "s");
}

}  // namespace octavo
