#include "text/human_units.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <iomanip>
#include <sstream>

namespace octavo::tools {

std::string format_rate(double bytes_per_second) {
  constexpr double kMost = 1e18;
  if (!(bytes_per_second >= 0 && bytes_per_second < kMost)) return "?";
  return format_bytes(static_cast<std::int64_t>(bytes_per_second)) + "/s";
}

std::string format_seconds(double seconds) {
  if (!(seconds >= 0 && seconds < 1e9)) return "?";
  if (seconds < 0.9995e-3) return format_fixed(1e6 * seconds, 1) + " us";
  if (seconds < 0.0995) return format_fixed(1000 * seconds, 1) + " ms";
  if (seconds < 9.995) return format_fixed(seconds, 2) + " s";
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  if (whole < 60) return std::to_string(whole) + " s";
  if (whole < 3600) return std::to_string(whole / 60) + " min " + std::to_string(whole % 60) + " s";
  return format_count(whole / 3600) + " h " + std::to_string(whole % 3600 / 60) + " min";
}

std::string format_fixed(double value, int digits) {
  std::array<char, 400> text;
  std::snprintf(text.data(), text.size(), "%.*f", digits, value);
  return text.data();
}

std::string format_significant(double value) {
  std::ostringstream text;
  text << std::setprecision(3) << value;
  return text.str();
}

std::string format_figure(double value) {
  constexpr double kLeastFixed = 0.01;
  if (value == 0.0 || std::abs(value) >= kLeastFixed) return format_fixed(value, 4);
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

}  // namespace octavo::tools
