// Changes the colors of whole images. A per-target part of the augmented gather (Highway), hence the special include
// guard.
#if defined(OCTAVO_KERNELS_CPU_IMAGE_COLOR_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef OCTAVO_KERNELS_CPU_IMAGE_COLOR_INL_HPP
#undef OCTAVO_KERNELS_CPU_IMAGE_COLOR_INL_HPP
#else
#define OCTAVO_KERNELS_CPU_IMAGE_COLOR_INL_HPP
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>

#include "kernels/augment/color.hpp"
#include "kernels/augment/steps.hpp"

HWY_BEFORE_NAMESPACE();
namespace octavo::kernels::cpu {
namespace HWY_NAMESPACE {
#if HWY_NATIVE_FMA

namespace hn = hwy::HWY_NAMESPACE;

inline std::int32_t level_of(std::int8_t code) { return code + 128; }
inline std::int8_t code_of(std::int32_t level) { return static_cast<std::int8_t>(level - 128); }

// Most changes are computed in lanes of 16 bits, which are enough for all numbers of color.hpp except sums of products.
using Levels = hn::ScalableTag<std::int16_t>;
using LevelVector = hn::Vec<Levels>;
constexpr auto kLevelLanes = static_cast<std::int64_t>(hn::MaxLanes(Levels()));

inline LevelVector load_levels(const std::int8_t* codes) {
  const hn::Rebind<std::int8_t, Levels> bytes;
  return hn::Add(hn::PromoteTo(Levels(), hn::LoadU(bytes, codes)), hn::Set(Levels(), std::int16_t{128}));
}
/// Clamps levels to 0 to 255.
inline void store_levels(LevelVector levels, std::int8_t* codes) {
  const hn::Rebind<std::int8_t, Levels> bytes;
  // A code is clamped to -128 to 127.
  hn::StoreU(hn::DemoteTo(bytes, hn::Sub(levels, hn::Set(Levels(), std::int16_t{128}))), bytes, codes);
}

/// blended_level(), not clamped: a product of two factors of 16 bits is shifted by 16 bits.
inline LevelVector blend_levels(LevelVector levels, LevelVector base, LevelVector factor) {
  return hn::Add(base, hn::MulHigh(hn::ShiftLeft<16 - kFactorBits>(hn::Sub(levels, base)), factor));
}

/// Changes each of `count` levels: with `change_vector`, and the last ones with `change`.
template <typename ChangeVector, typename Change>
void change_levels(std::int8_t* codes, std::int64_t count, const ChangeVector& change_vector, const Change& change) {
  std::int64_t i = 0;
  for (; i + kLevelLanes <= count; i += kLevelLanes) store_levels(change_vector(load_levels(codes + i)), codes + i);
  for (; i < count; ++i) codes[i] = code_of(change(level_of(codes[i])));
}

/// Blends all levels with one: brightness and contrast.
void blend_with(std::int32_t base, std::int32_t factor, std::int8_t* codes, std::int64_t count) {
  const auto bases = hn::Set(Levels(), static_cast<std::int16_t>(base));
  const auto factors = hn::Set(Levels(), static_cast<std::int16_t>(factor));
  change_levels(
      codes, count, [&](LevelVector levels) { return blend_levels(levels, bases, factors); },
      [&](std::int32_t level) { return blended_level(level, base, factor); });
}

/// Inverts all levels from `threshold` on.
void solarize(std::int32_t threshold, std::int8_t* codes, std::int64_t count) {
  const auto last_kept = hn::Set(Levels(), static_cast<std::int16_t>(threshold - 1));
  const auto highest = hn::Set(Levels(), std::int16_t{255});
  change_levels(
      codes, count,
      [&](LevelVector levels) { return hn::IfThenElse(hn::Gt(levels, last_kept), hn::Sub(highest, levels), levels); },
      [&](std::int32_t level) { return level >= threshold ? 255 - level : level; });
}

/// Adds `amount`, at most 128, to all levels below 128.
void add_to_dark(std::int32_t amount, std::int8_t* codes, std::int64_t count) {
  const auto amounts = hn::Set(Levels(), static_cast<std::int16_t>(amount));
  const auto middle = hn::Set(Levels(), std::int16_t{128});
  change_levels(
      codes, count,
      [&](LevelVector levels) { return hn::IfThenElse(hn::Lt(levels, middle), hn::Add(levels, amounts), levels); },
      [&](std::int32_t level) { return level < 128 ? level + amount : level; });
}

/// Keeps the bits of `mask`.
void keep_bits(std::int32_t mask, std::int8_t* codes, std::int64_t count) {
  const auto masks = hn::Set(Levels(), static_cast<std::int16_t>(mask));
  change_levels(
      codes, count, [&](LevelVector levels) { return hn::And(levels, masks); },
      [&](std::int32_t level) { return level & mask; });
}

/// Red, green and blue of several pixels.
struct RgbVectors {
  LevelVector r, g, b;
};

/// kernels::luma_of(): the weights are divided into multiples of 2^7 and the rest, whose sums fit in 16 bits.
LevelVector luma_of(const RgbVectors& pixels) {
  const hn::RebindToUnsigned<Levels> sums;
  static_assert(kLumaBits == 15);
  const auto weighted = [&](const LevelVector& levels, std::int32_t weight) {
    return hn::Mul(hn::BitCast(sums, levels), hn::Set(sums, static_cast<std::uint16_t>(weight)));
  };
  const auto upper = hn::Add(hn::Add(weighted(pixels.r, kLumaRed >> 7), weighted(pixels.g, kLumaGreen >> 7)),
                             weighted(pixels.b, kLumaBlue >> 7));
  const auto lower = hn::Add(hn::Add(weighted(pixels.r, kLumaRed & 127), weighted(pixels.g, kLumaGreen & 127)),
                             hn::Add(weighted(pixels.b, kLumaBlue & 127), hn::Set(sums, std::uint16_t{1 << 14})));
  return hn::BitCast(Levels(), hn::ShiftRight<8>(hn::Add(upper, hn::ShiftRight<7>(lower))));
}

/// with_hue_added().
RgbVectors with_hue_added(const RgbVectors& pixels, hn::Vec<hn::RebindToUnsigned<Levels>> hue) {
  const hn::RebindToUnsigned<Levels> unsigned_levels;
  const auto high = hn::Max(hn::Max(pixels.r, pixels.g), pixels.b);
  const auto low = hn::Min(hn::Min(pixels.r, pixels.g), pixels.b);
  const auto chroma = hn::Sub(high, low);
  const auto sector = hn::ShiftLeft<4>(chroma), two = hn::ShiftLeft<5>(chroma), four = hn::ShiftLeft<6>(chroma);
  const auto three = hn::Add(two, sector), turn = hn::Add(four, two);
  const auto from_red = hn::ShiftLeft<4>(hn::Sub(pixels.g, pixels.b));
  const auto from_green = hn::Add(two, hn::ShiftLeft<4>(hn::Sub(pixels.b, pixels.r)));
  const auto from_blue = hn::Add(four, hn::ShiftLeft<4>(hn::Sub(pixels.r, pixels.g)));
  auto at =
      hn::IfThenElse(hn::Eq(high, pixels.r), from_red, hn::IfThenElse(hn::Eq(high, pixels.g), from_green, from_blue));
  const auto turned_up = [&](LevelVector angle) { return hn::Add(angle, hn::And(hn::BroadcastSignBit(angle), turn)); };
  // One turn less, because the sum with the hue could be too large for 16 bits.
  at = hn::Sub(turned_up(at), turn);
  const auto added = hn::MulHigh(hue, hn::BitCast(unsigned_levels, hn::ShiftLeft<8>(chroma)));
  at = turned_up(hn::Add(at, hn::BitCast(Levels(), added)));
  const auto level = [&](LevelVector part) {
    const auto clamped = hn::Min(hn::Max(part, hn::Zero(Levels())), sector);
    return hn::Add(low, hn::ShiftRight<4>(hn::Add(clamped, hn::Set(Levels(), std::int16_t{8}))));
  };
  return {level(hn::Sub(hn::Abs(hn::Sub(at, three)), sector)), level(hn::Sub(two, hn::Abs(hn::Sub(at, two)))),
          level(hn::Sub(two, hn::Abs(hn::Sub(at, four))))};
}

/// Changes each pixel of three planes of `count` pixels.
template <typename ChangeVectors, typename Change>
void change_pixels(std::int8_t* codes, std::int64_t count, const ChangeVectors& change_vectors, const Change& change) {
  std::int8_t *const r = codes, *const g = codes + count, *const b = codes + 2 * count;
  std::int64_t i = 0;
  for (; i + kLevelLanes <= count; i += kLevelLanes) {
    const RgbVectors changed = change_vectors({load_levels(r + i), load_levels(g + i), load_levels(b + i)});
    store_levels(changed.r, r + i);
    store_levels(changed.g, g + i);
    store_levels(changed.b, b + i);
  }
  for (; i < count; ++i) {
    const Rgb changed = change(Rgb{level_of(r[i]), level_of(g[i]), level_of(b[i])});
    r[i] = code_of(changed.r);
    g[i] = code_of(changed.g);
    b[i] = code_of(changed.b);
  }
}

void saturate(std::int32_t factor, std::int8_t* codes, std::int64_t count) {
  const auto factors = hn::Set(Levels(), static_cast<std::int16_t>(factor));
  change_pixels(
      codes, count,
      [&](const RgbVectors& pixels) {
        const auto gray = luma_of(pixels);
        return RgbVectors{blend_levels(pixels.r, gray, factors), blend_levels(pixels.g, gray, factors),
                          blend_levels(pixels.b, gray, factors)};
      },
      [&](const Rgb& pixel) {
        const std::int32_t gray = kernels::luma_of(pixel);
        return Rgb{blended_level(pixel.r, gray, factor), blended_level(pixel.g, gray, factor),
                   blended_level(pixel.b, gray, factor)};
      });
}

void add_hue(std::int32_t hue, std::int8_t* codes, std::int64_t count) {
  const auto hues = hn::Set(hn::RebindToUnsigned<Levels>(), static_cast<std::uint16_t>(hue));
  change_pixels(
      codes, count, [&](const RgbVectors& pixels) { return with_hue_added(pixels, hues); },
      [&](const Rgb& pixel) { return kernels::with_hue_added(pixel, hue); });
}

/// The mean luma of three planes, or the mean level of one, rounded to nearest, halves up.
std::int32_t mean_luma(const std::int8_t* codes, std::int64_t count, bool has_colors) {
  const std::int8_t *const r = codes, *const g = codes + count, *const b = codes + 2 * count;
  const hn::Repartition<std::uint8_t, Levels> bytes;
  const hn::Repartition<std::uint64_t, Levels> sums;
  auto sum = hn::Zero(sums);
  std::int64_t i = 0;
  for (; i + kLevelLanes <= count; i += kLevelLanes) {
    const auto luma = has_colors ? luma_of(RgbVectors{load_levels(r + i), load_levels(g + i), load_levels(b + i)})
                                 : load_levels(r + i);
    sum = hn::Add(sum, hn::SumsOf8(hn::BitCast(bytes, luma)));  // the upper bytes are 0
  }
  std::uint64_t total = hn::GetLane(hn::SumOfLanes(sums, sum));
  for (; i < count; ++i) {
    total += static_cast<std::uint64_t>(
        has_colors ? kernels::luma_of(Rgb{level_of(r[i]), level_of(g[i]), level_of(b[i])}) : level_of(r[i]));
  }
  const auto pixels = static_cast<std::uint64_t>(count);
  return static_cast<std::int32_t>((2 * total + pixels) / (2 * pixels));
}

/// What each level becomes.
struct LevelTable {
  std::int8_t code[256];  ///< of each code + 128

