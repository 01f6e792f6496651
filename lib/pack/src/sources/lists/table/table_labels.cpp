#include "sources/lists/table/table_labels.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

#include <octavo/byte_count.hpp>
#include <octavo/errors.hpp>
#include <octavo/spelling.hpp>
#include <octavo/text.hpp>

#include "format/limits.hpp"
#include "sources/lists/image_list.hpp"
#include "sources/lists/table/list_columns.hpp"
#include "support/text/ascii.hpp"
#include "support/text/utf8.hpp"

namespace octavo::sources {
namespace {

// Names before numbers, so that classes have names where a list has both.
constexpr std::array<const char*, 20> kLabelColumns = {
    "label",    "class",      "class_name",    "category",    "target",    "y",          "labels",
    "tags",     "label_name", "category_name", "class_label", "diagnosis", "breed",      "species",
    "class_id", "classid",    "class_index",   "label_id",    "labelid",   "category_id"};
// The second is a label column only without the first.
constexpr std::array<std::string_view, 2> kCoordinates = {"x", "y"};
constexpr std::size_t kMostExampleBytes = 64;
// Values of options.label_separator: guess whether labels are tags, or read each as one class.
constexpr const char* kGuess = "auto";
constexpr const char* kNoSeparator = "none";

std::string missing_label(const Cell& cell) { return "its label is missing (\"" + printable(text_of(cell)) + "\")"; }
std::string listed_names(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "\"" : ", \"") + printable(name) + "\"";
  return text;
}
std::string quoted_example(std::string_view text) { return "\"" + printable(cut_utf8(text, kMostExampleBytes)) + "\""; }

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

/// Whether all numbers are -1 or 1, and both occur.
bool are_signs(const std::vector<std::vector<double>>& numbers) {
  bool has_minus = false, has_plus = false;
  for (const auto& row : numbers) {
    for (const double number : row) {
      if (number != -1.0 && number != 1.0) return false;
      (number < 0.0 ? has_minus : has_plus) = true;
    }
  }
  return has_minus && has_plus;
}

}  // namespace

namespace {

bool has_column(const Table& table, const std::string& name) {
  return std::ranges::find(table.columns, name) != table.columns.end() || table.find(lower_case(name)) >= 0;
}

[[noreturn]] void refuse_unknown_column(const Table& table, const std::string& name) {
  const std::string hint = did_you_mean(name, table.columns);
  throw FormatError("it has no column \"" + name + "\"; " + (hint.empty() ? "" : hint + " ") +
                    (table.columns.size() == 1 ? "expected " : "expected one of ") + either_of(table.columns));
}

/// The names between the commas of a name that is not that of a column.
std::vector<std::string> names_in(const Table& table, const std::string& name) {
  if (has_column(table, name) || name.find(',') == std::string::npos) return {name};
  return TagSeparator("comma").tags_of(name);
}

/// Whether the first cell of a column that is not missing is a number.
bool begins_with_number(const Table& table, std::size_t column) {
  const auto first = std::ranges::find_if(table.rows, [&](const auto& row) { return !is_missing(row[column]); });
  return first != table.rows.end() && number_of((*first)[column]);
}

/// Whether columns hold both coordinates of a point or a box.
bool has_coordinates(const Table& table, std::ptrdiff_t path_column) {
  return std::ranges::all_of(kCoordinates, [&](std::string_view name) {
    const std::ptrdiff_t at = table.find(name);
    return at >= 0 && at != path_column && begins_with_number(table, static_cast<std::size_t>(at));
  });
}

}  // namespace

