#include "sources/lists/mask_names.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

#include <octavo/text.hpp>

#include "support/ascii.hpp"

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
/// Masks of the first image that are tried.
constexpr int kMostTried = 64;

template <std::size_t kCount>
bool is_one_of(const std::array<std::string_view, kCount>& words, std::string_view word) {
  return std::ranges::find(words, lower_case(std::string(word))) != words.end();
}

bool is_mask_word(std::string_view word) { return is_one_of(kMaskWords, word); }

/// Where the last word of a name begins, with the '_', '-' or '.' before it; npos if there is only one word.
std::size_t start_of_last_word(std::string_view name) {
  const std::size_t at = name.find_last_of("_-.");
  return at == 0 ? std::string_view::npos : at;
}

/// Whether the name begins with "mask_" or similar, as "masks_png" does.
bool has_first_word_for_masks(std::string_view name) {
  const std::string_view first = name.substr(0, name.find_first_of("_-."));
  return first == "mask" || first == "masks";
}

/// Whether the pattern can be copied from a message.
bool is_plain(const std::string& pattern) {
  return printable(pattern) == pattern && pattern.find_first_of("`'\"\\") == std::string::npos;
}

}  // namespace

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

std::optional<std::string> fitting_pattern(const std::vector<std::string>& images, const std::set<std::string>& masks) {
  if (images.empty() || images.size() > masks.size()) return std::nullopt;
  const auto mask_of = [](const fs::path& image, const std::string& before, const std::string& after) {
    return (image.parent_path() / (before + image.stem().string() + after)).string();
  };
  const fs::path first(images.front());
  const std::string folder = first.parent_path().string(), stem = first.stem().string();
  int tried = 0;
  for (auto mask = masks.lower_bound(folder); mask != masks.end() && mask->starts_with(folder); ++mask) {
    const fs::path path(*mask);
    if (path.parent_path().string() != folder) continue;
    const std::string name = path.filename().string();
    const std::size_t at = name.find(stem);
    if (at == std::string::npos) continue;
    if (++tried > kMostTried) break;
    const std::string before = name.substr(0, at), after = name.substr(at + stem.size());
    std::set<std::string> used;
    const bool fits = std::ranges::all_of(images, [&](const std::string& image) {
      const std::string wanted = mask_of(image, before, after);
      return masks.contains(wanted) && used.insert(wanted).second;
    });
    std::string pattern = before + "{stem}" + after;
    if (fits && is_plain(pattern)) return pattern;
  }
  return std::nullopt;
}

std::optional<NamedMasks> find_named_masks(const std::vector<std::string>& paths) {
  std::map<std::string, const std::string*> by_stem;  // with the folder
  for (const std::string& path : paths) by_stem.try_emplace(fs::path(path).replace_extension().string(), &path);
  NamedMasks found;
  std::map<std::string, std::int64_t> count_of;
  for (const std::string& path : paths) {
    const fs::path file(path);
    const std::string stem = file.stem().string();
    const std::size_t word = start_of_last_word(stem);
    if (word == std::string::npos || !is_mask_word(std::string_view(stem).substr(word + 1))) continue;
    const auto image = by_stem.find((file.parent_path() / stem.substr(0, word)).string());
    if (image == by_stem.end()) continue;
    if (found.count++ == 0) {
      found.image = *image->second;
      found.mask = path;
    }
    ++count_of["{stem}" + stem.substr(word) + file.extension().string()];
  }
  if (found.count == 0) return std::nullopt;
  const auto most = std::ranges::max_element(count_of, {}, [](const auto& count) { return count.second; });
  found.pattern = most->first;
  return found;
}

std::string masks_option(const std::string& pattern) { return "`masks=" + pattern + "`"; }

}  // namespace octavo::sources
