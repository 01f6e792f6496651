#include "sources/lists/table_labels.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <set>
#include <string_view>

#include <octavo/errors.hpp>
#include <octavo/text.hpp>

#include "sources/lists/name_list.hpp"
#include "support/ascii.hpp"

namespace octavo::sources {
namespace {

constexpr std::array<const char*, 6> kLabelColumns = {"label", "class", "class_name", "category", "target", "y"};

bool is_class_number(double number) {
  return number == std::rint(number) && number >= 0.0 && number <= std::numeric_limits<std::int32_t>::max();
}

/// Several numbers per row: multi-labels if all are 0 and 1, else targets.
LabelLayout layout_of(const std::vector<std::vector<double>>& numbers) {
  bool are_bits = true;
  for (const auto& row : numbers) {
    are_bits = are_bits && std::all_of(row.begin(), row.end(), [](double n) { return n == 0.0 || n == 1.0; });
  }
  return {are_bits ? LabelKind::multi_label : LabelKind::target, std::ssize(numbers[0])};
}

}  // namespace

std::ptrdiff_t find_label_column(const Table& table) {
  for (const char* const name : kLabelColumns) {
    if (const std::ptrdiff_t at = table.find(name); at >= 0) return at;
  }
  return -1;
}

void refuse_late_column(const std::string& name) {
  throw FormatError("the first line has no \"" + name + "\", but later lines do; add it, or null");
}

std::ptrdiff_t find_column(const Table& table, const std::string& name) {
  const auto exact = std::ranges::find(table.columns, name);
  if (exact != table.columns.end()) return exact - table.columns.begin();
  const std::ptrdiff_t at = table.find(lower_case(name));
  if (at < 0 && std::ranges::find(table.late_columns, name) != table.late_columns.end()) refuse_late_column(name);
  if (at < 0) throw FormatError("it has no column \"" + name + "\"; expected one of " + either_of(table.columns));
  return at;
}

bool is_label_column(std::string_view name) {
  return std::find(kLabelColumns.begin(), kLabelColumns.end(), name) != kLabelColumns.end();
}

std::string label_column_names() { return either_of({kLabelColumns.begin(), kLabelColumns.end()}); }

bool is_row_number_column(std::string_view name) { return name.empty() || name.starts_with("Unnamed: "); }

std::optional<double> number_of(const Cell& cell) {
  if (cell.is_number()) return cell.get<double>();
  if (cell.is_boolean()) return cell.get<bool>() ? 1.0 : 0.0;
  if (!cell.is_string()) return std::nullopt;
  std::string_view text = cell.get_ref<const std::string&>();
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

bool is_missing(const Cell& cell) {
  if (cell.is_null()) return true;
  if (!cell.is_string()) return false;
  static constexpr std::array<std::string_view, 10> kWords = {"",    "nan",  "na",   "n/a",      "null",
                                                              "inf", "-inf", "+inf", "infinity", "-infinity"};
  return std::ranges::find(kWords, lower_case(cell.get_ref<const std::string&>())) != kWords.end();
}

std::string text_of(const Cell& cell) {
  if (cell.is_string()) return cell.get<std::string>();
  return cell.is_null() ? "" : cell.dump();
}

TableLabels::TableLabels(const Table& table, std::ptrdiff_t label_column,
                         const std::vector<std::ptrdiff_t>& other_columns, const std::vector<std::string>& given_names)
    : table_(table), given_names_(given_names) {
  if (label_column >= 0) {
    columns_.push_back(static_cast<std::size_t>(label_column));
    kind_ = find_kind();
  } else {
    find_columns(other_columns);
    kind_ = columns_.empty() ? Kind::none : Kind::columns;
  }
  if (kind_ == Kind::name) number_names();
  for (std::size_t row = 0; kind_ == Kind::list && list_width_ == 0 && row < table_.rows.size(); ++row) {
    if (label(row).is_array()) list_width_ = label(row).size();
  }
}

TableLabels::Kind TableLabels::find_kind() const {
  bool are_names = false;
  for (std::size_t row = 0; row < table_.rows.size(); ++row) {
    if (label(row).is_array()) return Kind::list;
    are_names = are_names || (!number_of(label(row)) && !is_missing(label(row)));
  }
  // Text that marks a missing number is a valid name: "NA" may be Namibia.
  return are_names ? Kind::name : Kind::number;
}

/// If the first cell of a column is missing, the next one decides.
void TableLabels::find_columns(const std::vector<std::ptrdiff_t>& other_columns) {
  for (std::size_t column = 0; column < table_.columns.size(); ++column) {
    const auto at = static_cast<std::ptrdiff_t>(column);
    if (std::find(other_columns.begin(), other_columns.end(), at) != other_columns.end()) continue;
    if (is_row_number_column(table_.columns[column])) continue;
    std::size_t row = 0;
    while (row < table_.rows.size() && is_missing(cell(row, column))) ++row;
    if (row < table_.rows.size() && number_of(cell(row, column))) columns_.push_back(column);
  }
}

void TableLabels::number_names() {
  std::set<std::string> found;
  for (std::size_t row = 0; row < table_.rows.size(); ++row) {
    std::string name = text_of(label(row));
    if (!name.empty() && is_clean_utf8(name)) found.insert(std::move(name));
  }
  class_names_ = given_names_.empty() ? std::vector<std::string>(found.begin(), found.end()) : given_names_;
  for (std::size_t i = 0; i < class_names_.size(); ++i) places_of_[class_names_[i]] = static_cast<double>(i);
}

std::vector<std::string> TableLabels::columns() const {
  std::vector<std::string> names;
  for (const std::size_t column : columns_) names.push_back(table_.columns[column]);
  return names;
}

std::optional<std::string> TableLabels::problem(std::size_t row) const {
  switch (kind_) {
    case Kind::none:
      return std::nullopt;
    case Kind::number:
      if (number_of(label(row))) return std::nullopt;
      return "its label is missing or not a finite number (\"" + text_of(label(row)) + "\")";
    case Kind::name:
      return problem_of_name(row);
    case Kind::list:
      return problem_of_list(row);
    case Kind::columns:
      return problem_of_columns(row);
  }
  return std::nullopt;
}

std::optional<std::string> TableLabels::problem_of_name(std::size_t row) const {
  const std::string name = text_of(label(row));
  if (name.empty()) return "it has no label";
  if (!is_clean_utf8(name)) return "its label is not UTF-8";
  if (!places_of_.contains(name)) return "its label is not among the given class names";
  return std::nullopt;
}

std::optional<std::string> TableLabels::problem_of_list(std::size_t row) const {
  const Cell& list = label(row);
  if (!list.is_array()) return "its label is not a list, but other labels are";
  if (list.empty() || list.size() != list_width_) {
    return "it has " + std::to_string(list.size()) + " labels, the first line has " + std::to_string(list_width_);
  }
  const bool are_numbers = std::all_of(list.begin(), list.end(), [](const Cell& one) { return number_of(one); });
  return are_numbers ? std::nullopt : std::optional<std::string>("a label is not a number");
}

std::optional<std::string> TableLabels::problem_of_columns(std::size_t row) const {
  for (const std::size_t column : columns_) {
    if (number_of(cell(row, column))) continue;
    const std::string name = "\"" + table_.columns[column] + "\"";
    return is_missing(cell(row, column)) ? name + " is missing or not finite"
                                         : name + " is not a number, but it is in other lines";
  }
  return std::nullopt;
}

std::vector<double> TableLabels::numbers_of(std::size_t row) const {
  if (kind_ == Kind::name) return {places_of_.at(text_of(label(row)))};
  std::vector<double> numbers;
  if (kind_ == Kind::list) {
    for (const Cell& one : label(row)) numbers.push_back(*number_of(one));
  } else {
    for (const std::size_t column : columns_) numbers.push_back(*number_of(cell(row, column)));
  }
  return numbers;
}

TableLabels::Labels TableLabels::read(const std::vector<std::size_t>& rows) const {
  Labels labels;
  if (kind_ == Kind::none || rows.empty()) return labels;
  for (const std::size_t row : rows) labels.numbers.push_back(numbers_of(row));
  if (kind_ == Kind::list || kind_ == Kind::columns) {
    labels.layout = layout_of(labels.numbers);
    if (labels.layout.kind != LabelKind::multi_label) return labels;
    if (kind_ == Kind::list) labels.class_names = given_names_;
    for (const std::size_t column : columns_) {
      if (kind_ == Kind::columns) labels.class_names.push_back(table_.columns[column]);
    }
    return labels;
  }
  const bool are_classes = std::all_of(labels.numbers.begin(), labels.numbers.end(),
                                       [](const std::vector<double>& number) { return is_class_number(number[0]); });
  labels.layout = {are_classes ? LabelKind::class_index : LabelKind::target, 1};
  if (are_classes) labels.class_names = kind_ == Kind::name ? class_names_ : given_names_;
  return labels;
}

}  // namespace octavo::sources
