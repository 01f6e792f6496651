#include "sources/lists/table_labels.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <octavo/errors.hpp>
#include <octavo/text.hpp>

#include "sources/lists/list_columns.hpp"
#include "support/ascii.hpp"

namespace octavo::sources {
namespace {

constexpr std::array<const char*, 6> kLabelColumns = {"label", "class", "class_name", "category", "target", "y"};

/// Several numbers per row: multi-labels if all are 0 and 1, else targets. Throws FormatError, with the reason only, if
/// that is not `wanted`.
LabelLayout layout_of(const std::vector<std::vector<double>>& numbers, std::optional<LabelKind> wanted) {
  bool are_bits = wanted != LabelKind::target;
  for (const auto& row : numbers) {
    are_bits = are_bits && std::all_of(row.begin(), row.end(), [](double n) { return n == 0.0 || n == 1.0; });
  }
  if (!are_bits && wanted == LabelKind::class_index) {
    throw FormatError(
        "the labels of a sample are several numbers other than 0 and 1, which are not classes; name one "
        "column with `label_column`, or omit `label_kind`");
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
  return labels::number_in(cell.get_ref<const std::string&>());
}

bool is_missing(const Cell& cell) {
  if (cell.is_null()) return true;
  if (!cell.is_string()) return false;
  static constexpr std::array<std::string_view, 11> kWords = {"",    "?",    "nan",  "na",       "n/a",      "null",
                                                              "inf", "-inf", "+inf", "infinity", "-infinity"};
  return std::ranges::find(kWords, lower_case(trimmed(cell.get_ref<const std::string&>()))) != kWords.end();
}

std::string refused_numbers(const Table& table) {
  for (std::size_t column = 0; column < table.columns.size(); ++column) {
    std::optional<std::size_t> first;
    const auto is_number = [&](std::size_t row) {
      const Cell& one = table.rows[row][column];
      const bool is_refused = labels::has_thousands_separators(text_of(one));
      if (is_refused && !first) first = row;
      return is_refused || is_missing(one) || number_of(one);
    };
    std::size_t row = 0;
    while (row < table.rows.size() && is_number(row)) ++row;
    if (row < table.rows.size() || !first) continue;
    return "numbers in \"" + printable(table.columns[column]) + "\" have thousands separators, such as \"" +
           printable(text_of(table.rows[*first][column])) + "\" (line " + std::to_string(table.lines[*first]) + ")";
  }
  return "";
}

std::string text_of(const Cell& cell) {
  if (cell.is_string()) return cell.get<std::string>();
  return cell.is_null() ? "" : cell.dump();
}

TableLabels::TableLabels(const Table& table, std::ptrdiff_t label_column, const std::vector<bool>& has_role,
                         const SourceOptions& options)
    : table_(table), given_names_(options.class_names), wanted_(options.label_kind) {
  if (label_column < 0) {
    find_columns(has_role);
    kind_ = columns_.empty() ? Kind::none : columns_.size() == 1 ? Kind::text : Kind::columns;
    if (kind_ == Kind::text) read_guessed_texts(options);
    return;
  }
  columns_.push_back(static_cast<std::size_t>(label_column));
  const auto first_list =
      std::ranges::find_if(table_.rows, [&](const std::vector<Cell>& row) { return row[columns_[0]].is_array(); });
  if (first_list != table_.rows.end()) {
    kind_ = Kind::list;
    list_width_ = (*first_list)[columns_[0]].size();
  } else {
    kind_ = Kind::text;
    read_texts(options);
  }
}

/// If the first cell of a column is missing, the next one decides.
void TableLabels::find_columns(const std::vector<bool>& has_role) {
  for (std::size_t column = 0; column < table_.columns.size(); ++column) {
    const std::string& name = table_.columns[column];
    if (has_role[column] || is_row_number_column(name) || is_path_column(name)) continue;
    std::size_t row = 0;
    while (row < table_.rows.size() && is_missing(cell(row, column))) ++row;
    if (row < table_.rows.size() && number_of(cell(row, column))) columns_.push_back(column);
  }
}

void TableLabels::read_texts(const SourceOptions& options) {
  labels::TextLabels texts(given_names_, options.label_kind);
  for (std::size_t row = 0; row < table_.rows.size(); ++row) {
    const Cell& one = label(row);
    texts.add(one.is_boolean() ? (one.get<bool>() ? "1" : "0") : text_of(one));
  }
  texts_ = texts.numbered([&](std::size_t row) { return "line " + std::to_string(table_.lines[row]); });
  for (labels::Unlabeled& one : texts_.unlabeled) unlabeled_.emplace(one.at, std::move(one.reason));
}

/// The user has not named the column, so that messages must.
void TableLabels::read_guessed_texts(const SourceOptions& options) {
  const std::string column = "column \"" + table_.columns[columns_[0]] + "\": ";
  try {
    read_texts(options);
  } catch (const FormatError& error) {
    throw FormatError(column + error.what() + "; `label_column` names another column of labels");
  }
  for (auto& [row, reason] : unlabeled_) reason.insert(0, column);
}

std::optional<std::string> TableLabels::problem(std::size_t row) const {
  switch (kind_) {
    case Kind::none:
      return std::nullopt;
    case Kind::text: {
      const auto found = unlabeled_.find(row);
      return found == unlabeled_.end() ? std::nullopt : std::optional(found->second);
    }
    case Kind::list:
      return problem_of_list(row);
    case Kind::columns:
      return problem_of_columns(row);
  }
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
  if (kind_ == Kind::text) return {texts_.numbers[row]};
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
  if (kind_ == Kind::text) {
    labels.layout = texts_.layout;
    labels.class_names = texts_.class_names;
    return labels;
  }
  labels.layout = layout_of(labels.numbers, wanted_);
  if (labels.layout.kind != LabelKind::multi_label) return labels;
  if (kind_ == Kind::list) labels.class_names = given_names_;
  for (const std::size_t column : columns_) {
    if (kind_ == Kind::columns) labels.class_names.push_back(table_.columns[column]);
  }
  return labels;
}

}  // namespace octavo::sources
