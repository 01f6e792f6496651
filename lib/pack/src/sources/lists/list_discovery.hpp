// Which tables of a folder list its images.
#pragma once

#include <string>
#include <vector>

#include "files/file_tree.hpp"

namespace octavo::sources {

struct FolderLists {
  std::vector<std::string> paths;    ///< of the lists to read, in the tree, in the order train, val, test
  std::vector<std::string> remarks;  ///< on tables that are not read though they name files
  /// Why a table cannot be read, with its name; empty if all can. Without other labels, the images lack theirs.
  std::string problem = {};
};

/// Finds the image lists in `folder`. If the names of some lists state a split, the others are not read, since they are
/// probably copies, results or templates: "sample_submission.csv" next to "train.csv". `label_column` is
/// SourceOptions::label_column.
FolderLists find_lists(const files::FileTree& tree, const std::string& folder, const std::string& label_column);

}  // namespace octavo::sources
