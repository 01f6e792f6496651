#include "sources/lists/masks/mask_names.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

#include <octavo/text.hpp>

#include "sources/lists/masks/mask_pattern.hpp"
#include "support/text/ascii.hpp"

namespace octavo::sources {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 25> kMaskWords = {
    "mask",   "masks",      "seg",         "segs",    "segmentation", "segmentations", "gt",         "gts",   "label",
    "labels", "annotation", "annotations", "ann",     "anns",         "annot",         "annots",     "matte", "mattes",
    "trimap", "trimaps",    "groundtruth", "segmask", "labelids",     "silhouette",    "silhouettes"};
/// What is next to the masks of a pair, and the words that name masks only there.
constexpr std::array<std::string_view, 16> kInputWords = {"input", "inputs", "image",    "images",   "img",   "imgs",
                                                          "x",     "source", "sources",  "src",      "photo", "photos",
                                                          "rgb",   "raw",    "original", "originals"};
constexpr std::array<std::string_view, 8> kTargetWords = {"target",      "targets", "y",       "dst",
                                                          "destination", "output",  "outputs", "truth"};
/// Words in the names of images that those of their masks have another word for.
constexpr std::array<const char*, 4> kImageWords = {"img", "image", "im", "photo"};
/// Masks of the first image that are tried.
constexpr int kMostTried = 64;

template <std::size_t kCount>
bool is_one_of(const std::array<std::string_view, kCount>& words, std::string_view word) {
  return std::ranges::find(words, lower_case(std::string(word))) != words.end();
}

bool is_mask_word(std::string_view word) { return is_one_of(kMaskWords, word); }

/// The names of an image and of its mask.
struct NamePatterns {
  NamePattern image, mask;
};

/// {stem} is the whole name of the image.
std::optional<NamePatterns> whole_name_pattern(const std::string& stem, const std::string& mask) {
  const std::size_t at = mask.find(stem);
  if (at == std::string::npos) return std::nullopt;
  return NamePatterns{{}, {mask.substr(0, at), mask.substr(at + stem.size())}};
}

/// {stem} is the longest part that the names share, if it has a digit, as numbered names do.
std::optional<NamePatterns> common_part_pattern(const std::string& stem, const std::string& mask) {
  const std::string mask_stem = fs::path(mask).stem().string();
  std::size_t image_at = 0, mask_at = 0, longest = 0;
  for (std::size_t a = 0; a < stem.size(); ++a) {
    for (std::size_t b = 0; b < mask_stem.size(); ++b) {
      std::size_t length = 0;
      while (a + length < stem.size() && b + length < mask_stem.size() && stem[a + length] == mask_stem[b + length]) {
        ++length;
      }
      if (length > longest) image_at = a, mask_at = b, longest = length;
    }
  }
  if (stem.substr(image_at, longest).find_first_of("0123456789") == std::string::npos) return std::nullopt;
  return NamePatterns{{stem.substr(0, image_at), stem.substr(image_at + longest)},
                      {mask.substr(0, mask_at), mask.substr(mask_at + longest)}};
}

/// Whether each image has a mask of its own by these names.
bool fits(const NamePatterns& patterns, const std::vector<std::string>& images, const std::set<std::string>& masks) {
  std::set<std::string> used;
  return std::ranges::all_of(images, [&](const std::string& image) {
    const fs::path path(image);
    const auto part = patterns.image.stem_in(path.stem().string());
    if (!part) return false;
    const std::string wanted = (path.parent_path() / patterns.mask.name_for(*part)).string();
    return masks.contains(wanted) && used.insert(wanted).second;
  });
}

FittingPattern written(const NamePatterns& patterns, const std::string& extension_of_mask = "") {
  const bool is_whole = patterns.image.before.empty() && patterns.image.after.empty();
  return {is_whole ? "" : patterns.image.text(), patterns.mask.text() + extension_of_mask};
}

/// Where the last word of a name begins, with the '_', '-' or '.' before it; npos if there is only one word.
std::size_t start_of_last_word(std::string_view name) {
  const std::size_t at = name.find_last_of("_-.");
  return at == 0 ? std::string_view::npos : at;
}

/// The names, without extensions, that a mask called `stem` and its image may have; none if no word says that it is
/// one.
std::vector<NamePatterns> patterns_of_mask(const std::string& stem) {
  std::vector<NamePatterns> patterns;
  const std::size_t first = stem.find_first_of("_-."), last = start_of_last_word(stem);
  if (last != std::string::npos && is_mask_word(std::string_view(stem).substr(last + 1))) {
    patterns.push_back({{"", ""}, {"", stem.substr(last)}});
    for (const char* const word : kImageWords)
      patterns.push_back({{"", stem[last] + std::string(word)}, patterns[0].mask});
  }
  if (first != std::string::npos && first + 1 < stem.size() && is_mask_word(std::string_view(stem).substr(0, first))) {
    const NamePattern mask = {stem.substr(0, first + 1), ""};
    patterns.push_back({{"", ""}, mask});
    for (const char* const word : kImageWords) patterns.push_back({{std::string(word) + stem[first], ""}, mask});
  }
  return patterns;
}

/// Whether the name begins with "mask_" or similar, as "masks_png" does.
bool has_first_word_for_masks(std::string_view name) {
  const std::string_view first = name.substr(0, name.find_first_of("_-."));
  return first == "mask" || first == "masks";
}

/// Whether files with this extension are usually lossy, which masks are not.
bool is_lossy_extension(const std::string& extension) {
  const std::string lower = lower_case(extension);
  return lower == ".jpg" || lower == ".jpeg" || lower == ".webp";
}

/// The extensions of the files with each path without extension.
using ExtensionsOf = std::map<std::string, std::vector<std::string>>;

/// The extension that one file of each pair has, and no file alone. Of two, as of .jpg and .png that always go
/// together, masks have the lossless one. Nothing if there is none, or if more than two files have the same path.
std::optional<std::string> extension_of_twins(const ExtensionsOf& extensions_of) {
  std::map<std::string, std::size_t> pairs_with;  // each extension
  std::size_t pair_count = 0;
  for (const auto& [stem, extensions] : extensions_of) {
    if (extensions.size() > 2) return std::nullopt;
    if (extensions.size() == 2) ++pair_count, ++pairs_with[extensions[0]], ++pairs_with[extensions[1]];
  }
  for (const auto& [stem, extensions] : extensions_of) {
    if (extensions.size() == 1) pairs_with.erase(extensions[0]);
  }
  std::erase_if(pairs_with, [&](const auto& one) { return one.second != pair_count; });
  if (pairs_with.size() == 2) std::erase_if(pairs_with, [](const auto& one) { return is_lossy_extension(one.first); });
  return pairs_with.size() == 1 ? std::optional(pairs_with.begin()->first) : std::nullopt;
}

}  // namespace

