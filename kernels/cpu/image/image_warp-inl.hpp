// Warps whole images. A per-target part of the augmented gather (Highway), hence the special include guard.
#if defined(OCTAVO_KERNELS_CPU_IMAGE_WARP_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef OCTAVO_KERNELS_CPU_IMAGE_WARP_INL_HPP
#undef OCTAVO_KERNELS_CPU_IMAGE_WARP_INL_HPP
#else
#define OCTAVO_KERNELS_CPU_IMAGE_WARP_INL_HPP
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>

#include "kernels/augment/steps.hpp"
#include "kernels/augment/warp.hpp"

HWY_BEFORE_NAMESPACE();
namespace octavo::kernels::cpu {
namespace HWY_NAMESPACE {
#if HWY_NATIVE_FMA

namespace hn = hwy::HWY_NAMESPACE;

/// Memory for the columns of a warp.
struct WarpScratch {
  std::int32_t *x, *y;  ///< [W], the part of each column in the places
};
/// Bytes beyond an image that a warp may read.
constexpr std::int64_t kWarpPadding = 4;

/// Warps images of one size.
class ImageWarp {
 public:
  ImageWarp(const AugmentOp& op, const AugmentStep& step, ImageSize size, const WarpScratch& scratch)
      : op_(op), warp_(step.warp), size_(size), columns_(scratch), fits_(fits()) {
    if (!fits_) return;
    for (std::int32_t x = 0; x < size.width; ++x) {
      const WarpPlace place = warp_.of_column(x);
      columns_.x[x] = static_cast<std::int32_t>(place.x);
      columns_.y[x] = static_cast<std::int32_t>(place.y);
    }
  }

  /// Warps `channels` planes.
  void apply(const std::int8_t* from, std::int64_t channels, std::int8_t* to) const {
    for (std::int32_t y = 0; y < size_.height; ++y) {
      std::int32_t x = 0;
      if (fits_) {
        const WarpPlace row = warp_.of_row(y);
        const auto row_x = hn::Set(Lanes(), static_cast<std::int32_t>(row.x));
        const auto row_y = hn::Set(Lanes(), static_cast<std::int32_t>(row.y));
        for (; x + kLanes <= size_.width; x += kLanes) {
          const auto at_x = hn::Add(row_x, hn::LoadU(Lanes(), columns_.x + x));
          const auto at_y = hn::Add(row_y, hn::LoadU(Lanes(), columns_.y + x));
          if (op_.is_bilinear)
            blend(from, channels, y, x, at_x, at_y, to);
          else
            take_nearest(from, channels, y, x, at_x, at_y, to);
        }
      }
      for (; x < size_.width; ++x) warp_pixel(from, channels, y, x, to);
    }
  }

 private:
  using Lanes = hn::ScalableTag<std::int32_t>;
  using Vector = hn::Vec<Lanes>;
  static constexpr auto kLanes = static_cast<std::int32_t>(hn::MaxLanes(Lanes()));

  /// Whether all places fit in 32 bits.
  bool fits() const {
    constexpr std::int64_t kMost = std::int64_t{1} << 30;
    const auto is_near = [](const WarpPlace& place) {
      return place.x >= -kMost && place.x <= kMost && place.y >= -kMost && place.y <= kMost;
    };
    return is_near(warp_.of_row(0)) && is_near(warp_.of_row(size_.height - 1)) && is_near(warp_.of_column(0)) &&
           is_near(warp_.of_column(size_.width - 1)) && pixels() <= INT32_MAX;
  }
  std::int64_t pixels() const { return std::int64_t{size_.height} * size_.width; }

  void warp_pixel(const std::int8_t* from, std::int64_t channels, std::int32_t y, std::int32_t x,
                  std::int8_t* to) const {
    const WarpPlace place = warp_.place(y, x);
    for (std::int64_t c = 0; c < channels; ++c) {
      to[c * pixels() + std::int64_t{y} * size_.width + x] =
          code_at_place(from + c * pixels(), size_, place, op_.is_bilinear, op_.fill.at(c));
    }
  }

  /// Whether pixel (y, x) and, with `more` 1, its right and lower neighbors are in the image.
  auto inside(Vector y, Vector x, std::int32_t more) const {
    const hn::RebindToUnsigned<Lanes> counts;
    const auto below = [&](Vector at, std::int32_t count) {
      return hn::Lt(hn::BitCast(counts, at), hn::Set(counts, static_cast<std::uint32_t>(count)));
    };
    return hn::RebindMask(Lanes(), hn::And(below(y, size_.height - more), below(x, size_.width - more)));
  }

