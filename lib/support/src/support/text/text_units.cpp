#include "support/text/text_units.hpp"

namespace octavo {

std::string summary_line(const std::string& name, const std::string& text) {
  return formatted("%-14s ", name.c_str()) + text + "\n";
}

}  // namespace octavo
