#include "sources/lists/folders/class_folders.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <set>
#include <string_view>

#include <octavo/text.hpp>

#include "images/image_codec.hpp"
#include "sources/combine/split_names.hpp"
#include "sources/lists/masks/mask_folders.hpp"
#include "support/text/ascii.hpp"

namespace octavo::sources {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostShownNames = 3;

bool holds_images(const files::FileTree& tree, const std::string& folder) {
  return std::ranges::any_of(tree.files_below(folder), &images::has_image_name);
}

void add_class_folders(const files::FileTree& tree, const std::string& folder, std::set<std::string>& names) {
  if (find_mask_folders(tree, folder)) return;
  for (const std::string& name : tree.entries(folder).folders) {
    const std::string path = files::join_path(folder, name);
    if (split_of_folder_name(name)) {
      add_class_folders(tree, path, names);
    } else if (!split_of_list_name(name) && !is_named_for_images(name) && holds_images(tree, path)) {
      names.insert(name);
    }
  }
}

/// The class folder of an image below the folder of its list: its first folder that is not a split.
std::string_view class_folder_of(std::string_view path, std::size_t folder_bytes) {
  path.remove_prefix(folder_bytes == 0 ? 0 : folder_bytes + 1);
  for (std::size_t end; (end = path.find('/')) != std::string_view::npos; path.remove_prefix(end + 1)) {
    if (!split_of_folder_name(path.substr(0, end))) return path.substr(0, end);
  }
  return "";
}

/// Whether the class of each image is its class folder.
bool are_labels_folders(const ImageList& contents, std::size_t folder_bytes) {
  for (const SplitImages& list : contents.splits) {
    if (list.layout.kind != LabelKind::class_index || contents.class_names.empty()) return false;
    for (std::size_t i = 0; i < list.paths.size(); ++i) {
      std::int32_t label = 0;
      std::memcpy(&label, list.labels.data() + i * sizeof label, sizeof label);
      if (contents.class_names[static_cast<std::size_t>(label)] != class_folder_of(list.paths[i], folder_bytes)) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace

bool is_named_for_images(const std::string& folder) {
  constexpr std::array<std::string_view, 9> kWords = {"image", "images", "img",   "imgs",    "jpg",
                                                      "jpeg",  "png",    "photo", "pictures"};
  std::string word;
  for (const char c : lower_case(folder) + "/") {
    if (c >= 'a' && c <= 'z') {
      word += c;
      continue;
    }
    if (split_of_folder_name(word) || std::ranges::find(kWords, word) != kWords.end()) return true;
    word.clear();
  }
  return false;
}

std::vector<std::string> class_folders(const files::FileTree& tree, const std::string& folder) {
  std::set<std::string> names;
  add_class_folders(tree, folder, names);
  return names.size() < 2 ? std::vector<std::string>() : std::vector<std::string>(names.begin(), names.end());
}

std::string way_out_of_list(const files::FileTree& tree, const std::string& folder) {
  return class_folders(tree, folder).empty() ? "" : "; `format=folder` packs the class folders without the list";
}

std::optional<std::string> remark_on_class_folders(const ImageList& contents, const files::FileTree& tree,
                                                   const std::string& path) {
  const auto is_labeled = [](const SplitImages& list) { return list.layout.kind != LabelKind::none; };
  if (std::ranges::none_of(contents.splits, is_labeled)) return std::nullopt;
  const std::string folder = fs::path(path).parent_path().string();
  const std::vector<std::string> names = class_folders(tree, folder);
  if (names.empty() || are_labels_folders(contents, folder.size())) return std::nullopt;
  std::string shown;
  for (std::size_t i = 0; i < std::min(names.size(), kMostShownNames); ++i) {
    shown += (i == 0 ? "\"" : ", \"") + printable(names[i]) + "\"";
  }
  return "the labels are those of " + printable(fs::path(path).filename().string()) + "; the folders " + shown +
         (names.size() > kMostShownNames ? ", ..." : "") +
         " are not used as classes; `format=folder` reads folders, not lists";
}

}  // namespace octavo::sources