std::vector<std::size_t> find_label_columns(const Table& table, const std::vector<std::string>& names,
                                            std::ptrdiff_t path_column, std::ptrdiff_t mask_column) {
  if (names.empty()) {
    for (const char* const name : kLabelColumns) {
      const std::ptrdiff_t at = table.find(name);
      if (at < 0 || at == mask_column || (name == kCoordinates[1] && has_coordinates(table, path_column))) continue;
      return {static_cast<std::size_t>(at)};
    }
    return {};
  }
  std::vector<std::size_t> columns;
  for (const std::string& several : names) {
    for (const std::string& name : names_in(table, several)) {
      const auto column = static_cast<std::size_t>(find_column(table, name));
      if (std::ranges::find(columns, column) != columns.end()) {
        throw FormatError("`label_column` names \"" + name + "\" twice");
      }
      columns.push_back(column);
    }
  }
  std::erase_if(columns, [&](std::size_t column) { return static_cast<std::ptrdiff_t>(column) == mask_column; });
  return columns;
}

void refuse_late_column(const std::string& name) {
  throw FormatError("the first line has no \"" + name + "\", but later lines do; add it, or null");
}

std::ptrdiff_t find_column(const Table& table, const std::string& name) {
  const auto exact = std::ranges::find(table.columns, name);
  if (exact != table.columns.end()) return exact - table.columns.begin();
  const std::ptrdiff_t at = table.find(lower_case(name));
  if (at < 0 && std::ranges::find(table.late_columns, name) != table.late_columns.end()) refuse_late_column(name);
  if (at < 0) refuse_unknown_column(table, name);
  return at;
}

bool is_label_column(std::string_view name) {
  return std::ranges::find(kLabelColumns, letters_of(name), &letters_of) != kLabelColumns.end();
}

std::string why_no_label_column(const std::vector<std::string>& columns) {
  const auto is_second = [](const std::string& name) { return lower_case(name) == kCoordinates[1]; };
  const std::string names = "label, class, category, target or another usual name";
  return std::ranges::none_of(columns, is_second)
             ? "no column is named " + names
             : "\"y\" is a coordinate next to \"x\", and no other column is named " + names;
}

bool is_row_number_column(std::string_view name) { return name.empty() || name.starts_with("Unnamed: "); }

std::optional<double> number_of(const Cell& cell) {
  if (cell.is_number()) return cell.get<double>();
  if (cell.is_boolean()) return cell.get<bool>() ? 1.0 : 0.0;
  if (!cell.is_string()) return std::nullopt;
  return labels::number_in(cell.get_ref<const std::string&>());
}

