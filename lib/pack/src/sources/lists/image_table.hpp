// Image lists with labels: CSV, TSV or JSON.
#pragma once

#include <string>
#include <vector>

#include <octavo/pack.hpp>

#include "sources/lists/image_list.hpp"

namespace octavo::sources {

/// Whether a file has an extension of image lists: .csv, .tsv, .jsonl, .ndjson or .json.
bool is_image_table_name(const std::string& name);

/// Whether a table is a list of images with labels, by its first rows.
struct TableVerdict {
  enum class Kind {
    list,       ///< it names files and has labels, or only columns of numbers, or masks
    unlabeled,  ///< it names files, but has no labels
    unusable,   ///< it cannot be read, or has paths and labels, but the files do not exist
    other,      ///< none of these
  };
  Kind kind = Kind::other;
  std::string reason = {};  ///< why it is not a list
};

/// If `label_column` is not empty, the labels must be in that column.
TableVerdict judge_table(const files::FileTree& tree, const std::string& path, const std::string& label_column);

/// The split of the images of a list.
struct ListSplit {
  std::string name = {};          ///< empty: the one that the file name of the list states, else train
  bool is_named_by_user = false;  ///< then a column of splits is ignored; otherwise it precedes `name`
};

/// Reads the images of a list, in its order. The columns are named by the first line of a CSV or TSV file, or by the
/// keys of the first object of JSON Lines or a JSON array:
///
///   path    file_name, filename, path, file, image, image_path, image_id or id, or any column whose files exist (see
///           list_columns.hpp): relative to the list's folder, or to its usual subfolders (see listed_file.hpp)
///   label   options.label_column, or label, class, class_name, category, target or y: class numbers, class names or
///           targets (see text_labels.hpp); in JSON also arrays of numbers
///   split   split, set or subset: without it, or if it names none, an image is in `split`
///
/// options.columns, and those of columns_for_choice() that the list has, are kept as metadata. Without a label column,
/// all other columns are labels if they hold numbers: one column as if it were named, several as multi-labels if all
/// are 0 and 1 (the columns are the classes), else as targets. With options.skip_unreadable, lines without an image or
/// a label are left out. Throws FormatError naming the list and the line, or IoError.
ImageList read_image_table(const std::shared_ptr<const files::FileTree>& tree, const std::string& path,
                           const ListSplit& split, const SourceOptions& options);

}  // namespace octavo::sources
