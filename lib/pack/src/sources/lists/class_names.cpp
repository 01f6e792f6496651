#include "sources/lists/class_names.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <unordered_map>

#include <octavo/byte_count.hpp>
#include <octavo/errors.hpp>
#include <octavo/text.hpp>

#include "sources/lists/natural_order.hpp"
#include "support/text/ascii.hpp"

namespace octavo::sources {
namespace {

bool has_multi_labels(const ImageList& list) {
  return std::ranges::any_of(list.splits,
                             [](const SplitImages& split) { return split.layout.kind == LabelKind::multi_label; });
}

bool may_renumber(const ImageList& list) {
  return list.are_classes_sorted && !list.class_names.empty() && (list.has_tags || !has_multi_labels(list));
}

/// Tags of one list, in few rows, can widen the multi-labels of another.
void check_width(const std::vector<ImageList>& lists, std::int64_t width) {
  std::int64_t sample_count = 0;
  for (const ImageList& list : lists) {
    for (const SplitImages& split : list.splits) {
      if (split.layout.kind == LabelKind::multi_label && list.has_tags) sample_count += std::ssize(split.paths);
    }
  }
  if (fits_multi_labels(sample_count, width)) return;
  throw DataError("number the classes of several lists: the multi-labels of " + counted(sample_count, "image") +
                  " would have " + std::to_string(width) +
                  " classes, which is too much memory; leave out rare classes, or make each label one class with "
                  "`label_separator=none`");
}

/// Moves the flag of each class i to places[i], of `width` classes.
void move_flags(SplitImages& split, const std::vector<std::int32_t>& places, std::int64_t width) {
  if (split.layout.kind != LabelKind::multi_label) return;
  const auto old_bytes = static_cast<std::size_t>(split.layout.bytes_per_sample());
  split.layout.width = width;
  const auto new_bytes = static_cast<std::size_t>(split.layout.bytes_per_sample());
  std::vector<std::byte> labels(split.paths.size() * new_bytes);
  for (std::size_t row = 0; row < split.paths.size(); ++row) {
    for (std::size_t i = 0; i < places.size(); ++i) {
      const auto place = static_cast<std::size_t>(places[i]);
      std::memcpy(labels.data() + row * new_bytes + place * sizeof(std::int32_t),
                  split.labels.data() + row * old_bytes + i * sizeof(std::int32_t), sizeof(std::int32_t));
    }
  }
  split.labels = std::move(labels);
}

/// Tags that are class numbers have as many classes in all lists.
void unite_class_numbers(std::vector<ImageList>& lists) {
  const auto has_numbers = [](const ImageList& list) { return list.has_tags && list.class_names.empty(); };
  std::int64_t width = 0;
  for (const ImageList& list : lists) {
    for (const SplitImages& split : list.splits) {
      if (has_numbers(list)) width = std::max(width, split.layout.width);
    }
  }
  check_width(lists, width);
  for (ImageList& list : lists) {
    for (SplitImages& split : list.splits) {
      if (!has_numbers(list) || split.layout.width == width) continue;
      std::vector<std::int32_t> places(static_cast<std::size_t>(split.layout.width));
      std::iota(places.begin(), places.end(), 0);
      move_flags(split, places, width);
    }
  }
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

std::optional<std::string> remark_on_case(const std::vector<ImageList>& lists) {
  std::set<std::string> names;
  for (const ImageList& list : lists) names.insert(list.class_names.begin(), list.class_names.end());
  std::map<std::string, std::string> known;  // by the name without case
  std::int64_t count = 0;
  std::string first;
  for (const std::string& name : names) {
    const auto [other, is_new] = known.try_emplace(lower_case(name), name);
    if (!is_new && count++ == 0) first = "\"" + printable(other->second) + "\" and \"" + printable(name) + "\"";
  }
  if (count == 0) return std::nullopt;
  return "the classes " + first + " differ only in case" +
         (count == 1   ? ""
          : count == 2 ? ", and so does 1 other pair"
                       : ", and so do " + counted(count - 1, "other pair")) +
         "; if they are one class, merge them with `class_map`";
}

std::optional<std::string> remark_on_first_class(const std::vector<ImageList>& lists,
                                                 const std::optional<LabelKind>& wanted) {
  std::int32_t smallest = std::numeric_limits<std::int32_t>::max(), largest = -1;
  for (const ImageList& list : lists) {
    for (const SplitImages& split : list.splits) {
      if (!list.class_names.empty() || split.layout.kind != LabelKind::class_index) continue;
      for (std::size_t at = 0; at < split.labels.size(); at += sizeof(std::int32_t)) {
        std::int32_t label;
        std::memcpy(&label, split.labels.data() + at, sizeof label);
        smallest = std::min(smallest, label);
        largest = std::max(largest, label);
      }
    }
  }
  if (largest < 0 || smallest == 0) return std::nullopt;
  const std::string last = std::to_string(largest);
  return (smallest == largest ? "the class number " + last + " is"
                              : "the class numbers " + std::to_string(smallest) + " to " + last + " are") +
         " kept, so that no sample is in class 0, and a model needs " + std::to_string(std::int64_t{largest} + 1) +
         " outputs; number the classes from 0 to avoid this" +
         (wanted ? "" : ", or, if the numbers are quantities, make them targets with `label_kind=target`");
}

void unite_classes(std::vector<ImageList>& lists, ClassOrder order) {
  unite_class_numbers(lists);
  if (std::ranges::count_if(lists, &may_renumber) < 2) return;
  std::vector<std::string> all;
  for (const ImageList& list : lists) {
    if (may_renumber(list)) all.insert(all.end(), list.class_names.begin(), list.class_names.end());
  }
  sort_class_names(all, order);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  check_width(lists, std::ssize(all));
  std::unordered_map<std::string, std::int32_t> number_of;
  for (std::size_t i = 0; i < all.size(); ++i) number_of.emplace(all[i], static_cast<std::int32_t>(i));
  for (ImageList& list : lists) {
    if (!may_renumber(list)) continue;
    std::vector<std::int32_t> places;
    for (const std::string& name : list.class_names) places.push_back(number_of.at(name));
    for (SplitImages& split : list.splits) {
      renumber(split, places);
      move_flags(split, places, std::ssize(all));
    }
    list.class_names = all;
  }
}

}  // namespace octavo::sources
