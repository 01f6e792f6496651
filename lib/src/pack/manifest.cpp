#include "pack/manifest.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include <octavo/errors.hpp>

#include "pack/image_names.hpp"
#include "pack/name_list.hpp"
#include "pack/split_names.hpp"
#include "pack/table_rows.hpp"
#include "support/checked_math.hpp"
#include "support/file.hpp"

namespace octavo::sources {
namespace {

namespace fs = std::filesystem;
using Tree = std::shared_ptr<const files::FileTree>;

// What the cells of a list may take. A byte of CSV, an empty field, takes 64 at the most, one of JSON, in "{}", 11. But
// in an archive, and where JSON lines lack most of the keys, few bytes can stand for many cells.
constexpr std::int64_t kAlwaysHeldBytes = std::int64_t{32} << 20;
constexpr std::int64_t kCsvRatio = 72, kJsonRatio = 32;

constexpr std::array<const char*, 8> kPathColumns = {"file_name", "filename",   "path",     "file",
                                                     "image",     "image_path", "image_id", "id"};
constexpr std::array<const char*, 6> kLabelColumns = {"label", "class", "class_name", "category", "target", "y"};
constexpr std::array<const char*, 3> kSplitColumns = {"split", "set", "subset"};

template <std::size_t kCount>
std::ptrdiff_t find_any(const Table& table, const std::array<const char*, kCount>& names) {
  for (const char* const name : names) {
    if (const std::ptrdiff_t at = table.find(name); at >= 0) return at;
  }
  return -1;
}

Table read_table(const files::FileTree& tree, const std::string& path, std::size_t most_rows) {
  const std::string extension = fs::path(path).extension().string();
  const bool is_csv = extension == ".csv" || extension == ".tsv";
  const std::int64_t stored_bytes = File::open_for_reading(tree.file_of(path)).length();
  const auto ratio_bytes = checked_product({stored_bytes, is_csv ? kCsvRatio : kJsonRatio});
  const TableLimits limits = {
      most_rows, kAlwaysHeldBytes + ratio_bytes.value_or(std::numeric_limits<std::int64_t>::max() - kAlwaysHeldBytes)};
  const auto text = tree.open(path);
  return is_csv ? read_csv(*text, extension == ".csv" ? ',' : '\t', limits) : read_json_lines(*text, limits);
}

/// Where the image lies that a list at `list` names; nothing if it is nowhere.
std::optional<std::string> find_image(const files::FileTree& tree, const fs::path& list, const std::string& named) {
  const fs::path path(named);
  // A list is not to lead out of its folder.
  const bool leads_out = path.is_absolute() || std::find(path.begin(), path.end(), "..") != path.end();
  const bool is_cut = named.find('\0') != std::string::npos;  // by the system, which would see another name
  if (named.empty() || leads_out || is_cut) return std::nullopt;
  for (const std::string& folder : {std::string(), std::string("images"), list.stem().string()}) {
    for (const char* const ending : {"", ".jpg", ".png", ".jpeg"}) {
      const std::string at = files::join_path(list.parent_path().string(),
                                              files::join_path(folder, path.lexically_normal().string() + ending));
      if (has_image_name(at) && tree.has_file(at)) return at;
    }
  }
  return std::nullopt;
}

std::string text_of(const Cell& cell) {
  if (cell.is_string()) return cell.get<std::string>();
  return cell.is_null() ? "" : cell.dump();
}

/// The number that a cell holds or spells; nothing if it is another text.
std::optional<double> number_of(const Cell& cell) {
  if (cell.is_number()) return cell.get<double>();
  if (cell.is_boolean()) return cell.get<bool>() ? 1.0 : 0.0;
  if (!cell.is_string()) return std::nullopt;
  const auto& text = cell.get_ref<const std::string&>();
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

bool is_whole(double number) { return number == std::rint(number); }

/// The labels of all rows of a list, as one kind.
struct Labels {
  LabelLayout layout;
  std::vector<std::vector<double>> numbers;  ///< layout.width for each row
  std::vector<std::string> class_names;
};

/// Reads a list that is a table of one path a row. Throws FormatError with the reason only.
class ManifestReader {
 public:
  ManifestReader(Table table, const std::vector<std::string>& given_names)
      : table_(std::move(table)),
        given_names_(given_names),
        path_column_(find_any(table_, kPathColumns)),
        label_column_(find_any(table_, kLabelColumns)),
        split_column_(find_any(table_, kSplitColumns)) {
    if (path_column_ < 0) throw FormatError("no column is named as paths are (file_name, path, image, ...)");
    if (table_.rows.empty()) throw FormatError("it lists nothing");
  }

  std::string path(std::size_t row) const { return text_of(cell(row, path_column_)); }
  std::size_t row_count() const { return table_.rows.size(); }
  std::int64_t line(std::size_t row) const { return table_.lines[row]; }
  /// The split that a row names, or the empty text.
  std::string split(std::size_t row) const;
  Labels labels() const { return label_column_ < 0 ? labels_of_columns() : labels_of_column(); }

 private:
  const Cell& cell(std::size_t row, std::ptrdiff_t column) const {
    return table_.rows[row][static_cast<std::size_t>(column)];
  }
  [[noreturn]] void fail(std::size_t row, const std::string& problem) const {
    throw FormatError("line " + std::to_string(table_.lines[row]) + ": " + problem);
  }
  Labels labels_of_columns() const;
  Labels labels_of_column() const;
  Labels labels_of_lists() const;
  Labels labels_of_numbers() const;
  Labels labels_of_names() const;
  LabelLayout layout_of(const std::vector<std::vector<double>>& numbers) const;

  const Table table_;
  const std::vector<std::string>& given_names_;
  const std::ptrdiff_t path_column_, label_column_, split_column_;
};

std::string ManifestReader::split(std::size_t row) const {
  if (split_column_ < 0) return "";
  const std::string name = text_of(cell(row, split_column_));
  return split_of_folder_name(name).value_or(name);
}

/// Several numbers a row: multi-labels, or targets.
LabelLayout ManifestReader::layout_of(const std::vector<std::vector<double>>& numbers) const {
  bool are_bits = true;
  for (const auto& row : numbers) {
    are_bits = are_bits && std::all_of(row.begin(), row.end(), [](double n) { return n == 0.0 || n == 1.0; });
  }
  return {are_bits ? LabelKind::multi_label : LabelKind::target, std::ssize(numbers[0])};
}

Labels ManifestReader::labels_of_columns() const {
  std::vector<std::size_t> columns;
  for (std::size_t column = 0; column < table_.columns.size(); ++column) {
    const auto at = static_cast<std::ptrdiff_t>(column);
    if (at != path_column_ && at != split_column_ && number_of(table_.rows[0][column])) columns.push_back(column);
  }
  Labels labels;
  if (columns.empty()) return labels;
  for (std::size_t row = 0; row < row_count(); ++row) {
    std::vector<double>& numbers = labels.numbers.emplace_back();
    for (const std::size_t column : columns) {
      const auto number = number_of(table_.rows[row][column]);
      if (!number) fail(row, "\"" + table_.columns[column] + "\" holds no number, as it does in the first line");
      numbers.push_back(*number);
    }
  }
  labels.layout = layout_of(labels.numbers);
  if (labels.layout.kind == LabelKind::multi_label) {
    for (const std::size_t column : columns) labels.class_names.push_back(table_.columns[column]);
  }
  return labels;
}

Labels ManifestReader::labels_of_column() const {
  bool are_numbers = true;
  for (std::size_t row = 0; row < row_count(); ++row) {
    const Cell& label = cell(row, label_column_);
    if (label.is_array()) return labels_of_lists();
    are_numbers = are_numbers && number_of(label).has_value();
  }
  return are_numbers ? labels_of_numbers() : labels_of_names();
}

Labels ManifestReader::labels_of_lists() const {
  Labels labels;
  for (std::size_t row = 0; row < row_count(); ++row) {
    const Cell& list = cell(row, label_column_);
    std::vector<double>& numbers = labels.numbers.emplace_back();
    for (const Cell& one : list.is_array() ? list : Cell::array()) {
      const auto number = number_of(one);
      if (!number) fail(row, "a label is no number");
      numbers.push_back(*number);
    }
    if (numbers.empty() || numbers.size() != labels.numbers[0].size()) {
      fail(row, "it has " + std::to_string(numbers.size()) + " labels, the first has " +
                    std::to_string(labels.numbers[0].size()));
    }
  }
  labels.layout = layout_of(labels.numbers);
  labels.class_names = labels.layout.kind == LabelKind::multi_label ? given_names_ : std::vector<std::string>();
  return labels;
}

Labels ManifestReader::labels_of_numbers() const {
  Labels labels;
  bool are_classes = true;
  for (std::size_t row = 0; row < row_count(); ++row) {
    const double number = *number_of(cell(row, label_column_));
    are_classes =
        are_classes && is_whole(number) && number >= 0.0 && number <= std::numeric_limits<std::int32_t>::max();
    labels.numbers.push_back({number});
  }
  labels.layout = {are_classes ? LabelKind::class_index : LabelKind::target, 1};
  if (are_classes) labels.class_names = given_names_;
  return labels;
}

Labels ManifestReader::labels_of_names() const {
  Labels labels;
  std::set<std::string> found;
  for (std::size_t row = 0; row < row_count(); ++row) {
    const std::string name = text_of(cell(row, label_column_));
    if (name.empty()) fail(row, "it has no label");
    if (!is_clean_utf8(name)) fail(row, "its label is not UTF-8");
    found.insert(name);
  }
  labels.class_names = given_names_.empty() ? std::vector<std::string>(found.begin(), found.end()) : given_names_;
  std::map<std::string, double> numbers;
  for (std::size_t i = 0; i < labels.class_names.size(); ++i) numbers[labels.class_names[i]] = static_cast<double>(i);
  for (std::size_t row = 0; row < row_count(); ++row) {
    const auto number = numbers.find(text_of(cell(row, label_column_)));
    if (number == numbers.end()) fail(row, "its label is not among the given class names");
    labels.numbers.push_back({number->second});
  }
  labels.layout = {LabelKind::class_index, 1};
  return labels;
}

void append(ImageList& list, const std::vector<double>& numbers) {
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

ImageList& list_of(FolderContents& contents, const Tree& tree, const std::string& split, LabelLayout layout) {
  for (ImageList& list : contents.splits) {
    if (list.split == split) return list;
  }
  contents.splits.push_back({split, tree, {}, layout, {}});
  return contents.splits.back();
}

void fill(FolderContents& contents, const ManifestReader& reader, const Tree& tree, const std::string& list,
          const std::string& other_split) {
  const Labels labels = reader.labels();
  contents.class_names = labels.class_names;
  for (std::size_t row = 0; row < reader.row_count(); ++row) {
    const auto image = find_image(*tree, list, reader.path(row));
    if (!image) {
      throw FormatError("line " + std::to_string(reader.line(row)) + ": there is no image \"" +
                        reader.path(row).substr(0, 255) + "\" below the list's folder");
    }
    const std::string split = reader.split(row);
    ImageList& images = list_of(contents, tree, split.empty() ? other_split : split, labels.layout);
    images.paths.push_back(*image);
    if (labels.layout.kind != LabelKind::none) append(images, labels.numbers[row]);
  }
  std::stable_sort(contents.splits.begin(), contents.splits.end(),
                   [](const ImageList& a, const ImageList& b) { return split_rank(a.split) < split_rank(b.split); });
  for (ImageList& images : contents.splits) order_for_reading(images);
}

bool has_labels(const Table& table, std::ptrdiff_t path_column) {
  if (find_any(table, kLabelColumns) >= 0) return true;
  const std::ptrdiff_t split_column = find_any(table, kSplitColumns);
  for (std::ptrdiff_t column = 0; column < std::ssize(table.columns); ++column) {
    if (column == path_column || column == split_column) continue;
    if (!number_of(table.rows[0][static_cast<std::size_t>(column)])) return false;
  }
  return true;
}

}  // namespace

bool is_manifest_name(const std::string& name) {
  const std::string extension = fs::path(name).extension().string();
  return extension == ".csv" || extension == ".tsv" || extension == ".jsonl" || extension == ".ndjson";
}

bool lists_images(const files::FileTree& tree, const std::string& path) {
  try {
    const Table table = read_table(tree, path, 1);
    const std::ptrdiff_t column = find_any(table, kPathColumns);
    if (column < 0 || table.rows.empty() || !has_labels(table, column)) return false;
    return find_image(tree, path, text_of(table.rows[0][static_cast<std::size_t>(column)])).has_value();
  } catch (const FormatError&) {
    return false;
  }
}

FolderContents read_manifest(const Tree& tree, const std::string& path, const std::string& split,
                             const std::vector<std::string>& given_names) {
  FolderContents contents;
  contents.format = "manifest";
  contents.roots.push_back(tree->file_of(path));
  try {
    const ManifestReader reader(read_table(*tree, path, std::numeric_limits<std::size_t>::max()), given_names);
    const std::string name = fs::path(path).filename().string();
    fill(contents, reader, tree, path, split.empty() ? split_of_file_name(name).value_or("train") : split);
  } catch (const FormatError& error) {
    throw FormatError("read the list " + tree->name_of(path) + ": " + error.what());
  }
  return contents;
}

}  // namespace octavo::sources