  template <typename Level>
  void set(const Level& level) {
    for (std::int32_t from = 0; from < 256; ++from) code[from] = code_of(level(from));
  }
  void apply(std::int8_t* codes, std::int64_t count) const {
    for (std::int64_t i = 0; i < count; ++i) codes[i] = code[level_of(codes[i])];
  }
};

/// Autocontrast, or equalization, of one channel.
void stretch(bool equalizes, std::int8_t* codes, std::int64_t count) {
  // Several counters for each level, because successive pixels are often equal.
  constexpr std::int64_t kWays = 4;
  std::uint32_t counts[kWays][256] = {};
  std::int64_t i = 0;
  for (; i + kWays <= count; i += kWays) {
    for (std::int64_t way = 0; way < kWays; ++way) ++counts[way][level_of(codes[i + way])];
  }
  for (; i < count; ++i) ++counts[0][level_of(codes[i])];
  StretchedLevels range = {255, 0};
  for (std::int32_t level = 0; level < 256; ++level) {
    for (std::int64_t way = 1; way < kWays; ++way) counts[0][level] += counts[way][level];
    if (counts[0][level] == 0) continue;
    range.low = std::min(range.low, level);
    range.high = level;
  }
  LevelTable table;
  std::int64_t below = 0;
  table.set([&](std::int32_t level) {
    if (!equalizes) return range.level(level);
    const std::int32_t changed = equalized_level(level, count, counts[0][range.high], below);
    below += counts[0][level];
    return changed;
  });
  table.apply(codes, count);
}

/// Blends each pixel of a channel with the mean of the 3x3 pixels around it. Pixels at the border stay.
void sharpen(std::int32_t factor, const std::int8_t* from, ImageSize size, std::int8_t* to) {
  const std::int64_t W = size.width;
  const auto factors = hn::Set(Levels(), static_cast<std::int16_t>(factor));
  const hn::RebindToUnsigned<Levels> unsigned_levels;
  std::copy_n(from, W, to);
  for (std::int64_t y = 1; y + 1 < size.height; ++y) {
    const std::int8_t* const row = from + y * W;
    std::int8_t* const out = to + y * W;
    std::int64_t x = 1;
    out[0] = row[0];
    for (; x + kLevelLanes <= W - 1; x += kLevelLanes) {
      const auto level = load_levels(row + x);
      auto sum = hn::Add(hn::Set(Levels(), std::int16_t{6}), hn::ShiftLeft<2>(level));
      for (const std::int8_t* const at : {row + x - W, row + x, row + x + W}) {
        sum = hn::Add(sum, hn::Add(hn::Add(load_levels(at - 1), load_levels(at)), load_levels(at + 1)));
      }
      // sum / 13: 5042 / 2^16 is more than 1 / 13 by so little that no sum of at most 13 * 255 + 6 is rounded up.
      const auto smooth = hn::BitCast(
          Levels(), hn::MulHigh(hn::BitCast(unsigned_levels, sum), hn::Set(unsigned_levels, std::uint16_t{5042})));
      store_levels(blend_levels(level, smooth, factors), out + x);
    }
    for (; x + 1 < W; ++x) {
      std::int32_t sum = 0;
      for (const std::int8_t* const at : {row + x - W, row + x, row + x + W}) {
        sum += level_of(at[-1]) + level_of(at[0]) + level_of(at[1]);
      }
      const std::int32_t level = level_of(row[x]);
      out[x] = code_of(blended_level(level, smoothed_level(sum, level), factor));
    }
    if (W > 1) out[W - 1] = row[W - 1];
  }
  if (size.height > 1) std::copy_n(from + (size.height - 1) * W, W, to + (size.height - 1) * W);
}

#endif  // HWY_NATIVE_FMA
}  // namespace HWY_NAMESPACE
}  // namespace octavo::kernels::cpu
HWY_AFTER_NAMESPACE();

#endif
