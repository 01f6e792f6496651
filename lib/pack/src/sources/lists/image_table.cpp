#include "sources/lists/image_table.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include <octavo/errors.hpp>

#include "dataset_file/limits.hpp"
#include "images/image_codec.hpp"
#include "sources/combine/split_names.hpp"
#include "sources/lists/list_remarks.hpp"
#include "sources/lists/table_labels.hpp"
#include "sources/lists/table_rows.hpp"
#include "sources/source_reader.hpp"
#include "support/checked_math.hpp"
#include "support/file.hpp"
#include "support/short_text.hpp"

namespace octavo::sources {
namespace {

namespace fs = std::filesystem;
using Tree = std::shared_ptr<const files::FileTree>;

// Memory limits for the cells of a list. A byte of CSV, an empty field, needs at most 64 bytes; a byte of JSON, in
// "{}", 11. But in an archive, and if JSON lines lack most of the keys, few bytes can stand for many cells.
constexpr std::int64_t kAlwaysHeldBytes = std::int64_t{32} << 20;
constexpr std::int64_t kCsvRatio = 72, kJsonRatio = 32;

constexpr std::array<const char*, 8> kPathColumns = {"file_name", "filename",   "path",     "file",
                                                     "image",     "image_path", "image_id", "id"};
// Rows to inspect when deciding whether a file is a list with labels.
constexpr std::size_t kRowsLookedAt = 100;

constexpr std::array<const char*, 4> kMaskColumns = {"mask", "mask_path", "mask_file", "segmentation"};
constexpr std::array<const char*, 3> kSplitColumns = {"split", "set", "subset"};
// The value of options.columns for all columns without another role.
constexpr const char* kAllColumns = "all";

template <std::size_t kCount>
std::ptrdiff_t find_any(const Table& table, const std::array<const char*, kCount>& names) {
  for (const char* const name : names) {
    if (const std::ptrdiff_t at = table.find(name); at >= 0) return at;
  }
  return -1;
}

/// In locales with a decimal comma, spreadsheets separate columns with semicolons.
char csv_separator(files::ByteStream& text) {
  std::array<std::byte, 4096> bytes{};
  const std::string_view start(reinterpret_cast<const char*>(bytes.data()), text.read_some_at(0, bytes));
  const std::string_view first_line = start.substr(0, start.find_first_of("\r\n"));
  const bool has_semicolons = first_line.find(';') != std::string_view::npos;
  return has_semicolons && first_line.find(',') == std::string_view::npos ? ';' : ',';
}

/// "0,5" as 0.5; nothing if it is not a number.
std::optional<std::string> with_decimal_point(const Cell& cell) {
  std::string text = text_of(cell);
  if (const std::size_t comma = text.find(','); comma != std::string::npos) text[comma] = '.';
  return number_of(text) ? std::optional(text) : std::nullopt;
}

/// Whether the comma in a cell cannot be a thousands separator, as it may be in "1,234".
bool has_decimal_comma(const Cell& cell) {
  const std::string text = text_of(cell);
  const std::size_t comma = text.find(',');
  return comma != std::string::npos && (text.size() - comma != 4 || text.find_first_not_of("+-0,") > comma);
}

/// Converts decimal commas to points in columns of only numbers where at least one has a decimal comma.
void use_decimal_points(Table& table) {
  for (std::size_t column = 0; column < table.columns.size(); ++column) {
    const auto is_number = [&](const auto& row) { return is_missing(row[column]) || with_decimal_point(row[column]); };
    const auto is_decimal = [&](const auto& row) { return has_decimal_comma(row[column]); };
    if (!std::all_of(table.rows.begin(), table.rows.end(), is_number)) continue;
    if (std::none_of(table.rows.begin(), table.rows.end(), is_decimal)) continue;
    for (std::vector<Cell>& row : table.rows) {
      if (!is_missing(row[column])) row[column] = *with_decimal_point(row[column]);
    }
  }
}

Table read_table(const files::FileTree& tree, const std::string& path, std::size_t most_rows) {
  const std::string extension = fs::path(path).extension().string();
  const bool is_csv = extension == ".csv" || extension == ".tsv";
  const std::int64_t stored_bytes = File::open_for_reading(tree.file_of(path)).length();
  const auto ratio_bytes = checked_product({stored_bytes, is_csv ? kCsvRatio : kJsonRatio});
  const TableLimits limits = {
      most_rows, kAlwaysHeldBytes + ratio_bytes.value_or(std::numeric_limits<std::int64_t>::max() - kAlwaysHeldBytes)};
  const auto text = tree.open(path);
  if (!is_csv) return read_json_lines(*text, limits);
  const char separator = extension == ".csv" ? csv_separator(*text) : '\t';
  Table table = read_csv(*text, separator, limits);
  if (separator == ';') use_decimal_points(table);
  return table;
}

/// The path of the image that a list at `list` names; nothing if there is no such image. It may be in `usual_folder`.
std::optional<std::string> find_image(const files::FileTree& tree, const fs::path& list, const std::string& named,
                                      const char* usual_folder = "images") {
  fs::path path(named);
  // On disk, the path may be absolute.
  if (const auto whole = tree.disk_path(list); whole && path.is_absolute()) {
    path = path.lexically_normal().lexically_relative(fs::absolute(*whole).lexically_normal().parent_path());
  }
  // A list must not refer to files outside its folder.
  const bool leads_out = path.is_absolute() || std::find(path.begin(), path.end(), "..") != path.end();
  const bool is_cut = named.find('\0') != std::string::npos;  // the system would truncate the name
  if (path.empty() || leads_out || is_cut) return std::nullopt;
  const std::string stem = list.stem().string();
  for (const std::string& folder : {std::string(), std::string(usual_folder), stem, stem + "_" + usual_folder}) {
    for (const char* const ending : {"", ".jpg", ".png", ".jpeg"}) {
      const std::string at = files::join_path(list.parent_path().string(),
                                              files::join_path(folder, path.lexically_normal().string() + ending));
      if (images::has_image_name(at) && tree.has_file(at)) return at;
    }
  }
  return std::nullopt;
}

/// Whether text consists of digits, with a sign or not, and its value does not fit in 64 bits.
bool is_long_integer(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto overflows = [&](auto value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return end == text.data() + text.size() && error == std::errc::result_out_of_range;
  };
  return overflows(std::int64_t{}) && (text.starts_with('-') || overflows(std::uint64_t{}));
}

/// A list as rows of a path, an optional split, and a label. Throws FormatError with the reason only.
class TableReader {
 public:
  TableReader(Table table, const SourceOptions& options)
      : table_(std::move(table)),
        path_column_(find_any(table_, kPathColumns)),
        split_column_(find_any(table_, kSplitColumns)),
        mask_column_(options.with_masks ? find_any(table_, kMaskColumns) : -1),
        label_column_(options.label_column.empty() ? find_label_column(table_)
                                                   : find_column(table_, options.label_column)),
        keeps_all_(options.columns == std::vector<std::string>{kAllColumns}),
        kept_columns_(find_columns(keeps_all_ ? std::vector<std::string>{} : options.columns)),
        labels_(table_, label_column_, columns_without_labels(), options.class_names) {
    for (const std::string& column : table_.late_columns) {
      const bool is_split = std::find(kSplitColumns.begin(), kSplitColumns.end(), column) != kSplitColumns.end();
      const bool is_missed = is_split ? split_column_ < 0 : is_label_column(column) && label_column_ < 0;
      if (!is_missed) continue;
      refuse_late_column(column);
    }
    if (keeps_all_) kept_columns_ = find_columns(left_out_columns());
    for (const std::ptrdiff_t column : kept_columns_) are_numbers_.push_back(holds_numbers(column));
    if (path_column_ < 0) throw FormatError("no path column found; expected file_name, path, image, ...");
    if (table_.rows.empty()) throw FormatError("it is empty");
  }

