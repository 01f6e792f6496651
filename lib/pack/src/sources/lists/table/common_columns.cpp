#include "sources/lists/table/common_columns.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include <nlohmann/json.hpp>

#include "sources/lists/list_remarks.hpp"

namespace octavo::sources {
namespace {

using Names = std::vector<std::string>;

/// The names once for many look-ups; there may be many columns.
using NameSet = std::unordered_set<std::string_view>;
NameSet set_of(const Names& names) { return {names.begin(), names.end()}; }

/// For each split, the columns that all sources have, in the order of the first.
class CommonColumns {
 public:
  void add(const std::string& split, const Names& columns) {
    const auto [at, is_first] = columns_of_.try_emplace(split, columns);
    if (is_first || at->second == columns) return;
    const NameSet names = set_of(columns);
    std::erase_if(at->second, [&](const std::string& name) { return !names.contains(name); });
  }
  const Names& of(const std::string& split) const { return columns_of_.at(split); }

 private:
  std::map<std::string, Names> columns_of_;
};

/// `columns` are some of those of the list.
void choose_columns(SplitImages& images, const Names& columns) {
  std::unordered_map<std::string_view, std::size_t> place_of;
  for (std::size_t i = 0; i < images.columns.size(); ++i) place_of.emplace(images.columns[i], i);
  std::vector<std::size_t> places;
  for (const std::string& name : columns) places.push_back(place_of.at(name));
  for (std::string& metadata : images.metadata) {
    const auto cells = nlohmann::json::parse(metadata);
    auto chosen = nlohmann::json::array();
    for (const std::size_t place : places) chosen.push_back(cells.at(place));
    metadata = chosen.dump();
  }
  if (columns.empty()) images.metadata.clear();
  images.columns = columns;
}

}  // namespace

void leave_out_uncommon_columns(std::vector<ImageList>& lists, const std::vector<std::unique_ptr<Source>>& others) {
  CommonColumns common;
  for (const auto& source : others) {
    if (source == nullptr) continue;
    for (const SourceSplit& split : source->splits()) common.add(split.name, split.columns);
  }
  for (const ImageList& list : lists) {
    for (const SplitImages& images : list.splits) common.add(images.split, images.columns);
  }
  for (ImageList& list : lists) {
    for (SplitImages& images : list.splits) {
      const Names& columns = common.of(images.split);
      if (list.automatic_columns.empty() || images.columns == columns) continue;
      const NameSet kept = set_of(columns), automatic = set_of(list.automatic_columns);
      Names left_out;
      std::ranges::copy_if(images.columns, std::back_inserter(left_out),
                           [&](const std::string& name) { return !kept.contains(name); });
      const auto is_automatic = [&](const std::string& name) { return automatic.contains(name); };
      if (!std::ranges::all_of(left_out, is_automatic)) continue;
      choose_columns(images, columns);
      if (!left_out.empty()) list.remarks.push_back(remark_on_uncommon(images.split, left_out));
    }
  }
}

}  // namespace octavo::sources
