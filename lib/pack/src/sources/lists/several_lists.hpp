// The rules that the image lists of one packing must obey as a whole.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "files/file_tree.hpp"
#include "sources/lists/image_list.hpp"

namespace octavo::sources {

/// A list that was read.
struct ReadList {
  ImageList contents;
  std::shared_ptr<const files::FileTree> tree;
  std::string path;             ///< of the list, in `tree`; it covers all files below its folder
  bool is_named = false;        ///< by the user, not found in a folder
  bool is_split_named = false;  ///< by the user
};

/// A folder whose images another source reads.
struct OtherFolder {
  std::shared_ptr<const files::FileTree> tree;
  std::string path;
};

/// Throws DataError if the user names one of several lists, but not its split, and the list is a sample submission, or
/// its images would join train next to those of a list that is named after train.
///
/// Throws DataError, naming two lists and the remedy, if they hold samples of one split. Their samples may only
/// join if no image is in both, and the user named both lists, they are in different folders, or their names differ
/// only in numbers, as those of the parts of one list do.
///
/// Adds remarks on images that several lines of one list name, that are in several splits, and that are below the
/// folder of a list, but neither in any list nor in `others`. Takes time proportional to n log n for n images.
void check_lists(std::vector<ReadList>& lists, const std::vector<OtherFolder>& others);

}  // namespace octavo::sources