  std::size_t row_count() const { return table_.rows.size(); }
  std::int64_t line(std::size_t row) const { return table_.lines[row]; }
  std::string path(std::size_t row) const { return text_of(cell(row, path_column_)); }
  /// The split that a row names, or the empty string.
  std::string split(std::size_t row) const {
    if (split_column_ < 0) return "";
    const std::string name = text_of(cell(row, split_column_));
    return split_of_folder_name(name).value_or(name);
  }
  bool has_masks() const { return mask_column_ >= 0; }
  /// The path of the mask that a row names. Requires masks.
  std::string mask(std::size_t row) const { return text_of(cell(row, mask_column_)); }
  const TableLabels& labels() const { return labels_; }
  std::vector<std::string> kept_columns() const {
    std::vector<std::string> names;
    for (const std::ptrdiff_t column : kept_columns_) names.push_back(table_.columns[static_cast<std::size_t>(column)]);
    return names;
  }
  /// The cells of the kept columns, as a JSON array. Text that is a number becomes one in a column of numbers.
  std::string metadata(std::size_t row) const {
    Cell cells = Cell::array();
    for (std::size_t i = 0; i < kept_columns_.size(); ++i) cells.push_back(kept_cell(row, i));
    return cells.dump(-1, ' ', false, Cell::error_handler_t::replace);
  }
  /// The names of all columns.
  const std::vector<std::string>& columns() const { return table_.columns; }
  bool has_label_column() const { return label_column_ >= 0; }
  /// The keys of JSON lines that the first line lacks.
  const std::vector<std::string>& late_columns() const { return table_.late_columns; }
  /// The columns with no role so far.
  std::vector<std::string> left_out_columns() const {
    const auto used = labels_.columns();
    std::vector<std::string> names;
    for (std::size_t i = 0; i < table_.columns.size(); ++i) {
      const auto at = static_cast<std::ptrdiff_t>(i);
      const auto& name = table_.columns[i];
      if (at == path_column_ || at == split_column_ || at == mask_column_ || at == label_column_) continue;
      if (std::ranges::find(kept_columns_, at) != kept_columns_.end()) continue;
      if (std::ranges::find(used, name) != used.end() || is_row_number_column(name)) continue;
      names.push_back(name);
    }
    return names;
  }

