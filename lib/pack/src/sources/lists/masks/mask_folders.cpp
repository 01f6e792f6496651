#include "sources/lists/masks/mask_folders.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include <octavo/errors.hpp>

#include "images/image_codec.hpp"
#include "sources/lists/masks/mask_evidence.hpp"
#include "sources/lists/masks/mask_names.hpp"
#include "support/file.hpp"
#include "support/text/ascii.hpp"

namespace octavo::sources {
namespace {

constexpr std::array<std::string_view, 5> kImageFolders = {"images", "image", "imgs", "img", "jpegimages"};
constexpr std::array<std::string_view, 8> kMaskFolders = {"masks",       "mask",    "segmentations",     "segmentation",
                                                          "annotations", "trimaps", "segmentationclass", "labels"};

bool has_images(const files::FileTree& tree, const std::string& folder) {
  const auto files = tree.files_below(folder);
  return std::ranges::any_of(files, &images::has_image_name);
}

/// The subfolder with one of these names, in any case, that holds images; nothing if there is none, or several.
template <std::size_t kCount>
std::optional<std::string> find_folder(const files::FileTree& tree, const std::string& folder,
                                       const std::vector<std::string>& names,
                                       const std::array<std::string_view, kCount>& usual) {
  std::optional<std::string> found;
  for (const std::string& name : names) {
    if (std::ranges::find(usual, lower_case(name)) == usual.end()) continue;
    const std::string path = files::join_path(folder, name);
    if (!has_images(tree, path)) continue;
    if (found) return std::nullopt;
    found = path;
  }
  return found;
}

std::string without_extension(const std::string& path) {
  const std::size_t dot = path.rfind('.'), slash = path.rfind('/');
  return dot == std::string::npos || (slash != std::string::npos && dot < slash) ? path : path.substr(0, dot);
}

[[noreturn]] void refuse(const std::string& name, const std::string& why, const std::string& remedy = "") {
  throw DataError("pair images with masks: " + name + " " + why + "; " + remedy +
                  "add or remove files, skip such samples with `on_error=skip`, or pack no masks with `masks=off`");
}

/// The paths of the masks, by their path below the folder without extension; with a pattern, by their whole path there.
std::map<std::string, std::string> find_masks(const files::FileTree& tree, const std::string& folder,
                                              const MaskPattern* pattern) {
  std::map<std::string, std::string> masks;
  for (const std::string& file : tree.files_below(folder)) {
    if (pattern != nullptr ? !pattern->is_mask(file) : !images::has_image_name(file)) continue;
    const std::string path = files::join_path(folder, file);
    const auto [other, is_new] = masks.try_emplace(pattern != nullptr ? file : without_extension(file), path);
    if (!is_new) refuse(tree.name_of(path), "is a second mask next to " + tree.name_of(other->second));
  }
  return masks;
}

std::string below_folder(const std::string& path, const std::string& folder) {
  return path.substr(folder.empty() ? 0 : folder.size() + 1);
}

/// The pattern for masks that are all in one of the folders in `folder`, the name of a folder next to the images:
/// "../annotations/trimaps/{stem}.png". Nothing if there is none.
std::optional<std::string> pattern_of_inner_folder(const std::string& folder, const std::vector<std::string>& images,
                                                   const std::set<std::string>& masks) {
  const auto is_deep = [](const std::string& image) { return image.find('/') != std::string::npos; };
  if (std::ranges::any_of(images, is_deep)) return std::nullopt;
  std::map<std::string, std::set<std::string>> names_in;  // each folder
  for (const std::string& mask : masks) {
    const std::size_t end = mask.rfind('/');
    if (end != std::string::npos) names_in[mask.substr(0, end)].insert(mask.substr(end + 1));
  }
  for (const auto& [inner, names] : names_in) {
    const std::string whole = "../" + folder + "/" + inner + "/";
    const auto pattern = fitting_pattern(images, names);
    if (pattern && is_plain(whole)) return pattern->text(whole);
  }
  return std::nullopt;
}

/// The pattern to give if it names a mask for each image; empty if there is none.
std::string remedy_of_pattern(const MaskFolders& folders, const SplitImages& list,
                              const std::map<std::string, std::string>& masks) {
  std::vector<std::string> images;
  std::set<std::string> names;
  for (const std::string& path : list.paths) images.push_back(below_folder(path, folders.images));
  for (const auto& [key, path] : masks) names.insert(below_folder(path, folders.masks));
  const auto pattern = fitting_pattern(images, names);
  const auto inner = pattern_of_inner_folder(std::filesystem::path(folders.masks).filename().string(), images, names);
  if (!pattern && !inner) return "";
  return "name the masks with " + masks_option(pattern ? pattern->text() : *inner) + ", ";
}

/// Two folders with other names that are those of a pair, if the files in one look like the masks of the others.
std::optional<MaskFolders> find_pair_by_files(const files::FileTree& tree, const std::string& folder,
                                              std::vector<std::string> names) {
  if (!tree.disk_path("")) return std::nullopt;
  std::erase_if(names, [&](const std::string& name) { return !has_images(tree, files::join_path(folder, name)); });
  if (names.size() != 2) return std::nullopt;
  if (!are_called_as_pair(names[0], names[1])) std::swap(names[0], names[1]);
  if (!are_called_as_pair(names[0], names[1])) return std::nullopt;
  const MaskFolders pair = {files::join_path(folder, names[0]), files::join_path(folder, names[1])};
  return look_like_masks(tree, pair.images, pair.masks) ? std::optional(pair) : std::nullopt;
}

}  // namespace

std::optional<MaskFolders> find_mask_folders(const files::FileTree& tree, const std::string& folder) {
  auto names = tree.entries(folder).folders;
  const auto images = find_folder(tree, folder, names, kImageFolders);
  const auto masks = images ? find_folder(tree, folder, names, kMaskFolders) : std::nullopt;
  if (masks) return MaskFolders{*images, *masks};
  return find_pair_by_files(tree, folder, std::move(names));
}

void pair_with_masks(const MaskFolders& folders, const MaskPattern* pattern, bool may_skip, SplitImages& list,
                     std::vector<SampleFailure>& left_out) {
  const files::FileTree& tree = *list.tree;
  if (!tree.disk_path("")) refuse(tree.name_of(folders.masks), "is in an archive, where masks cannot be read");
  const std::map<std::string, std::string> masks = find_masks(tree, folders.masks, pattern);
  const auto leave_out = [&](const std::string& path, const std::string& why) {
    if (!may_skip) {
      refuse(tree.name_of(path), why, pattern == nullptr ? remedy_of_pattern(folders, list, masks) : "");
    }
    left_out.push_back({0, path, "it " + why});
  };
  SplitImages paired = {list.split, list.tree, {}, list.layout, {}};
  std::map<std::string, std::string> image_of;  // that uses each mask
  const std::int64_t label_bytes = list.layout.bytes_per_sample();
  for (std::size_t i = 0; i < list.paths.size(); ++i) {
    const std::string& path = list.paths[i];
    const std::string below = below_folder(path, folders.images);
    if (const auto problem = pattern != nullptr ? pattern->name_problem(below) : std::nullopt) {
      leave_out(path, *problem);
      continue;
    }
    const std::string key = pattern != nullptr
                                ? pattern->mask_in(std::filesystem::path(below).parent_path().string(), below)
                                : without_extension(below);
    const auto mask = masks.find(key);
    if (mask == masks.end()) {
      const std::string expected = files::join_path(folders.masks, key) + (pattern != nullptr ? "" : ".*");
      leave_out(path, "has no mask " + quoted(std::filesystem::path(expected)));
      continue;
    }
    const auto [other, is_new] = image_of.try_emplace(key, path);
    if (!is_new) refuse(tree.name_of(path), "has the mask of " + tree.name_of(other->second));
    paired.paths.push_back(path);
    paired.masks.push_back(mask->second);
    const auto label = list.labels.begin() + static_cast<std::ptrdiff_t>(i) * label_bytes;
    paired.labels.insert(paired.labels.end(), label, label + label_bytes);
  }
  for (const auto& [key, path] : masks) {
    if (!image_of.contains(key)) leave_out(path, "has no image");
  }
  list = std::move(paired);
}

}  // namespace octavo::sources
