// Image lists with labels: CSV, TSV or JSON.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <octavo/pack.hpp>

#include "sources/lists/folders/folder_images.hpp"
#include "sources/lists/image_list.hpp"
#include "sources/lists/table/list_columns.hpp"

namespace octavo::sources {

/// Whether a file has an extension that only tables have: .csv, .tsv, .jsonl or .ndjson.
bool has_table_extension(const std::string& name);

/// Whether a file has an extension of image lists: those, or .json.
bool is_image_table_name(const std::string& name);

/// Whether a table is a list of images, and has labels, by its first rows.
struct TableVerdict {
  enum class Kind {
    labeled,    ///< it names files, and a column has labels or masks
    numbers,    ///< it names files, and all other columns are numbers, which may be labels
    paths,      ///< it names files, and has no other columns
    unlabeled,  ///< it names files, but has no labels
    empty,      ///< it has no rows
    other,      ///< it does not look like a list of images
    not_table,  ///< a .json file, which can be anything else
    damaged,    ///< it cannot be parsed
  };
  Kind kind = Kind::other;
  std::string reason = {};  ///< why it has no labels, or is not a list
};

/// The path and the labels must be in the columns that `named` names, if any. A file that is not a list is parsed to
/// its end, since one with a table's extension may be damaged anywhere; reading a list reports its damage. The tables
/// of a folder share the listing of its `images`.
TableVerdict judge_table(const files::FileTree& tree, const std::string& path, const NamedColumns& named,
                         const std::shared_ptr<FolderImages>& images);

/// Why a file cannot be parsed, with the line; nothing if it can, or if its extension is .json.
std::optional<std::string> damage_of_table(const files::FileTree& tree, const std::string& path);

/// The split of the images of a list.
struct ListSplit {
  std::string name = {};          ///< empty: the one that the file name of the list states, else train
  bool is_named_by_user = false;  ///< then a column of splits is ignored; otherwise it precedes `name`
  bool has_labels = true;         ///< false: no column holds labels, whatever its name
};

/// Reads the images of a list, in its order. The columns are named by the first line of a CSV or TSV file, or by the
/// keys of the first object of JSON Lines or a JSON array:
///
///   path    options.path_column, or file_name, filename, path, file, image, image_path, image_id or id, or any column
///           whose files exist (see list_columns.hpp): relative to the list's folder, or to its usual subfolders (see
///           listed_file.hpp); or to options.image_root
///   label   options.label_columns, or a column with a usual name (see find_label_columns()): class numbers, class
///           names or targets (see text_labels.hpp), or tags (see label_tags.hpp); in JSON also arrays
///   mask    mask, mask_path, mask_file or segmentation, or a column for labels that names image files (see
///           mask_column.hpp)
///   split   split, set or subset: without it, or if all its cells are missing, an image is in `split`
///
/// options.columns, and those of columns_for_choice() that the list has, are kept as metadata. Without a label column,
/// all other columns are labels if they hold numbers. One column is read as if it were named; several, also if they
/// are named, are multi-labels if all are 0 and 1 (the columns are the classes), else targets. With
/// options.skip_unreadable, lines without an image, a label or a split are left out. Throws FormatError naming the list
/// and the line, or IoError.
ImageList read_image_table(const std::shared_ptr<const files::FileTree>& tree, const std::string& path,
                           const ListSplit& split, const SourceOptions& options);

}  // namespace octavo::sources