 private:
  const Cell& cell(std::size_t row, std::ptrdiff_t column) const {
    return table_.rows[row][static_cast<std::size_t>(column)];
  }

  std::vector<std::ptrdiff_t> find_columns(const std::vector<std::string>& names) const {
    std::vector<std::ptrdiff_t> columns;
    for (const std::string& name : names) {
      columns.push_back(find_column(table_, name));
      if (const auto problem = text_problem(name)) throw FormatError("the name of a column is " + *problem);
      if (std::ranges::count(columns, columns.back()) > 1) {
        throw FormatError("`columns` names \"" + name + "\" twice");
      }
    }
    return columns;
  }
  std::vector<std::ptrdiff_t> columns_without_labels() const {
    std::vector<std::ptrdiff_t> columns = kept_columns_;
    columns.insert(columns.end(), {path_column_, split_column_, mask_column_});
    return columns;
  }
  /// Whether all cells of a column are numbers or missing. Text that would lose digits is not a number: "007", or an
  /// integer that does not fit in 64 bits.
  bool holds_numbers(std::ptrdiff_t column) const {
    return std::ranges::all_of(table_.rows, [&](const std::vector<Cell>& row) {
      const Cell& given = row[static_cast<std::size_t>(column)];
      const std::string text = text_of(given);
      const bool has_zeros = text.size() > 1 && text[0] == '0' && text[1] >= '0' && text[1] <= '9';
      return is_missing(given) || (number_of(given) && !has_zeros && !is_long_integer(text));
    });
  }
  Cell kept_cell(std::size_t row, std::size_t number) const {
    const Cell& given = cell(row, kept_columns_[number]);
    if (!are_numbers_[number] || given.is_number()) return given;
    if (is_missing(given)) return {};
    const Cell parsed = Cell::parse(text_of(given), nullptr, false);
    return parsed.is_number() ? parsed : Cell(*number_of(given));
  }

