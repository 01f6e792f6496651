#include "support/text_units.hpp"

namespace octavo {

std::string in_units(std::int64_t bytes) {
  if (bytes < 0) return formatted("-%s", in_units(-bytes).c_str());
  if (bytes < 1024) return std::to_string(bytes) + " B";
  constexpr const char* kUnits[] = {"KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes) / 1024;
  int unit = 0;
  for (; value >= 1000 && unit < 3; ++unit) value /= 1024;
  return formatted("%.1f %s", value, kUnits[unit]);
}

std::string grouped(std::int64_t count) {
  std::string digits = std::to_string(count);
  for (auto place = static_cast<std::int64_t>(digits.size()) - 3; place > 0; place -= 3) {
    digits.insert(static_cast<std::size_t>(place), 1, ',');
  }
  return digits;
}

std::string summary_line(const std::string& name, const std::string& text) {
  return formatted("%-14s ", name.c_str()) + text + "\n";
}

}  // namespace octavo
