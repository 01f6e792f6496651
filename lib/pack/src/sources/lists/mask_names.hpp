// Recognizes masks by their names, to name the pattern that pairs them with their images.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace octavo::sources {

/// Whether a folder probably holds masks: "gt", "train_masks", "masks_png", "SegmentationClass".
bool is_called_as_masks(std::string_view folder);

/// Whether the second of two folders may hold the masks of the first: it is called so, or both have the names of a
/// pair, such as "input" and "target" or "x" and "y".
bool are_called_as_pair(std::string_view images, std::string_view masks);

/// Whether a word in the name of a column may mean masks: "gt_path", "seg", "target image".
bool has_word_for_masks(std::string_view name);

/// The pattern, such as "{stem}_mask.png", that names a different one of `masks` for each of `images`. Both are paths
/// relative to a folder each. Nothing if there is none, or if it cannot be written in a message.
std::optional<std::string> fitting_pattern(const std::vector<std::string>& images, const std::set<std::string>& masks);

/// Files that are named like the masks of others.
struct NamedMasks {
  std::int64_t count = 0;
  std::string image, mask;  ///< the first pair, as paths
  std::string pattern;      ///< of most of them
};

/// Finds files that end in a word for masks and are next to a file with the same name without it: 000_mask.png next to
/// 000.jpg. Nothing if there are none.
std::optional<NamedMasks> find_named_masks(const std::vector<std::string>& paths);

/// "`masks=../gt/{stem}.png`": the option for the pattern, as in option_names.hpp.
std::string masks_option(const std::string& pattern);

}  // namespace octavo::sources
