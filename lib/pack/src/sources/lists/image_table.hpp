// Image lists with labels: CSV, TSV or JSON Lines.
#pragma once

#include <string>
#include <vector>

#include <octavo/pack.hpp>

#include "sources/lists/image_list.hpp"

namespace octavo::sources {

/// Whether a file has the extension of an image list: .csv, .tsv, .jsonl or .ndjson.
bool is_image_table_name(const std::string& name);

/// Whether a file lists images and their labels: it has a path column, and a label column or only columns of numbers;
/// and its first path names an existing image. If `label_column` is not empty, it must have that column.
bool lists_images(const files::FileTree& tree, const std::string& path, const std::string& label_column);

/// Reads the images of a list, in its order. The columns are named by the first line of a CSV or TSV file, or by the
/// keys of JSON Lines:
///
///   path    file_name, filename, path, file, image, image_path, image_id or id: relative to the list's folder, or to
///           its subfolder "images" or the one named like the list; .jpg, .jpeg or .png may be omitted
///   label   options.label_column, or label, class, class_name, category, target or y: class numbers, class names
///           (numbered in byte order, or as in options.class_names), or fractional numbers, which are targets; in JSON
///           also arrays of either
///   split   split, set or subset: without it, all images are in `split`, or in the split named by the list's file name
///
/// options.columns are kept as metadata. Without a label column, all other columns are labels if they hold numbers:
/// multi-labels if all are 0 and 1 (the columns are the classes), else targets. With `may_skip`, lines without an image
/// or a label are left out. Throws FormatError naming the list and the line, or IoError.
ImageList read_image_table(const std::shared_ptr<const files::FileTree>& tree, const std::string& path,
                           const std::string& split, const SourceOptions& options);

}  // namespace octavo::sources
