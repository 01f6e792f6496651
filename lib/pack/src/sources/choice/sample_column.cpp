#include "sources/choice/sample_column.hpp"

#include <octavo/errors.hpp>
#include <octavo/text.hpp>

#include "format/index/columns.hpp"
#include "support/strict_json.hpp"
#include "support/text/ascii.hpp"

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

}  // namespace

SampleColumn::SampleColumn(const Source& source, std::size_t split, std::string_view name, const std::string& doing)
    : source_(source), split_(split), number_(column_number(source.splits()[split].columns, name)) {
  const auto& columns = source.splits()[split].columns;
  if (number_ < columns.size()) return;
  throw DataError(
      doing + ": split \"" + source.splits()[split].name + "\" has no column \"" + std::string(name) + "\"; " +
      (columns.empty() ? "it has no columns: pack an image list with this column" : "expected " + either_of(columns)));
}

std::optional<std::string> SampleColumn::text(std::int64_t row) const {
  return dataset_file::value_text(Json::parse(source_.sample_metadata(split_, row)).at(number_));
}

bool has_column(const Source& source, std::size_t split, std::string_view name) {
  const auto& columns = source.splits()[split].columns;
  return column_number(columns, name) < columns.size();
}

}  // namespace octavo::sources
