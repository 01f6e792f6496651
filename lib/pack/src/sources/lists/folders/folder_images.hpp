// The images below a folder, to be found by the end of their paths.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "files/file_tree.hpp"

namespace octavo::sources {

/// The end of a path without the extension of an image.
std::string_view without_image_extension(std::string_view path);

/// Listed when first needed, and once for all lists in the folder. Not thread-safe.
class FolderImages {
 public:
  /// Lists the images below `folder`, unless that was done. A folder that cannot be listed holds none.
  void list(const files::FileTree& tree, const std::string& folder);

  /// The images, as paths relative to the folder, in the order of FileTree::files_below().
  const std::vector<std::string>& paths() const { return paths_; }

  /// The images with exactly the path `stem`, or below any folder, in any case and with any extension; as places in
  /// paths(), in ascending order. `stem` has no extension of an image.
  std::vector<std::size_t> with_path(std::string_view stem) const;
  std::vector<std::size_t> ending_with(std::string_view stem) const;

 private:
  /// An image by its path in lower case, without the extension and from the end to the start.
  struct Entry {
    std::string reversed;
    std::size_t place = 0;
  };
  void add_range(const std::string& reversed, bool is_start, std::vector<std::size_t>& places) const;

  bool is_listed_ = false;
  std::vector<std::string> paths_;
  std::vector<Entry> entries_;  ///< in ascending order of `reversed`
};

}  // namespace octavo::sources
