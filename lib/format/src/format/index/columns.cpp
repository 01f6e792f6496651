#include "format/index/columns.hpp"

#include <cmath>

#include <octavo/errors.hpp>
#include <octavo/text.hpp>

#include "support/text/short_text.hpp"

namespace octavo::dataset_file {
namespace {

/// A column in which a value is missing often holds all numbers with a fraction: 7 as 7.0.
std::string number_text(const Json& number) {
  constexpr double kMostExact = 9007199254740992.0;  // 2^53
  const double value = number.get<double>();
  const bool is_whole = number.is_number_float() && value == std::rint(value) && std::abs(value) <= kMostExact;
  return is_whole ? std::to_string(static_cast<std::int64_t>(value)) : number.dump();
}

}  // namespace

Json parse_columns(std::string_view text, std::int64_t sample_count) {
  Json columns = parse_strict_json(text);
  if (!columns.is_object() || columns.empty()) throw FormatError("the columns are not a JSON object of lists");
  for (const auto& [name, values] : columns.items()) {
    if (const auto problem = text_problem(name)) throw FormatError("the name of a column is " + *problem);
    if (!values.is_array() || static_cast<std::int64_t>(values.size()) != sample_count) {
      throw FormatError("the column \"" + name + "\" is not a list of " + std::to_string(sample_count) + " values");
    }
  }
  return columns;
}

std::vector<std::string> column_names(const Json& columns) {
  std::vector<std::string> names;
  for (const auto& [name, values] : columns.items()) names.push_back(name);
  return names;
}

std::optional<std::string> value_text(const Json& value) {
  if (value.is_null()) return std::nullopt;
  if (value.is_number()) return number_text(value);
  if (!value.is_string()) return value.dump(-1, ' ', false, Json::error_handler_t::replace);
  const std::string_view text = trimmed(value.get_ref<const std::string&>());
  return text.empty() ? std::nullopt : std::optional(std::string(text));
}

}  // namespace octavo::dataset_file
