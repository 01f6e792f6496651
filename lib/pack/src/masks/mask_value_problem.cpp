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

/// Whether the only class is 0, and other pixels are 255.
bool is_black_and_white(const MaskCounts& counts) {
  return counts.pixels[kIgnoredMaskValue] > 0 && counts.class_count() <= 1 &&
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

}  // namespace

std::optional<MaskValueProblem> find_mask_value_problem(const std::vector<SplitMaskCounts>& splits,
                                                        const std::map<int, std::string>& names) {
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
  return MaskValueProblem{
      "masks have " + counted(all.class_count(), "value") + " up to " + std::to_string(highest) +
          ", so a model needs " + std::to_string(highest + 1) + " outputs",
      "for classes that are numbered from 0, map the colors with `mask_colors`",
  };
}

}  // namespace octavo
