#include "sources/lists/masks/mask_evidence.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <octavo/errors.hpp>

#include "images/image_codec.hpp"
#include "images/image_reader.hpp"
#include "sources/lists/decoding/image_survey.hpp"

namespace octavo::sources {
namespace {

constexpr std::size_t kMostOpened = 8;
/// Photos have more colors than this, even gray ones, and masks fewer classes.
constexpr std::size_t kMostMaskColors = 64;

/// Colors, or values of more than 8 bits: at most one more than kMostMaskColors.
using Colors = std::set<std::uint32_t>;

/// The image files below a folder, as paths in the tree, by their paths without extension.
std::vector<std::pair<std::string, std::string>> files_by_stem(const files::FileTree& tree, const std::string& folder) {
  std::vector<std::pair<std::string, std::string>> found;
  for (const std::string& file : tree.files_below(folder)) {
    if (!images::has_image_name(file)) continue;
    found.emplace_back(std::filesystem::path(file).replace_extension().string(), files::join_path(folder, file));
  }
  std::ranges::sort(found);
  return found;
}

bool may_hold_classes(const images::ImageHeader& header) {
  const bool is_lossy = header.codec == &images::kJpegCodec || header.codec == &images::kWebpCodec;
  return !is_lossy && !header.is_deep() && !header.has_bands;
}

std::uint32_t bits_of(std::uint8_t value) { return value; }
std::uint32_t bits_of(float value) { return std::bit_cast<std::uint32_t>(value); }

/// Adds the colors of an image of `channels`, as numbers. Colors of up to 3 bytes have different ones.
template <typename Value>
void add_colors(const std::vector<Value>& values, std::int64_t channels, Colors& colors) {
  const auto step = static_cast<std::size_t>(channels);
  std::uint32_t last = 0;
  for (std::size_t at = 0; at + step <= values.size() && colors.size() <= kMostMaskColors; at += step) {
    std::uint32_t color = 0;
    for (std::size_t c = 0; c < step; ++c) color = color << 8 ^ bits_of(values[at + c]);
    if (at == 0 || color != last) colors.insert(color);  // neighbors are usually equal in masks
    last = color;
  }
}

void add_colors_of(std::span<const std::byte> file, const images::Limits& limits, Colors& colors) {
  const images::ImageHeader header = images::checked_header(file, limits);
  if (header.is_deep()) {
    const images::DeepPixels image = header.codec->decode_deep(file, header);
    add_colors(image.values, image.channels, colors);
  } else {
    const images::Pixels image = images::decode(file, limits, {});
    add_colors(image.values, image.channels, colors);
  }
}

/// The colors of the pairs that were opened so far.
struct PairColors {
  Colors images, masks;
};

/// Whether the second file may be the mask of the first. Adds the colors of both.
bool may_be_pair(const files::FileTree& tree, const std::string& image, const std::string& mask, PairColors& colors) {
  const images::Limits limits;
  const std::string mask_file = tree.read_whole(mask, kLargestImageFileBytes);
  const auto mask_bytes = std::as_bytes(std::span(mask_file));
  const images::ImageHeader mask_header = images::checked_header(mask_bytes, limits);
  const images::ImageHeader header = probe_image(tree, image, limits);
  const bool fits = mask_header.width == header.width && mask_header.height == header.height;
  const bool fits_stored = mask_header.width == header.stored_width() && mask_header.height == header.stored_height();
  if (!may_hold_classes(mask_header) || !(fits || fits_stored)) return false;
  add_colors_of(mask_bytes, limits, colors.masks);
  if (colors.masks.size() > kMostMaskColors) return false;
  if (colors.images.size() > kMostMaskColors) return true;
  const std::string image_file = tree.read_whole(image, kLargestImageFileBytes);
  add_colors_of(std::as_bytes(std::span(image_file)), limits, colors.images);
  return true;
}

}  // namespace

bool look_like_masks(const files::FileTree& tree, const std::string& images, const std::string& masks) {
  const auto image_files = files_by_stem(tree, images), mask_files = files_by_stem(tree, masks);
  const auto stem = [](const auto& file) -> const std::string& { return file.first; };
  if (!std::ranges::equal(image_files, mask_files, {}, stem, stem)) return false;
  std::vector<ImageAndMask> pairs;
  for (std::size_t i = 0; i < image_files.size(); ++i) pairs.push_back({image_files[i].second, mask_files[i].second});
  return look_like_masks(tree, pairs);
}

bool look_like_masks(const files::FileTree& tree, const std::vector<ImageAndMask>& pairs) try {
  PairColors colors;
  const std::size_t count = std::min(pairs.size(), kMostOpened);
  for (std::size_t i = 0; i < count; ++i) {
    const ImageAndMask& pair = pairs[i * pairs.size() / count];
    if (!may_be_pair(tree, pair.image, pair.mask, colors)) return false;
  }
  return colors.images.size() > kMostMaskColors;
} catch (const Error&) {
  return false;
}

}  // namespace octavo::sources
