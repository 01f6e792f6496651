#include <octavo/mask_shares.hpp>

#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>

#include <octavo/text.hpp>

#include "support/text/text_units.hpp"

namespace octavo {
namespace {

constexpr std::int64_t kBytesAtOnce = std::int64_t{4} << 20;

}  // namespace

std::int64_t MaskCounts::pixel_count() const { return std::accumulate(pixels.begin(), pixels.end(), std::int64_t{0}); }

std::int64_t MaskCounts::class_count() const {
  return std::count_if(pixels.begin(), pixels.begin() + kIgnoredMaskValue,
                       [](std::int64_t count) { return count > 0; });
}

void MaskCounts::add(std::span<const std::uint8_t> masks) {
  for (const std::uint8_t value : masks) ++pixels[value];
}

void MaskCounts::add(const MaskCounts& other) {
  for (std::size_t value = 0; value < pixels.size(); ++value) pixels[value] += other.pixels[value];
  sample_count += other.sample_count;
}

std::int64_t mask_bytes(const Split& split) {
  return split.has_masks() ? split.sample_count() * split.shape().values_per_channel() : 0;
}

std::int64_t mask_bytes(const SourceSplit& split) {
  return split.has_masks ? split.sample_count * split.shape.values_per_channel() : 0;
}

MaskCounts count_mask_pixels(const Split& split, std::int64_t most_bytes) {
  MaskCounts counts;
  if (!split.has_masks()) return counts;
  const std::int64_t N = split.sample_count(), bytes = split.shape().values_per_channel();
  const std::int64_t counted_samples = std::clamp<std::int64_t>(most_bytes / bytes, 1, N);
  // Whole blocks if all are counted; else single samples, since they are far apart.
  const std::int64_t at_once = counted_samples == N ? std::clamp<std::int64_t>(kBytesAtOnce / bytes, 1, N) : 1;
  std::vector<std::uint8_t> masks;
  while (counts.sample_count < counted_samples) {
    const std::int64_t first =
        counted_samples == N ? counts.sample_count
                             : static_cast<std::int64_t>(static_cast<double>(counts.sample_count) *
                                                         static_cast<double>(N) / static_cast<double>(counted_samples));
    const std::int64_t count = std::min(at_once, N - first);
    masks.resize(static_cast<std::size_t>(count * bytes));
    split.read_masks(first, count, masks);
    counts.add(masks);
    counts.sample_count += count;
  }
  return counts;
}

std::vector<MaskShare> shares_of(const MaskCounts& counts, const std::map<int, std::string>& names) {
  std::vector<MaskShare> shares;
  const auto total = static_cast<double>(counts.pixel_count());
  for (int value = 0; value < static_cast<int>(counts.pixels.size()); ++value) {
    const std::int64_t pixels = counts.pixels[static_cast<std::size_t>(value)];
    if (pixels == 0) continue;
    const auto name = names.find(value);
    shares.push_back({value, name == names.end() ? "" : name->second, pixels, static_cast<double>(pixels) / total});
  }
  return shares;
}

std::vector<MaskShare> listed_shares(std::vector<MaskShare> shares) {
  if (shares.size() <= kMostListedMaskClasses) return shares;
  std::ranges::stable_sort(shares, std::greater{}, &MaskShare::pixels);
  shares.resize(kMostListedMaskClasses);
  std::ranges::sort(shares, {}, &MaskShare::value);
  return shares;
}

std::string to_text(const MaskShare& share) {
  const std::string name = share.name.empty() && share.value == kIgnoredMaskValue ? "ignored" : share.name;
  return std::to_string(share.value) + (name.empty() ? "" : " " + printable(name));
}

std::string describe(const MaskCounts& masks) {
  const std::int64_t count = masks.class_count();
  return "masks, " + format_count(count) + (count == 1 ? " class" : " classes");
}

std::string percent_text(double share) {
  return share > 0 && share < 0.0005 ? "<0.1 %" : formatted("%.1f %%", 100 * share);
}

}  // namespace octavo
