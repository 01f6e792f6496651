// The labels of the rows of an image list, all of one kind.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <octavo/pack.hpp>

#include "labels/text_labels.hpp"
#include "sources/lists/table/label_tags.hpp"
#include "sources/lists/table/table_rows.hpp"

namespace octavo::sources {

/// The columns that `names` names or, if it is empty, the first column with the name of a label column, if there is
/// one. It is not "y" next to "x" if both are numbers, which are coordinates, unless `path_column` is one of them, and
/// never `mask_column`, the column of masks or -1. A name may be several, separated by commas, unless there is a column
/// with exactly that name. Throws FormatError, with the reason only, if a column is missing or named twice.
std::vector<std::size_t> find_label_columns(const Table& table, const std::vector<std::string>& names,
                                            std::ptrdiff_t path_column, std::ptrdiff_t mask_column = -1);

/// Throws FormatError, with the reason only: JSON lines after the first have this key.
[[noreturn]] void refuse_late_column(const std::string& name);

/// The index of the column with exactly this name or, if there is none, in any case. Throws FormatError with the reason
/// only if there is none.
std::ptrdiff_t find_column(const Table& table, const std::string& name);

/// Whether `name` is the name of a label column, in any spelling.
bool is_label_column(std::string_view name);

/// Why find_label_columns() finds none of `columns` by name, for messages: "no column is named label, class, ... or y".
std::string why_no_label_column(const std::vector<std::string>& columns);

/// Whether a column of that name numbers the rows: an empty name, as pandas writes its index, or "Unnamed: 0", as
/// pandas reads it.
bool is_row_number_column(std::string_view name);

/// The number in a cell, also if it is text; nothing if the cell is other text or the number is not finite.
std::optional<double> number_of(const Cell& cell);

/// The number in a cell of several label columns: that of number_of(), or 1 and 0 for the text "true" and "false" in
/// any case, as pandas writes indicators.
std::optional<double> label_number_of(const Cell& cell);

/// Whether a cell marks a missing number: null, empty text, "?", or NaN, NA, N/A, null or an infinity in any case.
bool is_missing(const Cell& cell);

/// Whether a cell is text that is empty or blank.
bool is_empty_text(const Cell& cell);

/// The first column in which all values are numbers and some have thousands separators, "1,234", for a message; empty
/// if there is none. Such a column is not taken for labels.
std::string refused_numbers(const Table& table);

/// A cell as text: the text itself, empty for null, otherwise its JSON form.
std::string text_of(const Cell& cell);

class TableLabels {
 public:
  /// Takes the labels from `label_columns`; if there are none, from all columns of numbers without a role, as
  /// `has_role` says for each column. A single column has the labels of text_labels.hpp, or several tags in each label,
  /// as options.label_separator says or label_tags.hpp guesses. `table` must outlive this. Throws FormatError, with the
  /// reason only, if the labels of the column are of several kinds, do not fit (see text_labels.hpp) or may be tags or
  /// not, or if one of several columns holds text.
  TableLabels(const Table& table, const std::vector<std::size_t>& label_columns, const std::vector<bool>& has_role,
              const SourceOptions& options);
  /// No labels.
  explicit TableLabels(const Table& table) : table_(table) {}

  /// The columns that hold labels; may be several, or have other names, if find_label_columns() finds none.
  const std::vector<std::size_t>& columns() const { return columns_; }
  /// Whether each row has one label, and these are classes.
  bool are_classes() const { return kind_ == Kind::text && texts_.layout.kind == LabelKind::class_index; }

  /// On labels that are several tags, or could be, and on columns of numbers that are not classes.
  const std::vector<std::string>& remarks() const { return remarks_; }

  /// Why a row has no usable label; nothing if it has one.
  std::optional<std::string> problem(std::size_t row) const;

  /// The labels of rows that have no problem(), in that order.
  struct Labels {
    LabelLayout layout;
    std::vector<std::vector<double>> numbers;  ///< layout.width for each row or, if are_tags, its classes
    std::vector<std::string> class_names;
    bool are_tags = false;
    bool are_signs = false;  ///< targets that are all -1 and 1
  };
  Labels read(const std::vector<std::size_t>& rows) const;

 private:
  enum class Kind { none, text, tags, list, columns };

  void find_columns(const std::vector<bool>& has_role);
  void check_numbers() const;
  void read_columns(const SourceOptions& options);
  std::size_t column_of_class(const std::string& name, const std::vector<std::size_t>& all) const;
  void refuse_separator_of_numbers(const SourceOptions& options) const;
  [[noreturn]] void refuse_names_of_targets() const;
  std::vector<std::string> names_of_list() const;
  void read_labels(const SourceOptions& options);
  void read_texts(const SourceOptions& options);
  void remark_on_whole_numbers();
  void read_tags(const TagSeparator& separator);
  void remark_on_empty_labels(const std::vector<std::size_t>& rows);
  std::vector<std::string> tags_of(std::size_t row, const TagSeparator& separator) const;
  std::optional<TagSeparator> separator_of_tags(const SourceOptions& options);
  TagSeparator given_separator(const std::string& text);
  [[noreturn]] void refuse_separator(const TagSeparator& given, const TagGuess& guess) const;
  std::optional<TagSeparator> guessed_separator();
  std::vector<std::string> known_labels() const;
  void remark_on_one_class(const TagGuess& guess);
  void remark_on_tags(const TagGuess& guess);
  [[noreturn]] void refuse_numbers(const TagGuess& guess) const;
  [[noreturn]] void refuse_unclear(const TagGuess& guess) const;
  std::string label_text(std::size_t row) const;
  std::string line_of(std::size_t row) const { return "line " + std::to_string(table_.lines[row]); }
  std::string column_name() const;
  void read_guessed_texts(const SourceOptions& options);
  std::optional<std::string> problem_of_list(std::size_t row) const;
  std::optional<std::string> problem_of_columns(std::size_t row) const;
  std::vector<double> numbers_of(std::size_t row) const;
  std::int64_t width_of_tags(const Labels& labels, const std::vector<std::size_t>& rows) const;
  const Cell& cell(std::size_t row, std::size_t column) const { return table_.rows[row][column]; }
  const Cell& label(std::size_t row) const { return cell(row, columns_[0]); }

  const Table& table_;
  const std::vector<std::string> given_names_;
  const std::optional<LabelKind> wanted_;
  std::vector<std::size_t> columns_;  ///< the columns that hold labels
  Kind kind_ = Kind::none;
  std::size_t list_width_ = 0;                              ///< Kind::list: the length of the first list
  labels::LabelTable texts_;                                ///< Kind::text: the labels of all rows; tags: all tags
  std::vector<std::vector<double>> tags_;                   ///< Kind::tags: the classes of all rows
  std::unordered_map<std::size_t, std::string> unlabeled_;  ///< Kind::text and tags: the reason, by row
  std::vector<std::string> remarks_;
};

}  // namespace octavo::sources
