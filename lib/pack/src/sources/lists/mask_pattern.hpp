// Names of masks that follow from the names of their images, such as x_mask.png next to x.png.
#pragma once

#include <string>
#include <string_view>

#include "sources/lists/image_list.hpp"

namespace octavo::sources {

/// A pattern such as "{stem}_mask.png" or "../masks/{stem}.png": the path of a mask, relative to the folder of its
/// image, whose name without extension is {stem}.
class MaskPattern {
 public:
  /// Throws InvalidArgument if the file name does not have one {stem} and the extension of an image.
  explicit MaskPattern(std::string_view text);

  /// Whether the pattern names a folder, too.
  bool has_folder() const { return !folder_.empty(); }
  /// Whether a file is a mask by its path: its name matches, and its folder ends with that of the pattern.
  bool is_mask(const std::string& path) const;
  /// The path of the mask of the image at `path`. Begins with "../" if it is outside the root.
  std::string mask_of(const std::string& path) const;
  /// The same in the folder `folder`, whatever the folder of the pattern.
  std::string mask_in(const std::string& folder, const std::string& path) const;

 private:
  std::string folder_;  ///< "../masks"; empty: that of the image
  std::string before_, after_;
};

/// Finds the mask of each image of `list` by the pattern. An image without a mask is an error; if `may_skip`, it is
/// left out. Throws DataError naming the file, also if two images have the same mask, or if they are in an archive.
void pair_by_pattern(const MaskPattern& pattern, bool may_skip, SplitImages& list,
                     std::vector<SampleFailure>& left_out);

}  // namespace octavo::sources
