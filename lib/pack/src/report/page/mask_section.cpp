#include "report/page/mask_section.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include <octavo/byte_count.hpp>

#include "report/page/html.hpp"
#include "report/page/pictures.hpp"

namespace octavo::report::page {
namespace {

/// The shares of each split by value, in the order of the splits.
std::map<int, std::vector<MaskShare>> shares_by_value(const PageData& page) {
  const auto names = mask_class_names(page.dataset);
  std::map<int, std::vector<MaskShare>> by_value;
  for (std::size_t split = 0; split < page.splits.size(); ++split) {
    for (const MaskShare& share : shares_of(page.mask_counts[split], names)) {
      auto& row = by_value[share.value];
      if (row.empty()) row.assign(page.splits.size(), {share.value, share.name});
      row[split] = share;
    }
  }
  return by_value;
}

}  // namespace

std::string labels_text(const Split& split, const MaskCounts& masks) {
  const LabelKind kind = split.labels().kind;
  if (!split.has_masks()) return to_string(kind);
  return (kind == LabelKind::none ? "" : std::string(to_string(kind)) + "; ") + describe(masks);
}

std::string mask_classes(const PageData& page) {
  if (std::ranges::none_of(page.splits, &Split::has_masks)) return "";
  std::vector<std::string> headings = {"Class of masks"};
  for (const std::string& name : page.split_names) headings.push_back("Pixels of " + escaped(name));
  std::vector<std::vector<std::string>> rows;
  for (const auto& [value, shares] : shares_by_value(page)) {
    rows.push_back({picture_of_mask_class(value) + " " + escaped(to_text(shares.front()))});
    for (std::size_t split = 0; split < shares.size(); ++split) {
      rows.back().push_back(page.splits[split].has_masks() ? percent_text(shares[split].share) : "");
    }
  }
  return "<h3>Masks</h3>\n<p class=\"lead\">The pictures show classes half transparent in these colors, class 0 as the "
         "image itself, and pixels to ignore (255) striped.</p>\n" +
         table(headings, rows);
}

}  // namespace octavo::report::page
