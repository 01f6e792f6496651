#include "sources/lists/list_remarks.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "images/image_codec.hpp"
#include "sources/lists/table_labels.hpp"

namespace octavo::sources {
namespace {

namespace fs = std::filesystem;

/// "a", "b" and so on; only the first few of many.
std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t kMostShown = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kMostShown); ++i) {
    text += (i == 0 ? "\"" : ", \"") + names[i].substr(0, 64) + "\"";
  }
  return names.size() > kMostShown ? text + ", ..." : text;
}

}  // namespace

std::string remark_on_labels(const std::string& list, const std::vector<std::string>& columns,
                             const std::vector<std::string>& label_columns) {
  const std::string called = "is named " + label_column_names();
  if (label_columns.empty()) {
    return "no column of " + list + ", " + listed(columns) + ", " + called + "; name one with `label_column`";
  }
  return "the labels are the numbers in " + listed(label_columns) + " of " + list + "; no column " + called;
}

std::optional<std::string> remark_on_left_out(const std::string& list, const std::vector<std::string>& columns) {
  if (columns.empty()) return std::nullopt;
  return list + ": columns not packed: " + listed(columns) + "; keep them with `columns`";
}

std::optional<std::string> remark_on_late(const std::string& list, const std::vector<std::string>& keys) {
  if (keys.empty()) return std::nullopt;
  return list + ": keys not packed, because the first line lacks them: " + listed(keys) +
         "; add them to the first line, as null if it has no value";
}

std::optional<std::string> remark_on_repeated(const std::string& list, const ImageList& contents) {
  std::int64_t count = 0;
  for (const SplitImages& images : contents.splits) {
    std::vector<std::string_view> paths(images.paths.begin(), images.paths.end());
    std::ranges::sort(paths);
    count += paths.end() - std::unique(paths.begin(), paths.end());
  }
  if (count == 0) return std::nullopt;
  return std::to_string(count) + (count == 1 ? " line of " : " lines of ") + list +
         " repeat an image of an earlier line; each line became a sample";
}

void remark_on_unlisted(std::vector<ImageList>& lists) {
  // By the tree and folder of the images.
  std::map<std::pair<fs::path, std::string_view>, std::vector<std::string_view>> listed_in;
  for (const ImageList& list : lists) {
    for (const SplitImages& images : list.splits) {
      for (const auto* const paths : {&images.paths, &images.masks}) {
        for (const std::string_view path : *paths) {
          const std::size_t end = path.rfind('/');
          const std::string_view folder = path.substr(0, end == std::string_view::npos ? 0 : end);
          listed_in[{images.tree->root(), folder}].push_back(path);
        }
      }
    }
  }
  for (auto& [folder, paths] : listed_in) std::sort(paths.begin(), paths.end());
  std::set<fs::path> told;
  for (ImageList& list : lists) {
    const files::FileTree& tree = *list.splits.at(0).tree;
    if (!told.insert(tree.root()).second) continue;
    std::int64_t count = 0;
    for (const auto& [folder, paths] : listed_in) {
      if (folder.first != tree.root()) continue;
      const std::string name(folder.second);
      for (const std::string& file : tree.entries(name).files) {
        if (!images::has_image_name(file)) continue;
        if (!std::binary_search(paths.begin(), paths.end(), files::join_path(name, file))) ++count;
      }
    }
    if (count == 0) continue;
    list.remarks.push_back(std::to_string(count) + (count == 1 ? " image" : " images") + " next to the listed ones " +
                           (count == 1 ? "is" : "are") + " not in any list; `format=folder` reads folders, not lists");
  }
}

}  // namespace octavo::sources
