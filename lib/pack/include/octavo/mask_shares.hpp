// How many pixels of the masks of a split are in each class.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <octavo/dataset.hpp>
#include <octavo/mask_colors.hpp>
#include <octavo/source.hpp>

namespace octavo {

/// The number of pixels of each value in masks.
struct MaskCounts {
  std::array<std::int64_t, 256> pixels = {};
  std::int64_t sample_count = 0;  ///< samples whose masks were counted

  std::int64_t pixel_count() const;
  /// Number of values that occur, without kIgnoredMaskValue.
  std::int64_t class_count() const;
  void add(std::span<const std::uint8_t> masks);
  void add(const MaskCounts& other);
};

/// One value that occurs in masks.
struct MaskShare {
  int value = 0;
  std::string name;  ///< of the class; empty: unknown
  std::int64_t pixels = 0;
  double share = 0.0;  ///< of all pixels, those to ignore included
};

/// N*H*W: bytes of all masks of the split; 0 if it has none.
std::int64_t mask_bytes(const Split& split);
std::int64_t mask_bytes(const SourceSplit& split);

/// Counts the pixels of masks. If the masks of the split have more than `most_bytes`, counts those of samples that are
/// spread evenly over the split. Counts nothing if the split has no masks. Throws IoError if the masks cannot be read.
MaskCounts count_mask_pixels(const Split& split, std::int64_t most_bytes = std::numeric_limits<std::int64_t>::max());

/// The names of mask values that packing stored; empty if there are none.
std::map<int, std::string> mask_class_names(const Dataset& dataset);

/// The values that occur, ascending.
std::vector<MaskShare> shares_of(const MaskCounts& counts, const std::map<int, std::string>& names);

/// More classes than this are not listed for people.
inline constexpr std::size_t kMostListedMaskClasses = 20;
/// The shares with the most pixels, at most kMostListedMaskClasses, ascending by value.
std::vector<MaskShare> listed_shares(std::vector<MaskShare> shares);

/// The pixels of the masks of a split.
struct SplitMaskCounts {
  std::string split;
  MaskCounts counts;
};
/// Values of masks that are probably no class numbers.
struct MaskValueProblem {
  std::string what;    ///< "masks have the values 0 and 128, which are class numbers, so a model needs 129 outputs"
  std::string remedy;  ///< options as in option_names.hpp
};
/// Finds 255 in place of a class, values of gray images, or values that are not consecutive from 0 in all splits
/// together. A value that has a name counts as used. `are_padded`: 255 may be padding.
std::optional<MaskValueProblem> find_mask_value_problem(const std::vector<SplitMaskCounts>& splits,
                                                        const std::map<int, std::string>& names,
                                                        bool are_padded = false);

/// "masks are 255, which is ignored in training, in 8.2 % of the pixels, padding included; ...", with an option as in
/// option_names.hpp; nothing if no pixel is. `are_padded`: as above.
std::optional<std::string> describe_ignored_pixels(const std::vector<SplitMaskCounts>& splits, bool are_padded);

/// "masks, 21 classes".
std::string describe(const MaskCounts& masks);

/// "2 road", "2", or "255 ignored".
std::string to_text(const MaskShare& share);
/// "34.5 %"; "<0.1 %" if it is less but not 0.
std::string percent_text(double share);

/// The color that masks are drawn in: a palette of 16 colors that people with color blindness can tell apart, lighter
/// and darker versions of it for more classes. No two values have the same color, but those of many classes are
/// similar. Class 0, which is usually the background, is not drawn, and pixels to ignore are striped: they have no
/// color here. Throws InvalidArgument if `value` is not in [1, 254].
MaskColor mask_color(int value);

}  // namespace octavo
