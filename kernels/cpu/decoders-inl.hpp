// Decodes whole samples, in either layout. A per-target part of the gathers (Highway), hence the special include guard.
#if defined(OCTAVO_KERNELS_CPU_DECODERS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef OCTAVO_KERNELS_CPU_DECODERS_INL_HPP
#undef OCTAVO_KERNELS_CPU_DECODERS_INL_HPP
#else
#define OCTAVO_KERNELS_CPU_DECODERS_INL_HPP
#endif

#include <algorithm>
#include <cstdint>

#include "kernels/cpu/decode_run-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace octavo::kernels::cpu {
namespace HWY_NAMESPACE {
#if HWY_NATIVE_FMA

/// Decodes samples whose values keep the order of their codes.
class PlanarDecoder {
 public:
  explicit PlanarDecoder(const GatherArgs& args)
      : args_(args),
        run_count_(is_one_run(args) ? 1 : args.sample.channels),
        values_per_run_(args.sample.channels * args.pixels / run_count_) {}

  template <typename Output>
  void decode(const std::int8_t* codes, const std::int8_t* next, Output& output) const {
    for (std::int64_t c = 0; c < run_count_; ++c) {
      const std::int64_t start = c * values_per_run_;
      output.append(Run{codes + start, values_per_run_, args_.maps[args_.uniform_map ? 0 : c], nullptr,
                        args_.pixel_shifts == nullptr ? nullptr : args_.pixel_shifts + start,
                        next == nullptr ? nullptr : next + start});
    }
  }

 private:
  const GatherArgs& args_;
  std::int64_t run_count_;
  std::int64_t values_per_run_;
};

/// Interleaves codes [C][count], whose channels are `stride` apart, to [count][C]. Prefetches the same codes of `next`.
inline void interleave(const std::int8_t* codes, std::int64_t stride, std::int64_t channels, std::int64_t count,
                       const std::int8_t* next, std::int8_t* out) {
  if (next != nullptr) {
    for (std::int64_t c = 0; c < channels; ++c) {
      for (std::int64_t p = 0; p < count; p += kGroup) prefetch(next + c * stride + p);
    }
  }
  const hn::ScalableTag<std::int8_t> bytes;
  constexpr auto kLanes = static_cast<std::int64_t>(hn::MaxLanes(bytes));
  if (count < kLanes || channels > 4) {
    for (std::int64_t p = 0; p < count; ++p) {
      for (std::int64_t c = 0; c < channels; ++c) out[p * channels + c] = codes[c * stride + p];
    }
    return;
  }
  const auto channel = [&](std::int64_t c, std::int64_t p) { return hn::LoadU(bytes, codes + c * stride + p); };
  for (std::int64_t from = 0; from < count; from += kLanes) {
    const std::int64_t p = std::min(from, count - kLanes);  // the last vector overlaps the previous one
    std::int8_t* to = out + p * channels;
    if (channels == 2) hn::StoreInterleaved2(channel(0, p), channel(1, p), bytes, to);
    if (channels == 3) hn::StoreInterleaved3(channel(0, p), channel(1, p), channel(2, p), bytes, to);
    if (channels == 4) hn::StoreInterleaved4(channel(0, p), channel(1, p), channel(2, p), channel(3, p), bytes, to);
  }
}

/// Decodes samples whose channels are interleaved in the output: interleaves pieces as codes, then decodes them.
class InterleavingDecoder {
 public:
  explicit InterleavingDecoder(const GatherArgs& args)
      : args_(args), pixels_(std::min(args.pixels, pixels_of_tile(args.sample.channels))) {
    if (args.uniform_map) return;
    for (std::int64_t i = 0; i < pixels_ * args.sample.channels; ++i) {
      scales_[i] = args.maps[i % args.sample.channels].scale;
      shifts_[i] = args.maps[i % args.sample.channels].shift;
    }
  }

  template <typename Output>
  void decode(const std::int8_t* codes, const std::int8_t* next, Output& output) const {
    const std::int64_t C = args_.sample.channels, P = args_.pixels;
    alignas(64) std::int8_t tile[kMostChannels];
    for (std::int64_t p = 0; p < P; p += pixels_) {
      const std::int64_t count = std::min(pixels_, P - p);
      interleave(codes + p, P, C, count, next == nullptr ? nullptr : next + p, tile);
      const float* shifts = args_.uniform_map ? nullptr : shifts_;
      if (args_.pixel_shifts != nullptr) shifts = args_.pixel_shifts + p * C;
      output.append(Run{tile, count * C, args_.maps[0], args_.uniform_map ? nullptr : scales_, shifts, nullptr});
    }
  }

 private:
  /// About 1,024 values, which stay in the L1 cache with their maps; whole cache lines of each channel if possible.
  static std::int64_t pixels_of_tile(std::int64_t channels) {
    const std::int64_t pixels = 1024 / channels;
    return pixels >= kGroup ? pixels / kGroup * kGroup : std::max<std::int64_t>(1, pixels);
  }

  const GatherArgs& args_;
  std::int64_t pixels_;                      ///< pixels of a tile
  alignas(64) float scales_[kMostChannels];  ///< [pixels, C], if maps differ
  alignas(64) float shifts_[kMostChannels];
};

#endif  // HWY_NATIVE_FMA
}  // namespace HWY_NAMESPACE
}  // namespace octavo::kernels::cpu
HWY_AFTER_NAMESPACE();

#endif
