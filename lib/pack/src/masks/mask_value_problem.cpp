// Which values of masks are probably no class numbers.
#include <algorithm>
#include <string>
#include <vector>

#include <octavo/byte_count.hpp>
#include <octavo/mask_shares.hpp>

namespace octavo {
namespace {

/// Gray images have more values than this, among them nearly white ones. Class numbers are below that: the data sets
/// with the most classes, ADE20K and COCO-Stuff, have 150 and 182.
constexpr std::int64_t kMostClasses = 64;
constexpr int kNearlyWhite = 240;

/// Values that a message names.
constexpr std::size_t kMostNamedValues = 8;

bool has_ignored(const MaskCounts& counts) { return counts.pixels[kIgnoredMaskValue] > 0; }

/// Whether the only class is 0, and other pixels are 255.
bool is_black_and_white(const MaskCounts& counts) {
  return has_ignored(counts) && counts.class_count() <= 1 &&
         counts.pixels[0] + counts.pixels[kIgnoredMaskValue] == counts.pixel_count();
}

/// "train and val".
std::string black_and_white_splits(const std::vector<SplitMaskCounts>& splits) {
  std::string names;
  auto left = std::ranges::count_if(splits, is_black_and_white, &SplitMaskCounts::counts);
  for (const SplitMaskCounts& split : splits) {
    if (!is_black_and_white(split.counts)) continue;
    --left;
    names += (names.empty() ? "" : left == 0 ? " and " : ", ") + split.split;
  }
  return names;
}

/// The values that occur, 255 among them, in order.
std::vector<int> values_of(const MaskCounts& counts) {
  std::vector<int> values;
  for (int value = 0; value <= kIgnoredMaskValue; ++value) {
    if (counts.pixels[static_cast<std::size_t>(value)] > 0) values.push_back(value);
  }
  return values;
}

/// "the values 0, 128 and 255", or "99 values up to 128" without naming many.
std::string values_text(const std::vector<int>& values, int highest) {
  if (values.size() > kMostNamedValues) {
    const auto classes = std::ssize(values) - std::ranges::count(values, kIgnoredMaskValue);
    return counted(classes, "value") + " up to " + std::to_string(highest);
  }
  std::string text = values.size() == 1 ? "the value " : "the values ";
  for (std::size_t i = 0; i < values.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == values.size() ? " and " : ", ") + std::to_string(values[i]);
  }
  return text;
}

/// "; ... (in gray masks: lines 1,1,1,0 and 2,2,2,1)": the file that numbers a few values from 0.
std::string numbering_of(const std::vector<int>& values) {
  std::string remedy = "for classes that are numbered from 0, map the colors with `mask_colors`";
  if (values.size() > kMostNamedValues) return remedy;
  std::string lines;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string gray = std::to_string(values[i]) + ",";
    lines += (i == 0 ? "" : " and ") + gray + gray + gray + std::to_string(i);
  }
  return remedy + " (of gray masks: lines " + lines +
         (values.back() == kIgnoredMaskValue ? ", or 255 as the class to ignore it)" : ")");
}

}  // namespace

std::optional<MaskValueProblem> find_mask_value_problem(const std::vector<SplitMaskCounts>& splits,
                                                        const std::map<int, std::string>& names, bool are_padded) {
  MaskCounts all;
  for (const SplitMaskCounts& split : splits) all.add(split.counts);
  if (const std::string found = black_and_white_splits(splits); names.empty() && !found.empty()) {
    return MaskValueProblem{
        "masks of " + found + " have only the values 0 and 255, and 255 is ignored in training",
        "for a class, map the colors with `mask_colors` (lines 0,0,0,0 and 255,255,255,1)",
    };
  }
  int highest = kIgnoredMaskValue - 1;
  while (highest >= 0 && all.pixels[static_cast<std::size_t>(highest)] == 0) --highest;
  if (all.class_count() > kMostClasses && highest >= kNearlyWhite) {
    return MaskValueProblem{
        "masks have " + format_count(all.class_count()) + " values up to " + std::to_string(highest) +
            ", so they look like gray images, not classes",
        "save the class number of each pixel in the masks, without smoothing",
    };
  }
  int first_unused = 0;
  while (all.pixels[static_cast<std::size_t>(first_unused)] > 0 || names.contains(first_unused)) ++first_unused;
  if (first_unused > highest) return std::nullopt;
  if (are_padded) all.pixels[kIgnoredMaskValue] = 0;  // perhaps only the padding has it
  const std::vector<int> values = values_of(all);
  return MaskValueProblem{
      "masks have " + values_text(values, highest) + ", which are class numbers, so a model needs " +
          std::to_string(highest + 1) + " outputs" + (has_ignored(all) ? ", and 255 is ignored in training" : ""),
      numbering_of(values),
  };
}

std::optional<std::string> describe_ignored_pixels(const std::vector<SplitMaskCounts>& splits, bool are_padded) {
  MaskCounts all;
  for (const SplitMaskCounts& split : splits) all.add(split.counts);
  if (!has_ignored(all)) return std::nullopt;
  const double share = static_cast<double>(all.pixels[kIgnoredMaskValue]) / static_cast<double>(all.pixel_count());
  return "masks are 255, which is ignored in training, in " + percent_text(share) + " of the pixels" +
         (are_padded ? ", padding included" : "") + "; for a class, map the color with `mask_colors`";
}

}  // namespace octavo
