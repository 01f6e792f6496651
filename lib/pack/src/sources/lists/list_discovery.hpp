// Which tables of a folder list its images.
#pragma once

#include <string>
#include <vector>

#include "files/file_tree.hpp"
#include "sources/lists/list_columns.hpp"

namespace octavo::sources {

struct FolderLists {
  std::vector<std::string> paths;    ///< of the lists to read, in the tree, in the order train, val, test
  std::vector<std::string> remarks;  ///< on tables that are not read
  /// Why the first table that does not look like a list is not read, with its name and a remedy; empty if there is
  /// none. Without other labels, the images lack theirs.
  std::string problem = {};
};

/// Finds the image lists in `folder`. If the names of some lists state a split, the others are not read, since they are
/// probably copies, results or templates: "sample_submission.csv" next to "train.csv". Throws FormatError, naming the
/// file and the line, if a table that is not read cannot be parsed.
FolderLists find_lists(const files::FileTree& tree, const std::string& folder, const NamedColumns& named);

}  // namespace octavo::sources
