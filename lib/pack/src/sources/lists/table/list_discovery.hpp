// Which tables of a folder list its images.
#pragma once

#include <string>
#include <vector>

#include "files/file_tree.hpp"
#include "sources/lists/table/list_columns.hpp"

namespace octavo::sources {

/// A list to read.
struct FoundList {
  std::string path;        ///< in the tree
  bool has_labels = true;  ///< false: other lists have labels, this one has not
};

struct FolderLists {
  std::vector<FoundList> lists;      ///< in the order train, val, test
  std::vector<std::string> remarks;  ///< on tables that are not read
  /// Why a table that may hold the labels is not read, with its name and a remedy; empty if there is none. Without
  /// other labels, the images lack theirs.
  std::string problem = {};
};

/// Finds the image lists in `folder`.
///
/// - Lists with a column of labels or masks are read. Only if there are none, lists of numbers are, then lists of
///   paths only.
/// - If the names of some of them state a split, those of the others do not, and are not read, since they are probably
///   copies or results.
/// - Another list that names images is read without labels if its name states another split: "test.csv". If that split
///   is train, this throws FormatError, since the labels of the training images must not be lost.
/// - A sample submission, by its name, is never read.
///
/// Throws FormatError, naming the file and the line, if a table that is not read cannot be parsed.
FolderLists find_lists(const files::FileTree& tree, const std::string& folder, const NamedColumns& named);

/// Whether a list is a sample submission by its name, so that its labels are not those of the images.
bool is_sample_submission(const std::string& name);

}  // namespace octavo::sources
