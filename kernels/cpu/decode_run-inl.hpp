// Decodes a run with SIMD instructions. A per-target part of gather.cpp (Highway), hence the special include guard.
#if defined(OCTAVO_KERNELS_CPU_DECODE_RUN_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef OCTAVO_KERNELS_CPU_DECODE_RUN_INL_HPP
#undef OCTAVO_KERNELS_CPU_DECODE_RUN_INL_HPP
#else
#define OCTAVO_KERNELS_CPU_DECODE_RUN_INL_HPP
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <cstdint>

#include "kernels/cpu/decode_run.hpp"

HWY_BEFORE_NAMESPACE();
namespace octavo::kernels::cpu {
namespace HWY_NAMESPACE {
#if HWY_NATIVE_FMA
namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using FloatVector = hn::Vec<Floats>;

/// Values converted between two prefetches: one cache line of codes.
constexpr std::int64_t kGroup = 64;

/// Values of a step: one whole vector of output.
template <typename Value>
inline constexpr std::int64_t kStep = static_cast<std::int64_t>(hn::MaxLanes(Floats()) * sizeof(float) / sizeof(Value));

/// Prefetches a line of codes into the L2 cache. The buffers that fill the L1 cache are busy with stores.
inline void prefetch(const std::int8_t* codes) { __builtin_prefetch(codes, 0, 2); }

/// Which parts of the map differ between the values of a Run.
enum class Maps { one, own_shifts, own_scales_and_shifts };

using Halves = hn::ScalableTag<std::uint16_t>;
using HalfVector = hn::Vec<Halves>;

/// Returns words whose upper halves are `values` as bfloat16, rounded to nearest, ties to even. `values` must not be
/// NaN.
inline HalfVector bfloat16_words(FloatVector values) {
  const hn::Rebind<std::uint32_t, Floats> words;
  const auto bits = hn::BitCast(words, values);
  const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(words, 1u));
  return hn::BitCast(Halves(), hn::Add(hn::Add(bits, hn::Set(words, 0x7FFFu)), odd));
}

/// Converts two vectors of values to one vector of half-precision bits.
inline HalfVector half_bits(BFloat16, FloatVector low, FloatVector high) {
  return hn::ConcatOdd(Halves(), bfloat16_words(high), bfloat16_words(low));
}
inline HalfVector half_bits(Float16, FloatVector low, FloatVector high) {
  const hn::Rebind<hwy::float16_t, Floats> narrow;
  const hn::Rebind<std::uint16_t, Floats> bits;
  return hn::Combine(Halves(), hn::BitCast(bits, hn::DemoteTo(narrow, high)),
                     hn::BitCast(bits, hn::DemoteTo(narrow, low)));
}

/// Scale and shift, in all lanes.
struct MapVectors {
  FloatVector scale, shift;
};

/// Decodes the vector of codes that starts at index `i` of the run.
template <Maps kMaps>
inline FloatVector decode_vector(const Run& run, std::int64_t i, MapVectors map) {
  const Floats floats;
  const hn::Rebind<std::int8_t, Floats> bytes;
  const hn::Rebind<std::int32_t, Floats> words;
  if constexpr (kMaps != Maps::one) map.shift = hn::LoadU(floats, run.shifts + i);
  if constexpr (kMaps == Maps::own_scales_and_shifts) map.scale = hn::LoadU(floats, run.scales + i);
  const auto codes = hn::PromoteTo(words, hn::LoadU(bytes, run.codes + i));
  return hn::MulAdd(hn::ConvertTo(floats, codes), map.scale, map.shift);
}

/// Stores `vector` to `out`. With kStream, the store bypasses the cache and `out` must be aligned to a vector.
template <bool kStream, typename Tag, typename T>
inline void store(hn::Vec<Tag> vector, Tag tag, T* out) {
  if constexpr (kStream)
    hn::Stream(vector, tag, out);
  else
    hn::StoreU(vector, tag, out);
}

/// Number of values up to the first address that is aligned to a vector; less than a vector has.
template <typename Value>
inline std::int64_t values_to_alignment(const Value* out) {
  const auto beyond = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(out) / sizeof(Value)) % kStep<Value>;
  return beyond == 0 ? 0 : kStep<Value> - beyond;
}

template <Maps kMaps, bool kStream>
inline void decode_step(const Run& run, std::int64_t i, MapVectors map, float* out) {
  store<kStream>(decode_vector<kMaps>(run, i, map), Floats(), out + i);
}
template <Maps kMaps, bool kStream, typename Half>
inline void decode_step(const Run& run, std::int64_t i, MapVectors map, Half* out) {
  const FloatVector low = decode_vector<kMaps>(run, i, map), high = decode_vector<kMaps>(run, i + kStep<float>, map);
  store<kStream>(half_bits(Half{}, low, high), Halves(), &out[i].bits);
}

template <Maps kMaps, bool kStream, typename Value>
inline void decode_run_as(const Run& run, Value* out) {
  if (run.count < kStep<Value>) return decode_run_scalar(run, out);
  const MapVectors map{hn::Set(Floats(), run.map.scale), hn::Set(Floats(), run.map.shift)};
  std::int64_t i = 0;
  if constexpr (!kStream) {
    // A store that crosses a cache line takes twice as long. So only the first store is unaligned; it overlaps the
    // next.
    i = values_to_alignment(out);
    if (i != 0) decode_step<kMaps, false>(run, 0, map, out);
  }
  for (; i + kGroup <= run.count; i += kGroup) {
    if (run.prefetch != nullptr) prefetch(run.prefetch + i);
#pragma GCC unroll 8
    for (std::int64_t k = 0; k < kGroup; k += kStep<Value>) decode_step<kMaps, kStream>(run, i + k, map, out);
  }
  if (run.prefetch != nullptr && i < run.count) prefetch(run.prefetch + i);
  for (; i + kStep<Value> <= run.count; i += kStep<Value>) decode_step<kMaps, kStream>(run, i, map, out);
  // The remainder also uses a whole vector, which overlaps values that are already stored.
  if (i < run.count) decode_step<kMaps, false>(run, run.count - kStep<Value>, map, out);
}

/// Decodes a run to `out`. With kStream, stores bypass the cache; `out` must be aligned to a vector and `count` a
/// multiple of kStep.
template <bool kStream, typename Value>
void decode_run(const Run& run, Value* out) {
  if (run.scales != nullptr) return decode_run_as<Maps::own_scales_and_shifts, kStream>(run, out);
  if (run.shifts != nullptr) return decode_run_as<Maps::own_shifts, kStream>(run, out);
  return decode_run_as<Maps::one, kStream>(run, out);
}

#endif  // HWY_NATIVE_FMA
}  // namespace HWY_NAMESPACE
}  // namespace octavo::kernels::cpu
HWY_AFTER_NAMESPACE();

#endif