bool is_plain(const std::string& pattern) {
  return printable(pattern) == pattern && pattern.find_first_of("`'\"\\") == std::string::npos;
}

bool is_called_as_masks(std::string_view folder) {
  const std::string name = lower_case(std::string(folder));
  if (name == "ann_dir" || name == "ground_truth" || name == "segmentationclass") return true;
  if (has_first_word_for_masks(name)) return true;
  const std::size_t word = start_of_last_word(name);
  return is_mask_word(name) || (word != std::string::npos && is_mask_word(std::string_view(name).substr(word + 1)));
}

bool are_called_as_pair(std::string_view images, std::string_view masks) {
  return is_called_as_masks(masks) || (is_one_of(kInputWords, images) && is_one_of(kTargetWords, masks));
}

bool has_word_for_masks(std::string_view name) {
  constexpr std::string_view kBetweenWords = "_-. ";
  for (std::size_t begin = 0; begin <= name.size();) {
    const std::size_t end = std::min(name.find_first_of(kBetweenWords, begin), name.size());
    const std::string_view word = name.substr(begin, end - begin);
    if (is_mask_word(word) || is_one_of(kTargetWords, word)) return true;
    begin = end + 1;
  }
  return false;
}

std::optional<FittingPattern> fitting_pattern(const std::vector<std::string>& images,
                                              const std::set<std::string>& masks) {
  if (images.empty() || images.size() > masks.size()) return std::nullopt;
  const fs::path first(images.front());
  const std::string folder = first.parent_path().string(), stem = first.stem().string();
  std::vector<std::string> names;  // of the masks of the first image that are tried
  for (auto mask = masks.lower_bound(folder); mask != masks.end() && mask->starts_with(folder); ++mask) {
    const fs::path path(*mask);
    if (path.parent_path().string() == folder) names.push_back(path.filename().string());
  }
  for (const auto guess : {&whole_name_pattern, &common_part_pattern}) {
    int tried = 0;
    for (const std::string& name : names) {
      const auto patterns = guess(stem, name);
      if (!patterns) continue;
      if (++tried > kMostTried) break;
      if (fits(*patterns, images, masks) && is_plain(patterns->image.text() + patterns->mask.text())) {
        return written(*patterns);
      }
    }
  }
  return std::nullopt;
}

