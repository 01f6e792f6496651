#include "sources/lists/list_discovery.hpp"

#include <algorithm>
#include <functional>

#include <octavo/text.hpp>

#include "sources/combine/split_names.hpp"
#include "sources/files_by_name.hpp"
#include "sources/lists/image_table.hpp"

namespace octavo::sources {
namespace {

/// Leaves out lists whose names state no split, if those of others do.
void keep_lists_of_splits(const std::string& folder, std::vector<std::string>& names, FolderLists& lists) {
  const auto states_split = [](const std::string& name) { return split_of_list_name(name).has_value(); };
  const auto first = std::ranges::find_if(names, states_split);
  if (first == names.end()) return;
  const std::string example = *first;
  for (const std::string& name : names) {
    if (states_split(name)) continue;
    lists.remarks.push_back(printable(name) + " is not packed: its name states no split, but that of " +
                            printable(example) +
                            " does; to pack it, name it: train=" + printable(files::join_path(folder, name)));
  }
  std::erase_if(names, std::not_fn(states_split));
}

}  // namespace

FolderLists find_lists(const files::FileTree& tree, const std::string& folder, const std::string& label_column) {
  FolderLists lists;
  std::vector<std::string> names;
  for (const std::string& name : files_named(tree, folder, &is_image_table_name)) {
    const TableVerdict verdict = judge_table(tree, files::join_path(folder, name), label_column);
    const std::string text = printable(name) + " is not used as a list of images: " + verdict.reason;
    switch (verdict.kind) {
      case TableVerdict::Kind::list:
        names.push_back(name);
        break;
      case TableVerdict::Kind::unlabeled:
        lists.remarks.push_back(text);
        break;
      case TableVerdict::Kind::unusable:
        if (lists.problem.empty()) lists.problem = text;
        lists.remarks.push_back(text);
        break;
      case TableVerdict::Kind::other:
        break;
    }
  }
  keep_lists_of_splits(folder, names, lists);
  std::ranges::stable_sort(
      names, {}, [](const std::string& name) { return split_rank(split_of_list_name(name).value_or("train")); });
  for (const std::string& name : names) lists.paths.push_back(files::join_path(folder, name));
  return lists;
}

}  // namespace octavo::sources
