#include "sources/lists/list_remarks.hpp"

#include <algorithm>

#include <octavo/byte_count.hpp>

#include "sources/lists/table/table_labels.hpp"

namespace octavo::sources {
namespace {

/// "a", "b" and so on; only the first few of many.
std::string first_of(const std::vector<std::string>& names) {
  constexpr std::size_t kMostShown = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kMostShown); ++i) {
    text += (i == 0 ? "\"" : ", \"") + names[i].substr(0, 64) + "\"";
  }
  return names.size() > kMostShown ? text + ", ..." : text;
}

}  // namespace

std::string remark_on_labels(const std::string& list, const std::vector<std::string>& columns,
                             const std::vector<std::string>& label_columns, bool are_classes) {
  const std::string why = why_no_label_column(columns);
  if (label_columns.empty()) {
    return list + " has the columns " + first_of(columns) + "; " + why + "; name one with `label_column`";
  }
  const std::string where = " in " + first_of(label_columns) + " of " + list;
  return (are_classes ? "the labels are the whole numbers" + where +
                            ", and each number is a class; "
                            "`label_kind=target` makes them targets"
                      : "the labels are the numbers" + where) +
         "; " + why + "; name others with `label_column`";
}

std::string remark_on_signs(const std::string& list) {
  return list +
         ": all labels are -1 and 1, which are targets; for multi-labels, write 0 instead of -1; "
         "`label_kind=target` keeps the numbers without this note";
}

std::string remark_on_paths(const std::string& list, const std::string& column) {
  return "the paths of " + list + " are in the column " + first_of({column}) + ", whose files exist";
}

std::string remark_on_masks(const std::string& list, const std::string& column, bool are_packed) {
  return list + ": the column " + first_of({column}) + " names image files" +
         (are_packed ? ", which are packed as the masks; `masks=off` packs no masks" : ", so it holds no labels");
}

std::string remark_on_split(const std::string& list, const std::string& column, const std::string& split) {
  return list + ": the column " + first_of({column}) + " is ignored, because the command names the split \"" + split +
         "\"";
}

std::optional<std::string> remark_on_kept(const std::string& list, const std::vector<std::string>& columns,
                                          const std::string& label_column, bool may_be_labels) {
  if (columns.empty()) return std::nullopt;
  const std::string kept =
      "columns kept with each sample: " + first_of(columns) + "; leave them out with `columns=none`";
  if (label_column.empty()) {
    return list + ": " + kept + (may_be_labels ? ", or name one that holds labels with `label_column`" : "");
  }
  return list + ": the labels are in " + first_of({label_column}) + "; " + kept +
         ", or name the labels with `label_column`";
}

std::string remark_on_uncommon(const std::string& split, const std::vector<std::string>& columns) {
  return "columns not kept, because not all sources of the split \"" + split + "\" have them: " + first_of(columns);
}

std::optional<std::string> remark_on_left_out(const std::string& list, const std::vector<std::string>& columns) {
  if (columns.empty()) return std::nullopt;
  return list + ": columns not packed: " + first_of(columns) + "; keep them with `columns`";
}

std::optional<std::string> remark_on_needed(const std::string& list, const std::vector<std::string>& columns) {
  if (columns.empty()) return std::nullopt;
  return list + ": kept with each sample: " + first_of(columns) + ", because `group_by` or `holdout` names " +
         (columns.size() == 1 ? "it" : "them");
}

std::optional<std::string> remark_on_late(const std::string& list, const std::vector<std::string>& keys) {
  if (keys.empty()) return std::nullopt;
  return list + ": keys not packed, because the first line lacks them: " + first_of(keys) +
         "; add them to the first line, as null if it has no value";
}

std::vector<std::string> remarks_on_oddities(const ImageList& contents,
                                             std::span<const std::vector<images::Oddities>> oddities) {
  std::vector<std::string> remarks;
  for (const auto& [oddity, text] : images::kOddities) {
    std::int64_t count = 0;
    std::string first;
    for (std::size_t split = 0; split < oddities.size(); ++split) {
      for (std::size_t at = 0; at < oddities[split].size(); ++at) {
        if (oddities[split][at].has(oddity) && count++ == 0) first = contents.splits[split].name(at);
      }
    }
    if (count == 0) continue;
    remarks.push_back(counted(count, "image") + (count == 1 ? " has " : " have ") + text +
                      (count == 1 ? ": " : "; the first is ") + first);
  }
  return remarks;
}

}  // namespace octavo::sources
