#include "sources/lists/mask_names.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

#include <octavo/text.hpp>

#include "support/ascii.hpp"

namespace octavo::sources {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 20> kMaskWords = {
    "mask",   "masks",  "seg",     "segs",        "segmentation", "segmentations", "gt",
    "gts",    "label",  "labels",  "annotation",  "annotations",  "ann",           "matte",
    "mattes", "trimap", "trimaps", "groundtruth", "segmask",      "labelids"};
/// Masks of the first image that are tried.
constexpr int kMostTried = 64;

bool is_mask_word(std::string_view word) {
  return std::ranges::find(kMaskWords, lower_case(std::string(word))) != kMaskWords.end();
}

/// Where the last word of a name begins, with the '_', '-' or '.' before it; npos if there is only one word.
std::size_t start_of_last_word(std::string_view name) {
  const std::size_t at = name.find_last_of("_-.");
  return at == 0 ? std::string_view::npos : at;
}

/// Whether the pattern can be copied from a message.
bool is_plain(const std::string& pattern) {
  return printable(pattern) == pattern && pattern.find_first_of("`'\"\\") == std::string::npos;
}

}  // namespace

bool is_called_as_masks(std::string_view folder) {
  const std::string name = lower_case(std::string(folder));
  if (name == "ann_dir" || name == "ground_truth" || name == "segmentationclass") return true;
  const std::size_t word = start_of_last_word(name);
  return is_mask_word(name) || (word != std::string::npos && is_mask_word(std::string_view(name).substr(word + 1)));
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
