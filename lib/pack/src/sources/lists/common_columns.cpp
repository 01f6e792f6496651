#include "sources/lists/common_columns.hpp"

#include <algorithm>
#include <map>
#include <string>

#include <nlohmann/json.hpp>

#include "sources/lists/list_remarks.hpp"

namespace octavo::sources {
namespace {

using Names = std::vector<std::string>;

bool has(const Names& names, const std::string& name) { return std::ranges::find(names, name) != names.end(); }

/// For each split, the columns that all sources have, in the order of the first.
class CommonColumns {
 public:
  void add(const std::string& split, const Names& columns) {
    const auto [at, is_first] = columns_of_.try_emplace(split, columns);
    if (!is_first) std::erase_if(at->second, [&](const std::string& name) { return !has(columns, name); });
  }
  const Names& of(const std::string& split) const { return columns_of_.at(split); }

 private:
  std::map<std::string, Names> columns_of_;
};

/// `columns` are some of those of the list.
void choose_columns(SplitImages& images, const Names& columns) {
  std::vector<std::size_t> places;
  for (const std::string& name : columns) {
    places.push_back(static_cast<std::size_t>(std::ranges::find(images.columns, name) - images.columns.begin()));
  }
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
      Names left_out;
      std::ranges::copy_if(images.columns, std::back_inserter(left_out),
                           [&](const std::string& name) { return !has(columns, name); });
      const bool are_automatic =
          std::ranges::all_of(left_out, [&](const std::string& name) { return has(list.automatic_columns, name); });
      if (list.automatic_columns.empty() || !are_automatic || images.columns == columns) continue;
      choose_columns(images, columns);
      if (!left_out.empty()) list.remarks.push_back(remark_on_uncommon(images.split, left_out));
    }
  }
}

}  // namespace octavo::sources
