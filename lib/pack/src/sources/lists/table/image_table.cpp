#include "sources/lists/table/image_table.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <limits>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include <octavo/errors.hpp>
#include <octavo/text.hpp>

#include "files/text_pieces.hpp"
#include "format/limits.hpp"
#include "sources/combine/split_names.hpp"
#include "sources/lists/folders/class_folders.hpp"
#include "sources/lists/folders/search_notes.hpp"
#include "sources/lists/list_remarks.hpp"
#include "sources/lists/masks/mask_column.hpp"
#include "sources/lists/table/list_columns.hpp"
#include "sources/lists/table/list_discovery.hpp"
#include "sources/lists/table/listed_file.hpp"
#include "sources/lists/table/table_labels.hpp"
#include "sources/lists/table/table_rows.hpp"
#include "support/checked_math.hpp"
#include "support/file.hpp"
#include "support/text/ascii.hpp"

namespace octavo::sources {
namespace {

namespace fs = std::filesystem;
using Tree = std::shared_ptr<const files::FileTree>;

// Memory limits for the cells of a list. A byte of CSV, an empty field, needs at most 64 bytes; a byte of JSON, in
// "{}", 11. But in an archive, and if JSON lines lack most of the keys, few bytes can stand for many cells.
constexpr std::int64_t kAlwaysHeldBytes = std::int64_t{32} << 20;
constexpr std::int64_t kCsvRatio = 72, kJsonRatio = 32;

// Rows to inspect when deciding whether a file is a list with labels.
constexpr std::size_t kRowsJudged = 100;

/// Text without the parts in double quotes.
std::string outside_quotes(std::string_view text) {
  std::string outside;
  bool is_quoted = false;
  for (const char c : text) {
    if (c == '"') is_quoted = !is_quoted;
    if (c != '"' && !is_quoted) outside += c;
  }
  return outside;
}

/// The first separator in the first line of a file named .csv, outside quotes. In locales with a decimal comma,
/// spreadsheets separate columns with semicolons. Damaged text is left to read_csv(), which names the line.
char csv_separator(files::ByteStream& text) try {
  files::TextPieces pieces(text);
  const std::string_view start = pieces.next();
  const std::string first_line = outside_quotes(start.substr(0, start.find_first_of("\r\n")));
  for (const char separator : {',', ';', '\t', '|'}) {
    if (first_line.find(separator) != std::string::npos) return separator;
  }
  return ',';
} catch (const FormatError&) {
  return ',';
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

/// In lower case: ".csv", also for a compressed "a.csv.gz", which a tree inflates.
std::string table_extension(const std::string& name) {
  const fs::path path(lower_case(name));
  return (path.extension() == ".gz" ? path.stem() : path).extension().string();
}

constexpr std::size_t kAllRows = std::numeric_limits<std::size_t>::max();

Table read_table(const files::FileTree& tree, const std::string& path, std::size_t most_rows, bool keeps_rows = true) {
  const std::string extension = table_extension(path);
  const bool is_csv = extension == ".csv" || extension == ".tsv";
  const std::int64_t stored_bytes = File::open_for_reading(tree.file_of(path)).length();
  const auto ratio_bytes = checked_product({stored_bytes, is_csv ? kCsvRatio : kJsonRatio});
  const TableLimits limits = {
      most_rows, kAlwaysHeldBytes + ratio_bytes.value_or(std::numeric_limits<std::int64_t>::max() - kAlwaysHeldBytes),
      keeps_rows};
  const auto text = tree.open(path);
  if (!is_csv) return read_json(*text, limits);
  const char separator = extension == ".csv" ? csv_separator(*text) : '\t';
  Table table = read_csv(*text, separator, limits);
  if (separator == ';') use_decimal_points(table);
  return table;
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

/// Whether a cell can become a number in the metadata. Text that would lose digits cannot: "007", or an integer that
/// does not fit in 64 bits.
bool is_exact_number(const Cell& cell) {
  const std::string text = text_of(cell);
  const bool has_zeros = text.size() > 1 && text[0] == '0' && text[1] >= '0' && text[1] <= '9';
  return number_of(cell) && !has_zeros && !is_long_integer(text);
}

/// A list as rows of a path, an optional split, and a label. Throws FormatError with the reason only.
class TableReader {
 public:
  /// `split` is not empty: all rows are in it. Without `has_labels`, no column holds labels.
  TableReader(Table table, const PathColumn& path_column, const MaskColumn& mask_column, std::string split,
              bool has_labels, const SourceOptions& options)
      : table_(std::move(table)),
        columns_(table_, options, path_column, mask_column, has_labels),
        labels_(reads_labels(has_labels) ? TableLabels(table_, columns_.labels, columns_.has_role(), options)
                                         : TableLabels(table_)),
        split_of_all_(std::move(split)),
        is_label_named_(!options.label_columns.empty()) {
    if (table_.rows.empty()) throw FormatError("it is empty");
    columns_.keep_left_out(labels_.columns());
    has_splits_ = has_split_column() && std::ranges::any_of(table_.rows, [&](const std::vector<Cell>& row) {
                    return !is_missing(row[static_cast<std::size_t>(columns_.split)]);
                  });
    for (const std::size_t column : columns_.kept()) {
      are_numbers_.push_back(std::ranges::all_of(table_.rows, [&](const std::vector<Cell>& row) {
        return is_missing(row[column]) || is_exact_number(row[column]);
      }));
    }
  }

  std::size_t row_count() const { return table_.rows.size(); }
  std::int64_t line(std::size_t row) const { return table_.lines[row]; }
  std::string path(std::size_t row) const { return text_of(cell(row, columns_.path)); }
  const std::string& path_column() const { return table_.columns[static_cast<std::size_t>(columns_.path)]; }
  /// The split that a row names, or the empty string.
  std::string split(std::size_t row) const {
    if (!names_splits()) return split_of_all_;
    const std::string name(trimmed(text_of(cell(row, columns_.split))));
    return split_of_folder_name(name).value_or(name);
  }
  /// Why the split of a row is not known: other rows name theirs.
  std::optional<std::string> split_problem(std::size_t row) const {
    if (!names_splits() || !is_missing(cell(row, columns_.split))) return std::nullopt;
    return "its split is missing, in the column \"" + printable(split_column()) + "\"";
  }
  /// The column of splits that names none; nothing if there is no such column.
  std::optional<std::string> empty_split_column() const {
    return has_split_column() && !has_splits_ ? std::optional(split_column()) : std::nullopt;
  }
  /// The column of splits that is ignored because all rows are in one split; nothing if there is none.
  std::optional<std::string> ignored_split_column() const {
    return has_split_column() && !split_of_all_.empty() ? std::optional(split_column()) : std::nullopt;
  }
  bool has_masks() const { return columns_.mask >= 0; }
  /// The path of the mask that a row names. Requires masks.
  std::string mask(std::size_t row) const { return text_of(cell(row, columns_.mask)); }
  const TableLabels& labels() const { return labels_; }
  bool has_label_column() const { return !columns_.labels.empty(); }
  std::vector<std::string> label_columns() const { return names_of(labels_.columns()); }
  std::vector<std::string> kept_columns() const { return names_of(columns_.kept()); }
  std::vector<std::string> kept_for_choice() const { return names_of(columns_.kept_for_choice()); }
  std::vector<std::string> kept_automatically() const { return names_of(columns_.kept_automatically()); }
  /// The column of labels if only its name decided, and other columns of numbers are kept next to it; else empty.
  std::string doubtful_label_column() const {
    const bool is_in_doubt = !is_label_named_ && has_label_column() && std::ranges::count(are_numbers_, true) > 0;
    return is_in_doubt ? label_columns()[0] : "";
  }
  std::string refused_numbers() const { return sources::refused_numbers(table_); }
  std::vector<std::string> left_out_columns() const { return columns_.left_out(labels_.columns()); }
  /// The cells of the kept columns, as a JSON array. Text that is a number becomes one in a column of numbers.
  std::string metadata(std::size_t row) const {
    Cell cells = Cell::array();
    for (std::size_t i = 0; i < columns_.kept().size(); ++i) cells.push_back(kept_cell(row, i));
    return cells.dump(-1, ' ', false, Cell::error_handler_t::replace);
  }
  /// The names of all columns.
  const std::vector<std::string>& columns() const { return table_.columns; }
  /// The keys of JSON lines that the first line lacks.
  const std::vector<std::string>& late_columns() const { return table_.late_columns; }

 private:
  /// Next to masks, columns of numbers without the name of a label column, such as a width or a fold, are not labels.
  bool reads_labels(bool has_labels) const { return has_labels && (!has_masks() || has_label_column()); }
  bool has_split_column() const { return columns_.split >= 0; }
  const std::string& split_column() const { return table_.columns[static_cast<std::size_t>(columns_.split)]; }
  bool names_splits() const { return has_splits_ && split_of_all_.empty(); }
  const Cell& cell(std::size_t row, std::ptrdiff_t column) const {
    return table_.rows[row][static_cast<std::size_t>(column)];
  }
  std::vector<std::string> names_of(const std::vector<std::size_t>& columns) const {
    std::vector<std::string> names;
    for (const std::size_t column : columns) names.push_back(table_.columns[column]);
    return names;
  }
  Cell kept_cell(std::size_t row, std::size_t number) const {
    const Cell& given = table_.rows[row][columns_.kept()[number]];
    if (!are_numbers_[number] || given.is_number()) return given;
    if (is_missing(given)) return {};
    const Cell parsed = Cell::parse(text_of(given), nullptr, false);
    return parsed.is_number() ? parsed : Cell(*number_of(given));
  }

  const Table table_;
  ListColumns columns_;
  const TableLabels labels_;
  const std::string split_of_all_;
  const bool is_label_named_;      ///< by the options
  bool has_splits_ = false;        ///< some row names its split
  std::vector<bool> are_numbers_;  ///< for each kept column
};

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

/// The files that a list names.
struct ListFiles {
  ListedFiles images, masks;
};

/// The folder that options.image_root names; null if it names none.
Tree image_root_of(const SourceOptions& options) {
  if (options.image_root.empty()) return nullptr;
  std::error_code ignored;
  if (fs::is_directory(options.image_root, ignored)) return files::open_folder(options.image_root);
  throw FormatError("`image_root` names " + quoted(options.image_root) + ", which is not a folder; check the path");
}

/// The files of a list: in its folder or, if it is not null, in `image_root`.
ListFiles files_of_list(const Tree& tree, const std::string& path, const Tree& image_root) {
  const auto images = std::make_shared<FolderImages>();
  if (!image_root) return {{*tree, path, kListedImages, images}, {*tree, path, kListedMasks, images}};
  const std::string name = fs::path(path).filename().string();
  const fs::path folder = fs::absolute(tree->file_of(path)).parent_path();
  return {{*image_root, name, kListedImages, images, folder}, {*image_root, name, kListedMasks, images, folder}};
}

/// Other rows are an error, or are left out of `contents` if `may_skip`.
UsableRows find_usable_rows(const TableReader& reader, const ListFiles& files, const std::string& list, bool may_skip,
                            ImageList& contents) {
  UsableRows usable;
  SearchNotes searched;
  for (std::size_t row = 0; row < reader.row_count(); ++row) {
    const auto image = files.images.find(reader.path(row));
    const auto mask = reader.has_masks() ? files.masks.find(reader.mask(row)) : std::nullopt;
    auto problem = image ? reader.labels().problem(row) : files.images.why_not_found(reader.path(row));
    if (!problem && reader.has_masks() && !mask) problem = files.masks.why_not_found(reader.mask(row));
    if (!problem) problem = reader.split_problem(row);
    if (!problem) {
      usable.rows.push_back(row);
      usable.images.push_back(image->path);
      searched.add(reader.path(row), *image);
      if (mask) {
        usable.masks.push_back(mask->path);
        searched.add(reader.mask(row), *mask);
      }
      continue;
    }
    const std::string line = "line " + std::to_string(reader.line(row));
    if (!may_skip) {
      throw FormatError(line + ": " + *problem + "; correct the line, or skip such lines with `on_error=skip`");
    }
    contents.left_out.push_back({reader.line(row), fs::path(list).filename().string() + ": " + line, *problem});
    for (const auto& file : {image, mask}) {
      if (file) contents.left_out_files.push_back(file->path);
    }
  }
  if (usable.rows.empty()) throw FormatError("no line has a usable image and label; " + contents.left_out[0].reason);
  for (std::string& remark : searched.remarks(fs::path(list).filename().string())) {
    contents.remarks.push_back(std::move(remark));
  }
  return usable;
}

/// Appends the label of a row: its numbers, or of tags 1 for each of its classes.
void append_labels(SplitImages& images, const TableLabels::Labels& labels, std::size_t row) {
  std::vector<double> numbers = labels.numbers[row];
  if (labels.are_tags) {
    numbers.assign(static_cast<std::size_t>(labels.layout.width), 0.0);
    for (const double number : labels.numbers[row]) numbers[static_cast<std::size_t>(number)] = 1.0;
  }
  for (const double number : numbers) append_label(images, number);
}

void fill(ImageList& contents, const TableReader& reader, const ListFiles& files, const Tree& tree,
          const std::string& list, const std::string& other_split, bool may_skip) {
  if (reader.has_masks() && !tree->disk_path("")) {
    throw FormatError("it names masks, which cannot be read from an archive; extract it");
  }
  const UsableRows usable = find_usable_rows(reader, files, list, may_skip, contents);
  const TableLabels::Labels labels = reader.labels().read(usable.rows);
  contents.class_names = labels.class_names;
  contents.has_tags = labels.are_tags;
  if (labels.are_signs) contents.remarks.push_back(remark_on_signs(fs::path(list).filename().string()));
  for (std::size_t i = 0; i < usable.rows.size(); ++i) {
    const std::string split = reader.split(usable.rows[i]);
    SplitImages& images = list_of(contents, tree, split.empty() ? other_split : split, labels.layout);
    images.paths.push_back(usable.images[i]);
    if (reader.has_masks()) images.masks.push_back(usable.masks[i]);
    if (images.columns.empty()) images.columns = reader.kept_columns();
    if (!images.columns.empty()) images.metadata.push_back(reader.metadata(usable.rows[i]));
    if (labels.layout.kind != LabelKind::none) append_labels(images, labels, i);
  }
  std::stable_sort(contents.splits.begin(), contents.splits.end(), [](const SplitImages& a, const SplitImages& b) {
    return split_rank(a.split) < split_rank(b.split);
  });
  for (SplitImages& images : contents.splits) order_for_reading(images);
}

/// Whether the first row of a .json file names an image, so that it is a list even if it is damaged below.
bool begins_as_list(const files::FileTree& tree, const std::string& path,
                    const std::shared_ptr<FolderImages>& images_there) {
  try {
    const Table table = read_table(tree, path, 1);
    const ListedFiles images(tree, path, kListedImages, images_there);
    return std::ranges::any_of(table.rows.empty() ? std::vector<Cell>{} : table.rows[0],
                               [&](const Cell& cell) { return images.find(text_of(cell)).has_value(); });
  } catch (const FormatError&) {
    return false;
  }
}

/// The option for all columns of numbers, such as those of a box, for messages; empty if there are not several.
std::string several_columns(const Table& table) {
  constexpr std::size_t kMostShown = 8;
  std::vector<std::string> names;
  for (std::size_t column = 0; column < table.columns.size(); ++column) {
    const std::string& name = table.columns[column];
    if (number_of(table.rows[0][column]) && !is_row_number_column(name) && !is_path_column(name)) names.push_back(name);
  }
  if (names.size() < 2 || names.size() > kMostShown) return "";
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ",") + printable(name);
  return ", or several numbers, such as `label_column=" + text + "`";
}

std::string no_labels_reason(const Table& table, std::ptrdiff_t path_column, const NamedColumns& named) {
  try {
    find_label_columns(table, named.labels, path_column);
  } catch (const FormatError& error) {
    return printable(error.what());
  }
  if (const std::string refused = refused_numbers(table); !refused.empty()) return refused + "; remove the separators";
  std::vector<std::string> others = table.columns;
  others.erase(others.begin() + path_column);
  return why_no_label_column(table.columns) + "; name " + (others.size() == 1 ? "" : "one of ") +
         printable(either_of(others)) + " with `label_column`" + several_columns(table);
}

/// The evidence for labels, also by the columns that the options name.
LabelEvidence label_evidence(const Table& table, std::ptrdiff_t path_column, const MaskColumn& masks,
                             const NamedColumns& named) {
  if (named.labels.empty()) return label_evidence(table, path_column, masks);
  try {
    find_label_columns(table, named.labels, path_column);
    return LabelEvidence::column;
  } catch (const FormatError&) {
    return LabelEvidence::none;
  }
}

/// The verdict on a table that names files.
TableVerdict judge_labels(const Table& table, std::ptrdiff_t path_column, const MaskColumn& masks,
                          const NamedColumns& named) {
  using Kind = TableVerdict::Kind;
  switch (label_evidence(table, path_column, masks, named)) {
    case LabelEvidence::column:
      return {Kind::labeled, ""};
    case LabelEvidence::numbers:
      return {Kind::numbers, why_no_label_column(table.columns)};
    case LabelEvidence::paths:
      return {Kind::paths, "it has no columns of labels"};
    case LabelEvidence::none:
      return {Kind::unlabeled, no_labels_reason(table, path_column, named)};
  }
  return {};
}

/// A list that is found in a folder must not take the place of class folders by chance, because other files have names
/// that are in it.
std::optional<std::string> why_not_by_name(const Table& table, std::ptrdiff_t column, const ListedFiles& images) {
  if (!images.searches_everywhere()) return std::nullopt;
  for (const std::vector<Cell>& row : table.rows) {
    const auto image = images.find(text_of(row[static_cast<std::size_t>(column)]));
    if (!image || !image->is_found_by_name ||
        is_named_for_images(fs::path(image->path).parent_path().filename().string())) {
      continue;
    }
    return "its images are in other folders, such as \"" + printable(image->path) +
           "\"; to pack it, name the list instead of its folder";
  }
  return std::nullopt;
}

/// The verdict on a table that can be parsed so far.
TableVerdict judge_rows(const Table& table, const files::FileTree& tree, const std::string& path,
                        const NamedColumns& named, const std::shared_ptr<FolderImages>& images_there) {
  using Kind = TableVerdict::Kind;
  try {
    ListedFiles images(tree, path, kListedImages, images_there);
    const PathColumn column = find_path_column(table, images, named);
    if (table.columns.empty()) return {Kind::empty, "it is empty"};
    if (table.rows.empty()) return {Kind::empty, "it has only the names of columns"};
    if (column.index < 0) return {Kind::other, no_path_column(table, images)};
    if (column.names_files) {
      if (auto reason = why_not_by_name(table, column.index, images)) return {Kind::other, std::move(*reason)};
      const ListedFiles masks(tree, path, kListedMasks, images_there);
      return judge_labels(table, column.index, find_mask_column(table, masks, column.index, named), named);
    }
    const std::string first = text_of(table.rows[0][static_cast<std::size_t>(column.index)]);
    return {Kind::other, "line " + std::to_string(table.lines[0]) + ": " + images.why_not_found(first)};
  } catch (const FormatError& error) {
    return {Kind::other, error.what()};
  }
}

void add_remark(std::optional<std::string> remark, ImageList& contents) {
  if (remark) contents.remarks.push_back(std::move(*remark));
}

/// On the columns that hold labels, unless a column has a usual name for them.
void remark_on_labels_of(const TableReader& reader, const std::string& name, ImageList& contents) {
  for (const std::string& remark : reader.labels().remarks()) contents.remarks.push_back(name + ": " + remark);
  const std::vector<std::string> columns = reader.label_columns();
  if (reader.has_label_column() || (columns.empty() && reader.has_masks())) return;
  contents.remarks.push_back(remark_on_labels(name, reader.columns(), columns, reader.labels().are_classes()));
  const std::string refused = columns.empty() ? reader.refused_numbers() : "";
  if (!refused.empty()) contents.remarks.push_back(name + ": " + refused + "; without them, they would be labels");
}

/// Whether masks are all that is learned.
bool has_only_masks(const TableReader& reader) { return reader.has_masks() && reader.label_columns().empty(); }

/// On the columns that are kept, and those that are not.
void remark_on_metadata(const TableReader& reader, const std::string& name, ImageList& contents) {
  add_remark(remark_on_kept(name, reader.kept_automatically(), reader.doubtful_label_column(), has_only_masks(reader)),
             contents);
  add_remark(remark_on_left_out(name, reader.left_out_columns()), contents);
  add_remark(remark_on_needed(name, reader.kept_for_choice()), contents);
  add_remark(remark_on_late(name, reader.late_columns()), contents);
}

/// On a column of splits that is not used.
void remark_on_splits_of(const TableReader& reader, const std::string& name, const ListSplit& split,
                         ImageList& contents) {
  if (const auto column = reader.ignored_split_column()) {
    contents.remarks.push_back(remark_on_split(name, *column, split.name));
  } else if (const auto empty = reader.empty_split_column()) {
    contents.remarks.push_back(name + ": the column \"" + printable(*empty) + "\" names no split");
  }
}

/// The column of paths; `files` may search everywhere from then on. Throws FormatError if there is none.
PathColumn required_path_column(const Table& table, ListFiles& files, const SourceOptions& options) {
  const PathColumn column = find_path_column(table, files.images, named_columns(options));
  if (column.index < 0) throw FormatError(no_path_column(table, files.images));
  return column;
}

/// The column of masks. Without masks, a column that the options name for the labels holds labels.
MaskColumn mask_column_of(const Table& table, const ListFiles& files, const PathColumn& path_column,
                          const SourceOptions& options) {
  const bool are_labels_named = !options.with_masks && !options.label_columns.empty();
  return are_labels_named ? MaskColumn{}
                          : find_mask_column(table, files.masks, path_column.index, named_columns(options));
}

/// read_image_table() without the name of the list in errors.
ImageList list_images_of(const Tree& tree, const std::string& path, const ListSplit& split,
                         const SourceOptions& options) {
  ImageList contents;
  contents.is_table = true;
  contents.format = "manifest";  // as in files of version 0.1
  contents.roots.push_back(tree->file_of(path));
  const std::string name = fs::path(path).filename().string();
  Table table = read_table(*tree, path, kAllRows);
  contents.image_root = image_root_of(options);
  ListFiles files = files_of_list(tree, path, contents.image_root);
  const PathColumn path_column = required_path_column(table, files, options);
  const MaskColumn mask_column = mask_column_of(table, files, path_column, options);
  if (mask_column.is_guess) {
    const std::string& column = table.columns[static_cast<std::size_t>(mask_column.index)];
    contents.remarks.push_back(remark_on_masks(name, column, options.with_masks));
  }
  const TableReader reader(std::move(table), path_column, mask_column, split.is_named_by_user ? split.name : "",
                           split.has_labels, options);
  contents.columns = reader.columns();
  contents.automatic_columns = reader.kept_automatically();
  if (path_column.is_guess) contents.remarks.push_back(remark_on_paths(name, reader.path_column()));
  if (split.has_labels) remark_on_labels_of(reader, name, contents);
  if (is_sample_submission(name)) {
    contents.remarks.push_back(printable(name) +
                               ": by its name it is a sample submission, whose labels are placeholders");
  }
  remark_on_metadata(reader, name, contents);
  remark_on_splits_of(reader, name, split, contents);
  fill(contents, reader, files, contents.image_root ? contents.image_root : tree, path,
       split.name.empty() ? split_of_list_name(name).value_or("train") : split.name, options.skip_unreadable);
  return contents;
}

}  // namespace

bool has_table_extension(const std::string& name) {
  const std::string extension = table_extension(name);
  return extension == ".csv" || extension == ".tsv" || extension == ".jsonl" || extension == ".ndjson";
}

bool is_image_table_name(const std::string& name) {
  return has_table_extension(name) || table_extension(name) == ".json";
}

TableVerdict judge_table(const files::FileTree& tree, const std::string& path, const NamedColumns& named,
                         const std::shared_ptr<FolderImages>& images) {
  using Kind = TableVerdict::Kind;
  Table table;
  try {
    table = read_table(tree, path, kRowsJudged);
  } catch (const FormatError& error) {
    if (has_table_extension(path) || begins_as_list(tree, path, images)) return {Kind::damaged, error.what()};
    return {Kind::not_table, "it is neither a JSON array of objects nor JSON Lines"};
  }
  TableVerdict verdict = judge_rows(table, tree, path, named, images);
  if (verdict.kind == Kind::labeled) return verdict;
  if (auto damage = damage_of_table(tree, path)) return {Kind::damaged, std::move(*damage)};
  return verdict;
}

std::optional<std::string> damage_of_table(const files::FileTree& tree, const std::string& path) {
  if (!has_table_extension(path)) return std::nullopt;
  try {
    read_table(tree, path, kAllRows, false);
  } catch (const FormatError& error) {
    return error.what();
  }
  return std::nullopt;
}

ImageList read_image_table(const Tree& tree, const std::string& path, const ListSplit& split,
                           const SourceOptions& options) {
  try {
    return list_images_of(tree, path, split, options);
  } catch (const FormatError& error) {
    throw FormatError("read the list " + tree->name_of(path) + ": " + error.what());
  }
}

}  // namespace octavo::sources
