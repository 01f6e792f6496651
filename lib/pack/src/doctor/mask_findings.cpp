// Findings on masks: values that are no class numbers, classes that splits lack.
#include <algorithm>
#include <iterator>

#include <octavo/byte_count.hpp>
#include <octavo/mask_shares.hpp>

#include "doctor/findings.hpp"

namespace octavo::doctor {
namespace {

/// The classes whose pixels are in `some` and not in `others`.
std::vector<int> classes_only_in(const MaskCounts& some, const MaskCounts& others) {
  std::vector<int> classes;
  for (int value = 0; value < kIgnoredMaskValue; ++value) {
    const auto at = static_cast<std::size_t>(value);
    if (some.pixels[at] > 0 && others.pixels[at] == 0) classes.push_back(value);
  }
  return classes;
}

/// "2 mask classes of val are".
std::string counted_mask_classes(const std::vector<int>& classes, const std::string& of_split) {
  return format_count(std::ssize(classes)) + (classes.size() == 1 ? " mask class" : " mask classes") + of_split +
         (classes.size() == 1 ? " is" : " are");
}

/// ": 2 road, 3, ..."
std::string mask_class_list(const std::vector<int>& classes, const std::map<int, std::string>& names,
                            const FindingList& list) {
  std::string text;
  const std::size_t shown = std::min(classes.size(), std::max<std::size_t>(list.example_count, 1));
  for (std::size_t i = 0; i < shown; ++i) {
    const auto name = names.find(classes[i]);
    text += (i == 0 ? ": " : ", ") + to_text(MaskShare{classes[i], name == names.end() ? "" : name->second});
  }
  return text + (shown < classes.size() ? ", ..." : "");
}

void compare_splits(const std::vector<SplitMaskCounts>& splits, const std::map<int, std::string>& names,
                    const FindingList& list) {
  const std::string training_split = list.dataset.training_split().name();
  const auto train = std::ranges::find(splits, training_split, &SplitMaskCounts::split);
  if (train == splits.end() || splits.size() < 2) return;
  MaskCounts tested;
  for (const SplitMaskCounts& split : splits) {
    if (split.split == training_split) continue;
    tested.add(split.counts);
    const std::vector<int> missing = classes_only_in(split.counts, train->counts);
    if (missing.empty()) continue;
    list.add(DoctorCheck::class_not_in_train, std::ssize(missing),
             counted_mask_classes(missing, " of " + split.split) + " not in " + training_split +
                 mask_class_list(missing, names, list));
  }
  const std::vector<int> untested = classes_only_in(train->counts, tested);
  if (untested.empty()) return;
  list.add(DoctorCheck::class_in_one_split, std::ssize(untested),
           counted_mask_classes(untested, "") + " only in " + training_split + mask_class_list(untested, names, list));
}

}  // namespace

void add_mask_findings(const FindingList& list) {
  std::vector<SplitMaskCounts> splits;
  for (const Split& split : list.samples.splits()) {
    if (split.has_masks()) splits.push_back({split.name(), count_mask_pixels(split)});
  }
  if (splits.empty()) return;
  const std::map<int, std::string> names = mask_class_names(list.dataset);
  if (const auto problem = find_mask_value_problem(splits, names)) {
    list.add(DoctorCheck::mask_values, std::ssize(splits), problem->what);
  }
  compare_splits(splits, names, list);
}

}  // namespace octavo::doctor
