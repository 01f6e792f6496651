#include "sources/lists/class_names.hpp"

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "sources/lists/natural_order.hpp"

namespace octavo::sources {
namespace {

bool has_multi_labels(const ImageList& list) {
  return std::ranges::any_of(list.splits,
                             [](const SplitImages& split) { return split.layout.kind == LabelKind::multi_label; });
}

bool may_renumber(const ImageList& list) {
  return list.are_classes_sorted && !list.class_names.empty() && !has_multi_labels(list);
}

/// Replaces each class number i by places[i].
void renumber(SplitImages& split, const std::vector<std::int32_t>& places) {
  if (split.layout.kind != LabelKind::class_index) return;
  for (std::size_t at = 0; at < split.labels.size(); at += sizeof(std::int32_t)) {
    std::int32_t label;
    std::memcpy(&label, split.labels.data() + at, sizeof label);
    label = places[static_cast<std::size_t>(label)];
    std::memcpy(split.labels.data() + at, &label, sizeof label);
  }
}

}  // namespace

void sort_class_names(std::vector<std::string>& names, ClassOrder order) {
  if (order == ClassOrder::bytes) {
    std::sort(names.begin(), names.end());
  } else {
    std::sort(names.begin(), names.end(), &is_naturally_before);
  }
}

void unite_classes(std::vector<ImageList>& lists, ClassOrder order) {
  if (std::ranges::count_if(lists, &may_renumber) < 2) return;
  std::vector<std::string> all;
  for (const ImageList& list : lists) {
    if (may_renumber(list)) all.insert(all.end(), list.class_names.begin(), list.class_names.end());
  }
  sort_class_names(all, order);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  std::unordered_map<std::string, std::int32_t> number_of;
  for (std::size_t i = 0; i < all.size(); ++i) number_of.emplace(all[i], static_cast<std::int32_t>(i));
  for (ImageList& list : lists) {
    if (!may_renumber(list)) continue;
    std::vector<std::int32_t> places;
    for (const std::string& name : list.class_names) places.push_back(number_of.at(name));
    for (SplitImages& split : list.splits) renumber(split, places);
    list.class_names = all;
  }
}

}  // namespace octavo::sources
