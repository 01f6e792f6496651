// Lists of images and their labels: CSV, TSV, or JSON lines.
#pragma once

#include <string>
#include <vector>

#include <octavo/pack.hpp>

#include "sources/lists/image_list.hpp"

namespace octavo::sources {

/// Whether a file ends as such lists do: .csv, .tsv, .jsonl or .ndjson.
bool is_image_table_name(const std::string& name);

/// Whether a file lists images and their labels: its first line names a column of paths, and one of labels or others of
/// nothing but numbers, and the first path leads to an image that is there.
bool lists_images(const files::FileTree& tree, const std::string& path);

/// The images that a list names, in its order. The first line of a CSV or TSV file names the columns, as the keys of
/// JSON lines do:
///
///   path    file_name, filename, path, file, image, image_path, image_id or id: below the list's folder, or below
///           "images" or the folder of the list's own name there; .jpg, .jpeg or .png may be left out
///   label   label, class, class_name, category, target or y: class numbers, class names (numbered in byte order, or as
///           in `given_names`), or fractional numbers, which are targets; in JSON also arrays of either
///   split   split, set or subset: else all images are in `split`, or in the one that the list's name tells
///
/// Without a column of labels, all others are labels if they hold numbers: multi-labels where these are 0 and 1 (the
/// columns are the classes), else targets. Lines without an image or a label are left out if `may_skip`. Throws
/// FormatError naming the list and the line, or IoError.
ImageList read_image_table(const std::shared_ptr<const files::FileTree>& tree, const std::string& path,
                             const std::string& split, const std::vector<std::string>& given_names, bool may_skip);

/// Adds a remark where images that lie in one folder with listed ones are in none of the lists.
void remark_on_unlisted(std::vector<ImageList>& lists);

}  // namespace octavo::sources
