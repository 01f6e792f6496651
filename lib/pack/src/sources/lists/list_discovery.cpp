#include "sources/lists/list_discovery.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <string_view>

#include <octavo/byte_count.hpp>
#include <octavo/errors.hpp>
#include <octavo/text.hpp>

#include "sources/combine/split_names.hpp"
#include "sources/files_by_name.hpp"
#include "sources/lists/class_folders.hpp"
#include "sources/lists/image_table.hpp"
#include "support/ascii.hpp"

namespace octavo::sources {
namespace {

constexpr std::int64_t kMostRemarks = 8;

[[noreturn]] void refuse_damaged(const files::FileTree& tree, const std::string& folder, const std::string& path,
                                 const std::string& damage) {
  const std::string way_out = way_out_of_list(tree, folder);
  throw FormatError("read the list " + tree.name_of(path) + ": " + damage + "; correct it" +
                    (way_out.empty() ? ", or pack the images without it with `format=folder`" : way_out));
}

/// A name such as "sample_submission.csv": its labels are not those of the images.
bool is_named_as_template(const std::string& name) {
  constexpr std::array<std::string_view, 4> kWords = {"submission", "sample", "example", "template"};
  const std::string lower = lower_case(name);
  return std::ranges::any_of(kWords, [&](std::string_view word) { return lower.find(word) != std::string::npos; });
}

/// How to pack a list that is left out: "; ..."; empty if that is not advisable, or it is in an archive.
std::string way_to_pack(const files::FileTree& tree, const std::string& path, const std::string& name) {
  const auto file = tree.disk_path(path);
  if (!file || is_named_as_template(name)) return "";
  return "; to pack it, name it: train=" + printable(file->string());
}

/// Leaves out lists whose names state no split, if those of others do.
void keep_lists_of_splits(const files::FileTree& tree, const std::string& folder, std::vector<std::string>& names,
                          FolderLists& lists) {
  const auto states_split = [](const std::string& name) { return split_of_list_name(name).has_value(); };
  const auto first = std::ranges::find_if(names, states_split);
  if (first == names.end()) return;
  const std::string example = *first;
  for (const std::string& name : names) {
    if (states_split(name)) continue;
    const std::string path = files::join_path(folder, name);
    if (const auto damage = damage_of_table(tree, path)) refuse_damaged(tree, folder, path, *damage);
    lists.remarks.push_back(printable(name) + " is not packed: its name states no split, but that of " +
                            printable(example) + " does" + way_to_pack(tree, path, name));
  }
  std::erase_if(names, std::not_fn(states_split));
}

}  // namespace

FolderLists find_lists(const files::FileTree& tree, const std::string& folder, const NamedColumns& named) {
  using Kind = TableVerdict::Kind;
  FolderLists lists;
  std::vector<std::string> names;
  std::int64_t unread_count = 0;
  const auto images = std::make_shared<FolderImages>();
  for (const std::string& name : files_named(tree, folder, &is_image_table_name)) {
    const std::string path = files::join_path(folder, name);
    const TableVerdict verdict = judge_table(tree, path, named, images);
    if (verdict.kind == Kind::damaged) refuse_damaged(tree, folder, path, verdict.reason);
    if (verdict.kind == Kind::list) {
      names.push_back(name);
      continue;
    }
    const std::string text = printable(path) + " is not used as a list of images: " + verdict.reason;
    const bool has_remedy = verdict.reason.find("; ") != std::string::npos;
    if (verdict.kind == Kind::other && lists.problem.empty()) lists.problem = text + (has_remedy ? "" : "; correct it");
    if (++unread_count <= kMostRemarks) lists.remarks.push_back(text);
  }
  if (unread_count > kMostRemarks) {
    lists.remarks.push_back(counted(unread_count - kMostRemarks, "more file") + " with the extension of a list " +
                            (unread_count - kMostRemarks == 1 ? "is" : "are") + " not used either");
  }
  keep_lists_of_splits(tree, folder, names, lists);
  std::ranges::stable_sort(
      names, {}, [](const std::string& name) { return split_rank(split_of_list_name(name).value_or("train")); });
  for (const std::string& name : names) lists.paths.push_back(files::join_path(folder, name));
  return lists;
}

}  // namespace octavo::sources