  void take_nearest(const std::int8_t* from, std::int64_t channels, std::int32_t y, std::int32_t x, Vector at_x,
                    Vector at_y, std::int8_t* to) const {
    const auto column = hn::ShiftRight<kPlaceBits>(at_x), row = hn::ShiftRight<kPlaceBits>(at_y);
    const auto offset = hn::Add(hn::Mul(row, hn::Set(Lanes(), size_.width)), column);
    alignas(hn::MaxLanes(Lanes()) * sizeof(std::int32_t)) std::int32_t offsets[kLanes];
    hn::Store(hn::IfThenElse(inside(row, column, 0), offset, hn::Set(Lanes(), -1)), Lanes(), offsets);
    for (std::int64_t c = 0; c < channels; ++c) {
      const std::int8_t* const plane = from + c * pixels();
      const std::int8_t fill = op_.fill.at(c);
      std::int8_t* const out = to + c * pixels() + std::int64_t{y} * size_.width + x;
      for (std::int32_t i = 0; i < kLanes; ++i) {
        const std::int8_t code = plane[std::max(offsets[i], 0)];
        out[i] = offsets[i] < 0 ? fill : code;
      }
    }
  }

  void blend(const std::int8_t* from, std::int64_t channels, std::int32_t y, std::int32_t x, Vector at_x, Vector at_y,
             std::int8_t* to) const {
    const auto half = hn::Set(Lanes(), 1 << (kPlaceBits - 1));
    const auto left = hn::Sub(at_x, half), top = hn::Sub(at_y, half);
    const auto column = hn::ShiftRight<kPlaceBits>(left), row = hn::ShiftRight<kPlaceBits>(top);
    if (!hn::AllTrue(Lanes(), inside(row, column, 1))) {
      for (std::int32_t i = 0; i < kLanes; ++i) warp_pixel(from, channels, y, x + i, to);
      return;
    }
    const auto width = hn::Set(Lanes(), size_.width);
    const auto upper_offset = hn::Add(hn::Mul(row, width), column), lower_offset = hn::Add(upper_offset, width);
    const auto fraction = [](Vector at) {
      return hn::ShiftRight<kPlaceBits - kFractionBits>(hn::And(at, hn::Set(Lanes(), (1 << kPlaceBits) - 1)));
    };
    const auto right = fraction(left), down = fraction(top);
    const hn::Rebind<std::int8_t, Lanes> bytes;
    for (std::int64_t c = 0; c < channels; ++c) {
      const auto* const plane = reinterpret_cast<const std::int32_t*>(from + c * pixels());
      const auto upper = blend_pair(hn::GatherOffset(Lanes(), plane, upper_offset), right);
      const auto lower = blend_pair(hn::GatherOffset(Lanes(), plane, lower_offset), right);
      const auto sum = hn::Add(hn::Add(hn::ShiftLeft<kFractionBits>(upper), hn::Mul(hn::Sub(lower, upper), down)),
                               hn::Set(Lanes(), 1 << (2 * kFractionBits - 1)));
      const auto level = hn::ShiftRight<2 * kFractionBits>(sum);
      hn::StoreU(hn::DemoteTo(bytes, hn::Sub(level, hn::Set(Lanes(), 128))), bytes,
                 to + c * pixels() + std::int64_t{y} * size_.width + x);
    }
  }
  /// Blends the levels of the two lowest bytes of each lane.
  static Vector blend_pair(Vector codes, Vector right) {
    const auto levels = hn::Xor(codes, hn::Set(Lanes(), 0x8080));
    const auto byte = hn::Set(Lanes(), 0xFF);
    const auto first = hn::And(levels, byte), second = hn::And(hn::ShiftRight<8>(levels), byte);
    return hn::Add(hn::ShiftLeft<kFractionBits>(first), hn::Mul(hn::Sub(second, first), right));
  }

  const AugmentOp& op_;
  const Warp& warp_;
  ImageSize size_;
  WarpScratch columns_;
  bool fits_;
};

#endif  // HWY_NATIVE_FMA
}  // namespace HWY_NAMESPACE
}  // namespace octavo::kernels::cpu
HWY_AFTER_NAMESPACE();

#endif
