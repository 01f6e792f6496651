#include "sources/lists/table/unlabeled_lists.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include <octavo/text.hpp>

#include "sources/combine/split_names.hpp"
#include "sources/lists/folders/folder_images.hpp"
#include "sources/lists/table/image_table.hpp"
#include "sources/source_reader.hpp"

namespace octavo::sources {
namespace {

using Kind = TableVerdict::Kind;

std::string file_name_of(const SourceEntry& list) { return std::filesystem::path(list.path).filename().string(); }

std::string split_of(const SourceEntry& list) {
  return list.split.empty() ? split_of_list_name(file_name_of(list)).value_or("train") : list.split;
}

bool lacks_labels(const TableVerdict& verdict) {
  return verdict.kind == Kind::numbers || verdict.kind == Kind::paths || verdict.kind == Kind::unlabeled;
}

bool may_have_labels(const SourceEntry& entry) {
  return entry.reader->found_by == FoundBy::image_list && entry.has_labels;
}

struct JudgedList {
  SourceEntry* list;
  TableVerdict verdict;
};

std::vector<JudgedList> judged_lists(std::vector<SourceEntry>& entries, const NamedColumns& named) {
  std::vector<JudgedList> judged;
  for (SourceEntry& entry : entries) {
    if (!may_have_labels(entry)) continue;
    judged.push_back({&entry, judge_table(*entry.tree, entry.path, named, std::make_shared<FolderImages>())});
  }
  return judged;
}

}  // namespace

void mark_unlabeled_lists(std::vector<SourceEntry>& entries, const NamedColumns& named) {
  if (std::ranges::count_if(entries, &may_have_labels) < 2) return;
  const std::vector<JudgedList> judged = judged_lists(entries, named);
  const auto is_labeled = [](const JudgedList& one) { return one.verdict.kind == Kind::labeled; };
  if (std::ranges::none_of(judged, is_labeled)) return;
  for (const auto& [list, verdict] : judged) {
    if (!lacks_labels(verdict) || split_of(*list) == "train") continue;
    list->has_labels = false;
    list->remarks.push_back(printable(file_name_of(*list)) + " is packed without labels: " + verdict.reason);
  }
}

}  // namespace octavo::sources
