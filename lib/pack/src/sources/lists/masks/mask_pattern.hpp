// Names of masks that follow from the names of their images, such as x_mask.png next to x.png.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sources/lists/image_list.hpp"

namespace octavo::sources {

/// A name with a part that other names share: "mask_{stem}.png" is `before`, the part, `after`.
struct NamePattern {
  std::string before, after;

  std::string text() const { return before + "{stem}" + after; }
  std::string name_for(const std::string& stem) const { return before + stem + after; }
  /// The part of a name for {stem}; nothing if the name does not match, or if nothing is left for {stem}.
  std::optional<std::string> stem_in(const std::string& name) const;
};

/// A pattern such as "{stem}_mask.png" or "../masks/{stem}.png": the path of a mask, relative to the folder of its
/// image, whose name without extension is {stem}. Or the patterns of both, "img_{stem}=mask_{stem}.png", where {stem}
/// is what the names share.
class MaskPattern {
 public:
  /// Throws InvalidArgument if a file name does not have one {stem}, or that of the mask not the extension of an image.
  explicit MaskPattern(std::string_view text);

  /// Whether the pattern names a folder, too.
  bool has_folder() const { return !folder_.empty(); }
  /// Whether a file is a mask by its path: its name matches, and its folder ends with that of the pattern.
  bool is_mask(const std::string& path) const;
  /// Why the image at `path` can have no mask, as in "is not named ..."; nothing if its name matches.
  std::optional<std::string> name_problem(const std::string& path) const;
  /// The path of the mask of the image at `path`, whose name must match. Begins with "../" if it is outside the root.
  std::string mask_of(const std::string& path) const;
  /// The same in the folder `folder`, whatever the folder of the pattern.
  std::string mask_in(const std::string& folder, const std::string& path) const;

 private:
  std::optional<std::string> stem_of(const std::string& path) const;

  std::optional<NamePattern> image_;  ///< of names with or without extension; without it, {stem} is the whole name
  bool has_image_extension_ = false;  ///< of image_
  std::string folder_;                ///< "../masks"; empty: that of the image
  NamePattern mask_;
};

/// Finds the mask of each image of `list` by the pattern. An image without a mask is an error; if `may_skip`, it is
/// left out. Throws DataError naming the file, also if two images have the same mask, or if they are in an archive.
void pair_by_pattern(const MaskPattern& pattern, bool may_skip, SplitImages& list,
                     std::vector<SampleFailure>& left_out);

}  // namespace octavo::sources
