#include "sources/lists/list_columns.hpp"

#include <algorithm>
#include <array>

#include <octavo/errors.hpp>
#include <octavo/text.hpp>

#include "images/image_codec.hpp"
#include "sources/choice/row_choice.hpp"
#include "sources/lists/listed_file.hpp"
#include "sources/lists/table_labels.hpp"
#include "support/ascii.hpp"
#include "support/short_text.hpp"

namespace octavo::sources {
namespace {

constexpr std::array<const char*, 8> kPathColumns = {"file_name", "filename",   "path",     "file",
                                                     "image",     "image_path", "image_id", "id"};
constexpr std::array<const char*, 4> kMaskColumns = {"mask", "mask_path", "mask_file", "segmentation"};
constexpr std::array<const char*, 3> kSplitColumns = {"split", "set", "subset"};
// The value of options.columns for all columns without another role.
constexpr const char* kAllColumns = "all";
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
std::size_t count_files(const Table& table, std::ptrdiff_t column, const files::FileTree& tree,
                        const std::string& list) {
  std::size_t count = 0;
  for (std::size_t row = 0; row < std::min(table.rows.size(), kRowsLookedAt); ++row) {
    const Cell& named = table.rows[row][static_cast<std::size_t>(column)];
    if (find_listed(tree, list, text_of(named), kListedImages)) ++count;
  }
  return count;
}

/// A first line that names a file is a sample, not the names of the columns.
void check_header(const Table& table, const files::FileTree& tree, const std::string& list) {
  for (std::size_t column = 0; column < std::min<std::size_t>(table.columns.size(), kMostColumnsTried); ++column) {
    const std::string& name = table.columns[column];
    if (!images::has_image_name(name) || !find_listed(tree, list, name, kListedImages)) continue;
    throw FormatError("its first line names the image \"" + printable(name) +
                      "\" instead of the columns; add a first line such as file,label");
  }
}

}  // namespace

bool is_path_column(const std::string& name) {
  return std::ranges::find(kPathColumns, lower_case(name)) != kPathColumns.end();
}

PathColumn find_path_column(const Table& table, const files::FileTree& tree, const std::string& list) {
  check_header(table, tree, list);
  PathColumn found;
  std::size_t most = 0;
  std::ptrdiff_t first_named = -1;
  for (const char* const name : kPathColumns) {
    const std::ptrdiff_t column = table.find(name);
    if (column < 0) continue;
    if (first_named < 0) first_named = column;
    const std::size_t count = count_files(table, column, tree, list);
    if (count <= most) continue;
    found = {column, true, column != first_named};
    most = count;
  }
  if (most > 0) return found;
  const auto column_count = std::min(std::ssize(table.columns), kMostColumnsTried);
  for (std::ptrdiff_t column = 0; column < column_count; ++column) {
    const std::string& name = table.columns[static_cast<std::size_t>(column)];
    if (is_path_column(name) || is_label_column(lower_case(name)) || is_row_number_column(name)) continue;
    const std::size_t count = count_files(table, column, tree, list);
    if (count <= most) continue;
    found = {column, true, true};
    most = count;
  }
  return most > 0 ? found : PathColumn{first_named, false, false};
}

std::string path_column_names() { return either_of({kPathColumns.begin(), kPathColumns.end()}); }

ListColumns::ListColumns(const Table& table, const SourceOptions& options, const PathColumn& path_column)
    : path(path_column.index),
      split(find_any(table, kSplitColumns)),
      mask(options.with_masks ? find_any(table, kMaskColumns) : -1),
      label(options.label_column.empty() ? find_label_column(table) : find_column(table, options.label_column)),
      table_(table),
      keeps_all_(options.columns == std::vector<std::string>{kAllColumns}),
      is_kept_(table.columns.size()),
      has_role_(table.columns.size()) {
  for (const std::ptrdiff_t column : {path, split, mask, label}) use(column);
  if (!keeps_all_) {
    for (const std::string& name : options.columns) keep(find_column(table, name), name);
  }
  for (const std::string& name : columns_for_choice(options)) keep_for_choice(name);
  refuse_late_columns();
  if (path < 0) throw FormatError("no path column found; expected " + path_column_names());
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

void ListColumns::refuse_late_columns() const {
  for (const std::string& column : table_.late_columns) {
    const bool is_split = std::ranges::find(kSplitColumns, column) != kSplitColumns.end();
    if (is_split ? split < 0 : is_label_column(column) && label < 0) refuse_late_column(column);
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
  if (!keeps_all_) return;
  for (const std::size_t column : left_out_columns(label_columns)) {
    keep(static_cast<std::ptrdiff_t>(column), table_.columns[column]);
  }
  std::ranges::sort(kept_);
}

std::optional<bool> has_labels(const Table& table, std::ptrdiff_t path_column) {
  if (find_label_column(table) >= 0 || find_any(table, kMaskColumns) >= 0) return true;
  const std::ptrdiff_t split_column = find_any(table, kSplitColumns);
  std::optional<bool> answer = true;
  for (std::ptrdiff_t column = 0; column < std::ssize(table.columns); ++column) {
    if (column == path_column || column == split_column) continue;
    const std::string& name = table.columns[static_cast<std::size_t>(column)];
    if (is_row_number_column(name) || is_path_column(name)) continue;
    const auto cell = [&](const std::vector<Cell>& row) { return row[static_cast<std::size_t>(column)]; };
    const auto first = std::ranges::find_if(table.rows, [&](const auto& row) { return !is_missing(cell(row)); });
    if (first == table.rows.end()) {
      answer = std::nullopt;
    } else if (!number_of(cell(*first))) {
      return false;
    }
  }
  return answer;
}

}  // namespace octavo::sources
