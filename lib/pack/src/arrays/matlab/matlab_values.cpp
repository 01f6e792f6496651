#include "arrays/matlab/matlab_values.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "files/utf8_encoding.hpp"

namespace octavo::arrays {

std::vector<std::int64_t> matlab_axes(std::vector<std::int64_t> axes) {
  const auto is_long = [](std::int64_t axis) { return axis != 1; };
  if (axes.empty() || std::ranges::count_if(axes, is_long) > 1) return axes;
  const auto longest = std::ranges::find_if(axes, is_long);
  return {longest == axes.end() ? 1 : *longest};
}

std::string matlab_content(const std::string& name) {
  constexpr std::array<std::string_view, 12> kNumbers = {"double", "single", "int8",  "uint8",  "int16",   "uint16",
                                                         "int32",  "uint32", "int64", "uint64", "logical", ""};
  if (std::ranges::find(kNumbers, name) != kNumbers.end()) return "";
  if (name == "char") return "text";
  if (name == "cell") return "a cell array";
  if (name == "struct") return "a struct";
  if (name == "sparse") return "a sparse matrix";
  if (name == "function_handle") return "a function handle";
  return "a MATLAB object";
}

std::vector<std::string> rows_of_char_matrix(const std::vector<std::uint16_t>& units, std::int64_t row_count) {
  const auto rows = static_cast<std::size_t>(row_count);
  std::vector<std::string> texts(rows);
  for (std::size_t row = 0; row < rows; ++row) {
    std::vector<std::uint16_t> text;
    for (std::size_t at = row; at < units.size(); at += rows) text.push_back(units[at]);
    while (!text.empty() && (text.back() == ' ' || text.back() == 0)) text.pop_back();
    texts[row] = files::utf8_of(text);
  }
  return texts;
}

}  // namespace octavo::arrays