std::optional<double> label_number_of(const Cell& cell) {
  if (const auto number = number_of(cell)) return number;
  if (!cell.is_string()) return std::nullopt;
  const std::string text = lower_case(trimmed(cell.get_ref<const std::string&>()));
  if (text == "true") return 1.0;
  return text == "false" ? std::optional(0.0) : std::nullopt;
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

bool is_empty_text(const Cell& cell) { return cell.is_string() && trimmed(cell.get_ref<const std::string&>()).empty(); }

std::string text_of(const Cell& cell) {
  if (cell.is_string()) return cell.get<std::string>();
  return cell.is_null() ? "" : cell.dump();
}

TableLabels::TableLabels(const Table& table, const std::vector<std::size_t>& label_columns,
                         const std::vector<bool>& has_role, const SourceOptions& options)
    : table_(table), given_names_(options.class_names), wanted_(options.label_kind) {
  columns_ = label_columns;
  if (columns_.empty()) {
    find_columns(has_role);
    kind_ = columns_.empty() ? Kind::none : columns_.size() == 1 ? Kind::text : Kind::columns;
    if (kind_ == Kind::text) read_guessed_texts(options);
    if (kind_ == Kind::columns) read_columns(options);
    return;
  }
  if (columns_.size() > 1) {
    kind_ = Kind::columns;
    check_numbers();
    read_columns(options);
    return;
  }
  const auto first_list = std::ranges::find_if(table_.rows, [&](const std::vector<Cell>& row) {
    return row[columns_[0]].is_array() && !row[columns_[0]].empty();
  });
  if (first_list != table_.rows.end() && !(*first_list)[columns_[0]][0].is_string()) {
    kind_ = Kind::list;
    list_width_ = (*first_list)[columns_[0]].size();
    refuse_separator_of_numbers(options);
  } else {
    read_labels(options);
  }
}

/// Several columns. The given names, if there are any, name the classes.
void TableLabels::read_columns(const SourceOptions& options) {
  refuse_separator_of_numbers(options);
  if (given_names_.empty()) return;
  if (wanted_ == LabelKind::target) refuse_names_of_targets();
  const std::vector<std::size_t> all = std::exchange(columns_, {});
  for (const std::string& name : given_names_) columns_.push_back(column_of_class(name, all));
  std::vector<std::string> others;
  for (const std::size_t column : all) {
    if (std::ranges::find(columns_, column) == columns_.end()) others.push_back(table_.columns[column]);
  }
  if (others.empty()) return;
  remarks_.push_back("the " + std::string(others.size() == 1 ? "column" : "columns") + " of numbers " +
                     listed_names(others) + (others.size() == 1 ? " is not a class" : " are not classes") +
                     ", since `classes` does not name " + (others.size() == 1 ? "it" : "them"));
}

/// The column of `all` with this name. Throws if there is none, or if it has been found before.
std::size_t TableLabels::column_of_class(const std::string& name, const std::vector<std::size_t>& all) const {
  std::vector<std::string> names;
  for (const std::size_t column : all) names.push_back(table_.columns[column]);
  const auto place = std::ranges::find(names, name);
  if (place == names.end()) {
    const std::string hint = did_you_mean(name, names);
    throw FormatError("`classes` names \"" + printable(name) + "\", but no column of labels has this name; " +
                      (hint.empty() ? "" : hint + " ") + "expected " + either_of(names) +
                      "; rename classes with `class_map`");
  }
  const std::size_t column = all[static_cast<std::size_t>(place - names.begin())];
  if (std::ranges::find(columns_, column) == columns_.end()) return column;
  throw FormatError("`classes` names \"" + printable(name) + "\" twice; name each class once");
}

/// A separator is for the labels of one column.
void TableLabels::refuse_separator_of_numbers(const SourceOptions& options) const {
  if (options.label_separator == kGuess || options.label_separator == kNoSeparator) return;
  throw FormatError("`label_separator` divides the text of one column into classes, but a label is several numbers; " +
                    std::string("omit it, or name one column of text with `label_column`"));
}

void TableLabels::refuse_names_of_targets() const {
  throw FormatError("the labels are targets, which have no classes; omit `classes`");
}

/// Several named columns hold numbers; some may be missing.
void TableLabels::check_numbers() const {
  for (const std::size_t column : columns_) {
    for (std::size_t row = 0; row < table_.rows.size(); ++row) {
      if (is_missing(cell(row, column)) || label_number_of(cell(row, column))) continue;
      throw FormatError("the label column \"" + printable(table_.columns[column]) + "\" holds text, such as \"" +
                        printable(text_of(cell(row, column))) + "\" (" + line_of(row) +
                        "); several label columns must hold numbers, which are multi-labels if all are 0 and 1, else "
                        "targets; name one column of text, and keep others with `columns`");
    }
  }
}

/// If the first cell of a column is missing, the next one decides.
void TableLabels::find_columns(const std::vector<bool>& has_role) {
  for (std::size_t column = 0; column < table_.columns.size(); ++column) {
    const std::string& name = table_.columns[column];
    if (has_role[column] || is_row_number_column(name) || is_path_column(name)) continue;
    std::size_t row = 0;
    while (row < table_.rows.size() && is_missing(cell(row, column))) ++row;
    if (row < table_.rows.size() && label_number_of(cell(row, column))) columns_.push_back(column);
  }
}

std::string TableLabels::column_name() const { return "\"" + printable(table_.columns[columns_[0]]) + "\""; }

std::string TableLabels::label_text(std::size_t row) const {
  const Cell& one = label(row);
  return one.is_boolean() ? (one.get<bool>() ? "1" : "0") : text_of(one);
}

/// The separator of the tags in the labels; nothing if each label is one class or a target, as `label_kind` may say
/// without a separator. Notes what a user might not expect.
std::optional<TagSeparator> TableLabels::separator_of_tags(const SourceOptions& options) {
  if (options.label_separator == kNoSeparator) return std::nullopt;
  const bool is_given = options.label_separator != kGuess;
  if (is_given && wanted_ == LabelKind::target) {
    throw FormatError("`label_separator` divides labels into classes, but `label_kind=target` reads numbers; omit one");
  }
  if (wanted_ == LabelKind::target) return std::nullopt;
  if (is_given) return given_separator(options.label_separator);
  const auto is_list = [&](const std::vector<Cell>& row) { return row[columns_[0]].is_array(); };
  if (std::ranges::any_of(table_.rows, is_list)) return TagSeparator("comma");
  if (wanted_ == LabelKind::class_index) return std::nullopt;
  return guessed_separator();
}

/// Throws if it divides no label, but another separator divides some: each set of tags would become a class.
TagSeparator TableLabels::given_separator(const std::string& text) {
  TagSeparator given(text);
  const std::vector<std::string> labels = known_labels();
  const auto is_divided = [&](const std::string& label) { return given.occurs_in(label); };
  if (labels.empty() || std::ranges::any_of(labels, is_divided)) return given;
  const TagGuess guess = guess_tags(labels, given_names_, table_.columns[columns_[0]]);
  const bool is_other = guess.separator && guess.separator->tags_of(guess.example).size() > 1;
  if (is_other && guess.kind != TagGuess::Kind::one_class) refuse_separator(given, guess);
  remarks_.push_back("no label in " + column_name() + " has the separator " + given.describe() +
                     ", so that each is one tag, such as " + quoted_example(labels[0]));
  return given;
}

void TableLabels::refuse_separator(const TagSeparator& given, const TagGuess& guess) const {
  throw FormatError("no label in " + column_name() + " has the separator " + given.describe() +
                    " of `label_separator`, but " + quoted_example(guess.example) + " has " +
                    guess.separator->describe() + "; divide them with `label_separator=" + guess.separator->option() +
                    "`, or make each label one class with `label_separator=none`");
}

std::optional<TagSeparator> TableLabels::guessed_separator() {
  const TagGuess guess = guess_tags(known_labels(), given_names_, table_.columns[columns_[0]]);
  if (!guess.separator) return std::nullopt;
  switch (guess.kind) {
    case TagGuess::Kind::one_class:
      if (guess.is_remarkable) remark_on_one_class(guess);
      return std::nullopt;
    case TagGuess::Kind::tags:
      remark_on_tags(guess);
      return guess.separator;
    case TagGuess::Kind::numbers:
      refuse_numbers(guess);
    case TagGuess::Kind::unclear:
      refuse_unclear(guess);
  }
  return std::nullopt;
}

/// The labels that are not missing.
std::vector<std::string> TableLabels::known_labels() const {
  std::vector<std::string> labels;
  for (std::size_t row = 0; row < table_.rows.size(); ++row) {
    if (!is_missing(label(row))) labels.push_back(label_text(row));
  }
  return labels;
}

void TableLabels::remark_on_one_class(const TagGuess& guess) {
  remarks_.push_back("each label in " + column_name() + " is one class, such as " + quoted_example(guess.example) +
                     "; `label_separator=" + guess.separator->option() + "` makes its parts multi-labels");
}

void TableLabels::remark_on_tags(const TagGuess& guess) {
  remarks_.push_back("the labels in " + column_name() + " are divided at " + guess.separator->describe() +
                     " into multi-labels, such as " + quoted_example(guess.example) +
                     "; `label_separator=none` makes each one class");
}

void TableLabels::refuse_numbers(const TagGuess& guess) const {
  throw FormatError("the labels in " + column_name() + " are several numbers each, such as " +
                    quoted_example(guess.example) +
                    "; give each number a column of its own, and name all in `label_column`");
}

void TableLabels::refuse_unclear(const TagGuess& guess) const {
  throw FormatError("the labels in " + column_name() + " may be one class each or several, such as " +
                    quoted_example(guess.example) + "; divide them into multi-labels with `label_separator=" +
                    guess.separator->option() + "`, or make each one class with `label_separator=none`");
}

/// The labels of one column that are not lists of numbers.
void TableLabels::read_labels(const SourceOptions& options) {
  if (const auto separator = separator_of_tags(options)) {
    read_tags(*separator);
  } else {
    read_texts(options);
  }
}

void TableLabels::read_texts(const SourceOptions& options) {
  kind_ = Kind::text;
  labels::TextLabels texts(given_names_, options.label_kind);
  for (std::size_t row = 0; row < table_.rows.size(); ++row) texts.add(label_text(row));
  texts_ = texts.numbered([&](std::size_t row) { return line_of(row); });
  for (labels::Unlabeled& one : texts_.unlabeled) unlabeled_.emplace(one.at, std::move(one.reason));
  if (!options.label_columns.empty() && !options.label_kind) remark_on_whole_numbers();
}

/// Whole numbers in a column that the user names may be quantities, such as an age, unless its name is usual for
/// labels. Two numbers are classes.
void TableLabels::remark_on_whole_numbers() {
  constexpr std::size_t kFewestQuantities = 3;
  if (!are_classes() || !texts_.class_names.empty() || is_label_column(table_.columns[columns_[0]])) return;
  std::set<double> different;
  for (std::size_t row = 0; row < texts_.numbers.size() && different.size() < kFewestQuantities; ++row) {
    if (!unlabeled_.contains(row)) different.insert(texts_.numbers[row]);
  }
  if (different.size() < kFewestQuantities) return;
  remarks_.push_back("the labels are the whole numbers in " + column_name() +
                     ", and each number is a class; `label_kind=target` makes them targets, and `label_kind=class` "
                     "confirms the classes");
}

std::vector<std::string> TableLabels::tags_of(std::size_t row, const TagSeparator& separator) const {
  if (!label(row).is_array()) {
    if (auto tags = separator.tags_in(label_text(row))) return std::move(*tags);
    throw FormatError("the label " + quoted_example(label_text(row)) + " (" + line_of(row) + ") in " + column_name() +
                      " is in brackets, but is no list such as ['a', 'b'] or ['a' 'b']; write its parts in quotes, or "
                      "make each label one class with `label_separator=none`");
  }
  std::vector<std::string> tags;
  for (const Cell& tag : label(row)) tags.push_back(text_of(tag));
  return tags;
}

/// An empty cell is an empty set of tags, as in lists of images that may show none of the classes.
void TableLabels::remark_on_empty_labels(const std::vector<std::size_t>& rows) {
  const bool is_one = rows.size() == 1;
  remarks_.push_back(counted(std::ssize(rows), "label") + " in " + column_name() + (is_one ? " is" : " are") +
                     " empty, which means none of the classes" + (is_one ? ": " : "; the first is ") +
                     line_of(rows[0]) + "; write NaN for a label that is missing");
}

void TableLabels::read_tags(const TagSeparator& separator) {
  kind_ = Kind::tags;
  labels::TextLabels texts(given_names_, LabelKind::class_index);
  std::vector<std::size_t> rows, empty_rows;  // of each tag; without a tag
  for (std::size_t row = 0; row < table_.rows.size(); ++row) {
    if (is_missing(label(row))) {
      if (is_empty_text(label(row))) {
        empty_rows.push_back(row);
      } else {
        unlabeled_.emplace(row, missing_label(label(row)));
      }
      continue;
    }
    for (const std::string& tag : tags_of(row, separator)) {
      texts.add(tag);
      rows.push_back(row);
    }
  }
  if (rows.empty()) {
    for (const std::size_t row : empty_rows) unlabeled_.emplace(row, missing_label(label(row)));
  } else if (!empty_rows.empty()) {
    remark_on_empty_labels(empty_rows);
  }
  texts_ = texts.numbered([&](std::size_t tag) { return line_of(rows[tag]); });
  for (labels::Unlabeled& one : texts_.unlabeled) unlabeled_.emplace(rows[one.at], std::move(one.reason));
  tags_.resize(table_.rows.size());
  for (std::size_t tag = 0; tag < rows.size(); ++tag) tags_[rows[tag]].push_back(texts_.numbers[tag]);
}

/// The user has not named the column, so that messages must.
void TableLabels::read_guessed_texts(const SourceOptions& options) {
  const std::string column = "column \"" + table_.columns[columns_[0]] + "\": ";
  try {
    read_labels(options);
  } catch (const FormatError& error) {
    throw FormatError(column + error.what() + "; `label_column` names another column of labels");
  }
}

std::optional<std::string> TableLabels::problem(std::size_t row) const {
  switch (kind_) {
    case Kind::none:
      return std::nullopt;
    case Kind::text:
    case Kind::tags: {
      const auto found = unlabeled_.find(row);
      if (found == unlabeled_.end()) return std::nullopt;
      return "column " + column_name() + ": " + found->second;
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
    if (label_number_of(cell(row, column))) continue;
    const std::string name = "\"" + table_.columns[column] + "\"";
    return is_missing(cell(row, column)) ? name + " is missing or not finite"
                                         : name + " is not a number, but it is in other lines";
  }
  return std::nullopt;
}

std::vector<double> TableLabels::numbers_of(std::size_t row) const {
  if (kind_ == Kind::text) return {texts_.numbers[row]};
  if (kind_ == Kind::tags) return tags_[row];
  std::vector<double> numbers;
  if (kind_ == Kind::list) {
    for (const Cell& one : label(row)) numbers.push_back(*number_of(one));
  } else {
    for (const std::size_t column : columns_) numbers.push_back(*label_number_of(cell(row, column)));
  }
  return numbers;
}

/// The number of classes of labels that read() has found for `rows`: of their names or, without names, of the class
/// numbers.
std::int64_t TableLabels::width_of_tags(const Labels& labels, const std::vector<std::size_t>& rows) const {
  const std::string way_out = ", or make each label one class with `label_separator=none`";
  if (!labels.class_names.empty()) {
    const std::int64_t width = std::ssize(labels.class_names);
    if (fits_multi_labels(std::ssize(rows), width)) return width;
    throw FormatError("the labels in " + column_name() + " have " + std::to_string(width) +
                      " different parts, too many for the multi-labels of " + counted(std::ssize(rows), "image") +
                      "; leave out rare ones" + way_out);
  }
  double largest = 0.0;
  std::size_t its_row = rows[0];
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (const double number : labels.numbers[i]) {
      if (number <= largest) continue;
      largest = number;
      its_row = rows[i];
    }
  }
  const auto width = static_cast<std::int64_t>(largest) + 1;
  if (width <= dataset_file::kMostLabelWidth && fits_multi_labels(std::ssize(rows), width)) return width;
  throw FormatError("the class number " + std::to_string(width - 1) + " (" + line_of(its_row) + ") in " +
                    column_name() + " is too large for multi-labels of " + counted(std::ssize(rows), "image") +
                    "; number the classes from 0 without gaps" + way_out);
}

/// The given names, one for each number in a list, if there are any.
std::vector<std::string> TableLabels::names_of_list() const {
  if (given_names_.empty() || given_names_.size() == list_width_) return given_names_;
  throw FormatError("the labels are lists of " + counted(static_cast<std::int64_t>(list_width_), "number") +
                    ", but `classes` has " + counted(std::ssize(given_names_), "name") + "; name each class once");
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
  if (kind_ == Kind::tags) {
    labels.class_names = texts_.class_names;
    labels.layout = {LabelKind::multi_label, width_of_tags(labels, rows)};
    labels.are_tags = true;
    return labels;
  }
  labels.layout = layout_of(labels.numbers, wanted_);
  labels.are_signs = !wanted_ && are_signs(labels.numbers);
  if (labels.layout.kind != LabelKind::multi_label) {
    if (!given_names_.empty()) refuse_names_of_targets();
    return labels;
  }
  if (kind_ == Kind::list) labels.class_names = names_of_list();
  for (const std::size_t column : columns_) {
    if (kind_ == Kind::columns) labels.class_names.push_back(table_.columns[column]);
  }
  return labels;
}

}  // namespace octavo::sources