  const Table table_;
  const std::ptrdiff_t path_column_, split_column_, mask_column_, label_column_;
  const bool keeps_all_;
  std::vector<std::ptrdiff_t> kept_columns_;
  const TableLabels labels_;
  std::vector<bool> are_numbers_;  ///< for each kept column
};

void append(SplitImages& list, const std::vector<double>& numbers) {
  for (const double number : numbers) {
    if (list.layout.kind != LabelKind::target) {
      append_label(list.labels, static_cast<std::int32_t>(number));
      continue;
    }
    const auto target = static_cast<float>(number);
    const auto* const bytes = reinterpret_cast<const std::byte*>(&target);
    list.labels.insert(list.labels.end(), bytes, bytes + sizeof target);
  }
}

SplitImages& list_of(ImageList& contents, const Tree& tree, const std::string& split, LabelLayout layout) {
  for (SplitImages& list : contents.splits) {
    if (list.split == split) return list;
  }
  if (contents.splits.size() == dataset_file::kMostSplits) {
    throw FormatError("it has more than " + std::to_string(dataset_file::kMostSplits) + " splits");
  }
  contents.splits.push_back({split, tree, {}, layout, {}});
  return contents.splits.back();
}

/// The rows of a list that have an image and a label, and the paths of their images and masks.
struct UsableRows {
  std::vector<std::size_t> rows;
  std::vector<std::string> images;  ///< of each of `rows`, in the tree
  std::vector<std::string> masks;   ///< the same, if the list names masks
};

std::string not_below(const char* what, const std::string& named) {
  return std::string("the ") + what + " \"" + named.substr(0, 255) +
         "\" does not exist below the list's folder (images elsewhere are not allowed)";
}

/// Other rows are an error, or are left out if `may_skip`.
UsableRows find_usable_rows(const TableReader& reader, const files::FileTree& tree, const std::string& list,
                            bool may_skip, std::vector<SampleFailure>& left_out) {
  UsableRows usable;
  for (std::size_t row = 0; row < reader.row_count(); ++row) {
    const auto image = find_image(tree, list, reader.path(row));
    const auto mask = reader.has_masks() ? find_image(tree, list, reader.mask(row), "masks") : std::nullopt;
    auto problem = image ? reader.labels().problem(row) : not_below("image", reader.path(row));
    if (!problem && reader.has_masks() && !mask) problem = not_below("mask", reader.mask(row));
    if (!problem) {
      usable.rows.push_back(row);
      usable.images.push_back(*image);
      if (mask) usable.masks.push_back(*mask);
      continue;
    }
    const std::string line = "line " + std::to_string(reader.line(row));
    if (!may_skip) throw FormatError(line + ": " + *problem);
    left_out.push_back({reader.line(row), fs::path(list).filename().string() + ": " + line, *problem});
  }
  if (usable.rows.empty()) throw FormatError("no line has a usable image and label; " + left_out[0].reason);
  return usable;
}

void fill(ImageList& contents, const TableReader& reader, const Tree& tree, const std::string& list,
          const std::string& other_split, bool may_skip) {
  if (reader.has_masks() && !tree->disk_path("")) {
    throw FormatError("it names masks, which cannot be read from an archive; extract it");
  }
  const UsableRows usable = find_usable_rows(reader, *tree, list, may_skip, contents.left_out);
  const TableLabels::Labels labels = reader.labels().read(usable.rows);
  contents.class_names = labels.class_names;
  for (std::size_t i = 0; i < usable.rows.size(); ++i) {
    const std::string split = reader.split(usable.rows[i]);
    SplitImages& images = list_of(contents, tree, split.empty() ? other_split : split, labels.layout);
    images.paths.push_back(usable.images[i]);
    if (reader.has_masks()) images.masks.push_back(usable.masks[i]);
    images.columns = reader.kept_columns();
    if (!images.columns.empty()) images.metadata.push_back(reader.metadata(usable.rows[i]));
    if (labels.layout.kind != LabelKind::none) append(images, labels.numbers[i]);
  }
  std::stable_sort(contents.splits.begin(), contents.splits.end(), [](const SplitImages& a, const SplitImages& b) {
    return split_rank(a.split) < split_rank(b.split);
  });
  for (SplitImages& images : contents.splits) order_for_reading(images);
}

/// Whether a list has labels: a label column, or only columns of numbers. Nothing if missing cells leave this open.
std::optional<bool> has_labels(const Table& table, std::ptrdiff_t path_column) {
  if (find_label_column(table) >= 0 || find_any(table, kMaskColumns) >= 0) return true;
  const std::ptrdiff_t split_column = find_any(table, kSplitColumns);
  std::optional<bool> answer = true;
  for (std::ptrdiff_t column = 0; column < std::ssize(table.columns); ++column) {
    if (column == path_column || column == split_column) continue;
    if (is_row_number_column(table.columns[static_cast<std::size_t>(column)])) continue;
    const auto cell = [&](const std::vector<Cell>& row) { return row[static_cast<std::size_t>(column)]; };
    const auto first =
        std::find_if(table.rows.begin(), table.rows.end(), [&](const auto& row) { return !is_missing(cell(row)); });
    if (first == table.rows.end()) {
      answer = std::nullopt;
    } else if (!number_of(cell(*first))) {
      return false;
    }
  }
  return answer;
}

/// The first rows of a list, and whether an error made it only one row.
std::pair<Table, bool> first_rows(const files::FileTree& tree, const std::string& path) {
  try {
    return {read_table(tree, path, kRowsLookedAt), false};
  } catch (const FormatError&) {
    return {read_table(tree, path, 1), true};
  }
}

}  // namespace

bool is_image_table_name(const std::string& name) {
  const std::string extension = fs::path(name).extension().string();
  return extension == ".csv" || extension == ".tsv" || extension == ".jsonl" || extension == ".ndjson";
}

bool lists_images(const files::FileTree& tree, const std::string& path, const std::string& label_column) {
  try {
    const auto [table, is_cut] = first_rows(tree, path);
    const std::ptrdiff_t column = find_any(table, kPathColumns);
    if (column < 0) return false;
    if (!label_column.empty()) find_column(table, label_column);
    const auto names_image = [&](const std::vector<Cell>& row) {
      return find_image(tree, path, text_of(row[static_cast<std::size_t>(column)])).has_value();
    };
    if (std::none_of(table.rows.begin(), table.rows.end(), names_image)) return false;
    if (!label_column.empty()) return true;
    // If later lines cannot be read, reading the whole list reports why.
    return has_labels(table, column).value_or(is_cut);
  } catch (const FormatError&) {
    return false;
  }
}

ImageList read_image_table(const Tree& tree, const std::string& path, const std::string& split,
                           const SourceOptions& options) {
  ImageList contents;
  contents.format = "manifest";  // as in files of version 0.1
  contents.roots.push_back(tree->file_of(path));
  try {
    const TableReader reader(read_table(*tree, path, std::numeric_limits<std::size_t>::max()), options);
    const std::string name = fs::path(path).filename().string();
    if (!reader.has_label_column() && !(reader.labels().columns().empty() && reader.has_masks())) {
      contents.remarks.push_back(remark_on_labels(name, reader.columns(), reader.labels().columns()));
    }
    if (auto remark = remark_on_left_out(name, reader.left_out_columns())) contents.remarks.push_back(*remark);
    if (auto remark = remark_on_late(name, reader.late_columns())) contents.remarks.push_back(*remark);
    fill(contents, reader, tree, path, split.empty() ? split_of_file_name(name).value_or("train") : split,
         options.skip_unreadable);
    if (auto remark = remark_on_repeated(name, contents)) contents.remarks.push_back(*remark);
  } catch (const FormatError& error) {
    throw FormatError("read the list " + tree->name_of(path) + ": " + error.what());
  }
  return contents;
}

namespace {

bool is_named_as_list(const FileStart& start) { return is_image_table_name(start.file_name()); }

}  // namespace

const SourceReader kListReader = {.name = "list",
                                  .aliases = {"manifest"},
                                  .kind = "an image list",
                                  .looks_like = &is_named_as_list,
                                  .may_hold_splits = &always};

}  // namespace octavo::sources
