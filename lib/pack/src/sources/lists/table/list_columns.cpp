#include "sources/lists/table/list_columns.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_map>

#include <octavo/errors.hpp>
#include <octavo/text.hpp>

#include "images/image_codec.hpp"
#include "sources/choice/row_choice.hpp"
#include "sources/lists/masks/mask_names.hpp"
#include "sources/lists/table/table_labels.hpp"
#include "support/text/ascii.hpp"
#include "support/text/short_text.hpp"
#include "support/text/utf8.hpp"

namespace octavo::sources {
namespace {

constexpr std::array<const char*, 8> kPathColumns = {"file_name", "filename",   "path",     "file",
                                                     "image",     "image_path", "image_id", "id"};
constexpr std::array<const char*, 3> kSplitColumns = {"split", "set", "subset"};
// Values of options.columns: all columns without another role, or none of them.
constexpr const char* kAllColumns = "all";
constexpr const char* kNoColumns = "none";
// Rows whose files are looked for to choose the path column.
constexpr std::size_t kRowsLookedAt = 100;
// Columns without a usual name whose files are looked for.
constexpr std::ptrdiff_t kMostColumnsTried = 32;

template <std::size_t kCount>
std::ptrdiff_t find_any(const Table& table, const std::array<const char*, kCount>& names) {
  for (const char* const name : names) {
    if (const std::ptrdiff_t at = table.find(name); at >= 0) return at;
  }
  return -1;
}

/// The number of the first rows whose file exists.
std::size_t count_files(const Table& table, std::ptrdiff_t column, const ListedFiles& files) {
  std::size_t count = 0;
  for (std::size_t row = 0; row < std::min(table.rows.size(), kRowsLookedAt); ++row) {
    if (files.find(text_of(table.rows[row][static_cast<std::size_t>(column)]))) ++count;
  }
  return count;
}

/// A first line that names a file is a sample, not the names of the columns.
void check_header(const Table& table, const ListedFiles& files) {
  for (std::size_t column = 0; column < std::min<std::size_t>(table.columns.size(), kMostColumnsTried); ++column) {
    const std::string& name = table.columns[column];
    if (!images::has_image_name(name) || !files.find(name)) continue;
    throw FormatError("its first line names the image \"" + printable(name) +
                      "\" instead of the columns; add a first line such as file,label");
  }
}

/// Whether a column without the name of a path column may hold paths.
bool may_hold_paths(const std::string& name, const NamedColumns& named) {
  const bool holds_labels =
      named.labels.empty() ? is_label_column(name) : std::ranges::find(named.labels, name) != named.labels.end();
  return !holds_labels && !is_path_column(name) && !is_row_number_column(name);
}

PathColumn guess_path_column(const Table& table, const ListedFiles& files, const NamedColumns& named) {
  PathColumn found;
  std::size_t most = 0;
  std::ptrdiff_t first_named = -1;
  for (const char* const name : kPathColumns) {
    const std::ptrdiff_t column = table.find(name);
    if (column < 0) continue;
    if (first_named < 0) first_named = column;
    const std::size_t count = count_files(table, column, files);
    if (count <= most) continue;
    found = {column, true, column != first_named};
    most = count;
  }
  if (most > 0) return found;
  // Of two columns of paths, one may name masks.
  for (const bool may_be_masks : {false, true}) {
    const auto column_count = std::min(std::ssize(table.columns), kMostColumnsTried);
    for (std::ptrdiff_t column = 0; column < column_count; ++column) {
      const std::string& name = table.columns[static_cast<std::size_t>(column)];
      if (!may_hold_paths(name, named) || has_word_for_masks(name) != may_be_masks) continue;
      const std::size_t count = count_files(table, column, files);
      if (count <= most) continue;
      found = {column, true, true};
      most = count;
    }
    if (most > 0) return found;
  }
  return PathColumn{first_named, false, false};
}

/// Whether the first cell of a column that is not missing can be a label of several.
bool begins_with_label_number(const Table& table, std::size_t column) {
  const auto first = std::ranges::find_if(table.rows, [&](const auto& row) { return !is_missing(row[column]); });
  return first != table.rows.end() && label_number_of((*first)[column]);
}

/// The bytes of the columns' cells as text, each with a separator.
std::int64_t text_bytes(const Table& table, const std::vector<std::size_t>& columns) {
  std::int64_t bytes = 0;
  for (const std::vector<Cell>& row : table.rows) {
    for (const std::size_t column : columns) bytes += std::ssize(text_of(row[column])) + 1;
  }
  return bytes;
}

/// Leaves out columns that cannot be kept: their names cannot be stored, or other columns have them too.
void erase_unusable(const Table& table, std::vector<std::size_t>& columns) {
  std::unordered_map<std::string_view, std::size_t> count_of;
  for (const std::string& name : table.columns) ++count_of[name];
  std::erase_if(columns, [&](std::size_t column) {
    const std::string& name = table.columns[column];
    return text_problem(name) || count_of.at(name) > 1;
  });
}

/// "a", "b" and so on; only the first few of many.
std::string shown_columns(const Table& table) {
  constexpr std::size_t kMostShown = 16;
  std::string text;
  for (std::size_t i = 0; i < std::min(table.columns.size(), kMostShown); ++i) {
    text += (i == 0 ? "\"" : ", \"") + printable(cut_utf8(table.columns[i], 64)) + "\"";
  }
  return table.columns.size() > kMostShown ? text + ", ..." : text;
}

}  // namespace

bool is_path_column(const std::string& name) {
  return std::ranges::find(kPathColumns, letters_of(name), &letters_of) != kPathColumns.end();
}

NamedColumns named_columns(const SourceOptions& options) { return {options.path_column, options.label_columns}; }

PathColumn find_path_column(const Table& table, ListedFiles& files, const NamedColumns& named) {
  const auto find = [&]() -> PathColumn {
    if (named.path.empty()) return guess_path_column(table, files, named);
    const std::ptrdiff_t column = find_column(table, named.path);
    return {column, count_files(table, column, files) > 0, false};
  };
  if (named.path.empty()) check_header(table, files);
  const PathColumn column = find();
  if (column.names_files || table.rows.empty()) return column;
  files.search_everywhere();
  return find();
}

std::string no_path_column(const Table& table, const ListedFiles& files) {
  const std::string found = table.columns.empty() ? "no columns" : "the columns " + shown_columns(table);
  return "no path column found; expected " + either_of({kPathColumns.begin(), kPathColumns.end()}) +
         ", or a column that `path_column` names; it has " + found + ", and none names images in the folder " +
         files.folder();
}

ListColumns::ListColumns(const Table& table, const SourceOptions& options, const PathColumn& path_column,
                         const MaskColumn& masks, bool has_labels)
    : path(path_column.index),
      split(find_any(table, kSplitColumns)),
      mask(options.with_masks ? masks.index : -1),
      labels(has_labels ? find_label_columns(table, options.label_columns, path_column.index, masks.index)
                        : std::vector<std::size_t>()),
      table_(table),
      keeps_all_(options.columns == std::vector<std::string>{kAllColumns}),
      is_automatic_(options.columns.empty()),
      is_kept_(table.columns.size()),
      has_role_(table.columns.size()) {
  for (const std::ptrdiff_t column : {path, split, mask}) use(column);
  for (const std::size_t column : labels) use(static_cast<std::ptrdiff_t>(column));
  if (!keeps_all_ && options.columns != std::vector<std::string>{kNoColumns}) {
    for (const std::string& name : options.columns) keep(find_column(table, name), name);
  }
  for (const std::string& name : columns_for_choice(options)) keep_for_choice(name);
  refuse_late_columns(has_labels);
}

void ListColumns::use(std::ptrdiff_t column) {
  if (column >= 0) has_role_[static_cast<std::size_t>(column)] = true;
}

void ListColumns::keep(std::ptrdiff_t column, const std::string& name) {
  const auto at = static_cast<std::size_t>(column);
  if (const auto problem = text_problem(name)) throw FormatError("the name of a column is " + *problem);
  if (is_kept_[at]) throw FormatError("`columns` names \"" + name + "\" twice");
  kept_.push_back(at);
  is_kept_[at] = true;
  has_role_[at] = true;
}

void ListColumns::keep_for_choice(const std::string& name) {
  const bool is_late = std::ranges::find(table_.late_columns, name) != table_.late_columns.end();
  if (!is_late && table_.find(lower_case(name)) < 0) return;  // another list may have it
  const std::ptrdiff_t column = find_column(table_, name);
  const auto at = static_cast<std::size_t>(column);
  if (is_kept_[at]) return;
  if (!keeps_all_ || has_role_[at]) kept_for_choice_.push_back(at);
  keep(column, name);
}

void ListColumns::refuse_late_columns(bool has_labels) const {
  for (const std::string& column : table_.late_columns) {
    const bool is_split = std::ranges::find(kSplitColumns, column) != kSplitColumns.end();
    if (is_split ? split < 0 : has_labels && is_label_column(column) && labels.empty()) refuse_late_column(column);
  }
}

std::vector<std::size_t> ListColumns::left_out_columns(const std::vector<std::size_t>& label_columns) const {
  std::vector<bool> is_used = has_role_;
  for (const std::size_t column : label_columns) is_used[column] = true;
  std::vector<std::size_t> columns;
  for (std::size_t column = 0; column < is_used.size(); ++column) {
    if (!is_used[column] && !is_row_number_column(table_.columns[column])) columns.push_back(column);
  }
  return columns;
}

std::vector<std::string> ListColumns::left_out(const std::vector<std::size_t>& label_columns) const {
  std::vector<std::string> names;
  for (const std::size_t column : left_out_columns(label_columns)) names.push_back(table_.columns[column]);
  return names;
}

void ListColumns::keep_left_out(const std::vector<std::size_t>& label_columns) {
  if (!keeps_all_ && !is_automatic_) return;
  std::vector<std::size_t> columns = left_out_columns(label_columns);
  if (is_automatic_) {
    erase_unusable(table_, columns);
    const std::size_t cell_count = columns.size() * table_.rows.size();
    if (columns.size() > kMostAutomaticColumns || cell_count > kMostAutomaticCells) return;
    if (text_bytes(table_, columns) > kMostAutomaticBytes) return;
  }
  for (const std::size_t column : columns) keep(static_cast<std::ptrdiff_t>(column), table_.columns[column]);
  if (is_automatic_) kept_automatically_ = columns;
  std::ranges::sort(kept_);
}

LabelEvidence label_evidence(const Table& table, std::ptrdiff_t path_column, const MaskColumn& masks) {
  const bool has_column = masks.index >= 0 || !find_label_columns(table, {}, path_column).empty();
  if (has_column) return LabelEvidence::column;
  const std::ptrdiff_t split_column = find_any(table, kSplitColumns);
  LabelEvidence evidence = LabelEvidence::paths;
  for (std::ptrdiff_t column = 0; column < std::ssize(table.columns); ++column) {
    const auto at = static_cast<std::size_t>(column);
    const std::string& name = table.columns[at];
    if (column == path_column || column == split_column || is_row_number_column(name) || is_path_column(name)) continue;
    if (!begins_with_label_number(table, at)) return LabelEvidence::none;
    evidence = LabelEvidence::numbers;
  }
  return evidence;
}

}  // namespace octavo::sources
