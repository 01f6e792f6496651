// Folders of images that links show in several classes or splits.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "files/file_tree.hpp"

namespace octavo::sources {

/// Counts the folders, for a note: one image with two labels, or in train and test, spoils a dataset unnoticed.
class SharedFolders {
 public:
  /// Adds the images of one class of one split. `tree` must stay alive as long as this object.
  void add(const files::FileTree& tree, std::span<const std::string> paths);
  /// Nothing if no folder is shared.
  std::optional<std::string> remark() const;

 private:
  void add_folder(const files::FileTree& tree, const std::string& folder);

  std::map<std::pair<const files::FileTree*, std::string>, std::string> path_of_;  ///< the first path, by identity
  std::int64_t shared_count_ = 0;
  std::string first_;  ///< "\"a.tar: cat/up/dog\" is also \"a.tar: dog\""
};

}  // namespace octavo::sources