std::optional<PairedNames> paired_names(const std::vector<std::string>& images, const std::set<std::string>& masks) {
  std::set<std::string> named;
  for (const std::string& mask : masks) {
    const std::string stem = fs::path(mask).stem().string();
    const std::size_t word = start_of_last_word(stem);
    if (word != std::string::npos && is_mask_word(std::string_view(stem).substr(word + 1))) named.insert(mask);
  }
  auto pattern = fitting_pattern(images, named);
  if (!pattern) pattern = fitting_pattern(images, masks);
  if (!pattern) return std::nullopt;
  const MaskPattern names(pattern->text());
  PairedNames paired = {*pattern, {}};
  for (const std::string& image : images) paired.masks.push_back(names.mask_of(image));
  return paired;
}

std::optional<TwinFiles> find_twin_files(const std::vector<std::string>& paths) {
  ExtensionsOf extensions_of;
  for (const std::string& path : paths) {
    const fs::path file(path);
    extensions_of[(file.parent_path() / file.stem()).string()].push_back(file.extension().string());
  }
  const auto extension = extension_of_twins(extensions_of);
  if (!extension) return std::nullopt;
  TwinFiles twins = {*extension, {}};
  for (const auto& [stem, extensions] : extensions_of) {
    if (extensions.size() != 2) continue;
    const std::string& other = extensions[extensions[0] == *extension ? 1 : 0];
    twins.pairs.emplace_back(stem + other, stem + *extension);
  }
  return twins;
}

std::optional<NamedMasks> find_named_masks(const std::vector<std::string>& paths) {
  std::map<std::string, const std::string*> by_stem;  // with the folder
  for (const std::string& path : paths) by_stem.try_emplace(fs::path(path).replace_extension().string(), &path);
  NamedMasks found;
  std::map<std::string, std::int64_t> count_of;
  for (const std::string& path : paths) {
    const fs::path file(path);
    for (const NamePatterns& patterns : patterns_of_mask(file.stem().string())) {
      const std::string stem = patterns.mask.stem_in(file.stem().string()).value();
      const auto image = by_stem.find((file.parent_path() / patterns.image.name_for(stem)).string());
      if (image == by_stem.end()) continue;
      if (found.count++ == 0) {
        found.image = *image->second;
        found.mask = path;
      }
      ++count_of[written(patterns, file.extension().string()).text()];
      break;
    }
  }
  if (found.count == 0) return std::nullopt;
  const auto most = std::ranges::max_element(count_of, {}, [](const auto& count) { return count.second; });
  found.pattern = most->first;
  return found;
}

std::string masks_option(const std::string& pattern) { return "`masks=" + pattern + "`"; }

}  // namespace octavo::sources
