// Recognizes masks by their names, to name the pattern that pairs them with their images.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace octavo::sources {

/// Whether a folder probably holds masks: "gt", "train_masks", "masks_png", "SegmentationClass".
bool is_called_as_masks(std::string_view folder);

/// A pattern for MaskPattern.
struct FittingPattern {
  std::string image;  ///< "img_{stem}"; empty: {stem} is the whole name
  std::string mask;   ///< "mask_{stem}.png"

  /// "img_{stem}=../masks/mask_{stem}.png" for the folder "../masks/".
  std::string text(const std::string& folder = "") const { return image + (image.empty() ? "" : "=") + folder + mask; }
};

/// The pattern that names a different one of `masks` for each of `images`: with the whole name of an image,
/// "{stem}_mask.png", or with a part, "img_{stem}=mask_{stem}.png". Both are paths relative to a folder each. Nothing
/// if there is none, or if it cannot be written in a message.
std::optional<FittingPattern> fitting_pattern(const std::vector<std::string>& images,
                                              const std::set<std::string>& masks);

/// A pattern, and the masks that it names for the images that were given.
struct PairedNames {
  FittingPattern pattern;
  std::vector<std::string> masks;
};

/// The same as fitting_pattern(), with the masks. Of several masks of an image, those named like class numbers precede:
/// x_labelIds.png, not x_color.png.
std::optional<PairedNames> paired_names(const std::vector<std::string>& images, const std::set<std::string>& masks);

/// Files whose paths differ from those of other files only in the extension, which all of them share: 000.png next to
/// 000.jpg. They may be the masks of the others. Nothing if other files have this extension, or if there are several
/// such extensions.
struct TwinFiles {
  std::string extension;                                   ///< of the masks, with the dot
  std::vector<std::pair<std::string, std::string>> pairs;  ///< each image with the file that may be its mask
};
std::optional<TwinFiles> find_twin_files(const std::vector<std::string>& paths);

/// Whether the second of two folders may hold the masks of the first: it is called so, or both have the names of a
/// pair, such as "input" and "target" or "x" and "y".
bool are_called_as_pair(std::string_view images, std::string_view masks);

/// Whether a word in the name of a column may mean masks: "gt_path", "seg", "target image".
bool has_word_for_masks(std::string_view name);

/// Files that are named like the masks of others.
struct NamedMasks {
  std::int64_t count = 0;
  std::string image, mask;  ///< the first pair, as paths
  std::string pattern;      ///< of most of them
};

/// Finds files that begin or end in a word for masks and are next to a file with the same name without it, or with a
/// word for images: 000_mask.png next to 000.jpg, mask_000.png next to img_000.jpg. Nothing if there are none.
std::optional<NamedMasks> find_named_masks(const std::vector<std::string>& paths);

/// Whether a pattern, or a folder of one, can be copied from a message.
bool is_plain(const std::string& pattern);

/// "`masks=../gt/{stem}.png`": the option for the pattern, as in option_names.hpp.
std::string masks_option(const std::string& pattern);

}  // namespace octavo::sources
