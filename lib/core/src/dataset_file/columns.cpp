#include "dataset_file/columns.hpp"

#include <octavo/errors.hpp>

#include "support/short_text.hpp"

namespace octavo::dataset_file {

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

}  // namespace octavo::dataset_file
