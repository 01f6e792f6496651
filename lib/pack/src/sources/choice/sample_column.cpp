#include "sources/choice/sample_column.hpp"

#include <cmath>

#include <octavo/errors.hpp>
#include <octavo/text.hpp>

#include "support/ascii.hpp"
#include "support/strict_json.hpp"

namespace octavo::sources {
namespace {

/// The number of columns if there is none of that name.
std::size_t column_number(const std::vector<std::string>& columns, std::string_view name) {
  std::size_t similar = columns.size();
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i] == name) return i;
    if (similar == columns.size() && lower_case(columns[i]) == lower_case(std::string(name))) similar = i;
  }
  return similar;
}

/// A column in which a value is missing often holds all numbers with a fraction: 7 as 7.0.
std::string number_text(const Json& number) {
  constexpr double kMostExact = 9007199254740992.0;  // 2^53
  const double value = number.get<double>();
  const bool is_whole = number.is_number_float() && value == std::rint(value) && std::abs(value) <= kMostExact;
  return is_whole ? std::to_string(static_cast<std::int64_t>(value)) : number.dump();
}

}  // namespace

SampleColumn::SampleColumn(const Source& source, std::size_t split, std::string_view name, const std::string& doing)
    : source_(source), split_(split), number_(column_number(source.splits()[split].columns, name)) {
  const auto& columns = source.splits()[split].columns;
  if (number_ < columns.size()) return;
  throw InvalidArgument(
      doing + ": split \"" + source.splits()[split].name + "\" has no column \"" + std::string(name) + "\"; " +
      (columns.empty() ? "it has no columns: pack an image list with this column" : "expected " + either_of(columns)));
}

std::optional<std::string> SampleColumn::text(std::int64_t row) const {
  const Json value = Json::parse(source_.sample_metadata(split_, row)).at(number_);
  if (value.is_null()) return std::nullopt;
  if (value.is_number()) return number_text(value);
  if (!value.is_string()) return value.dump(-1, ' ', false, Json::error_handler_t::replace);
  const std::string_view text = trimmed(value.get_ref<const std::string&>());
  return text.empty() ? std::nullopt : std::optional(std::string(text));
}

bool has_column(const Source& source, std::size_t split, std::string_view name) {
  const auto& columns = source.splits()[split].columns;
  return column_number(columns, name) < columns.size();
}

}  // namespace octavo::sources
