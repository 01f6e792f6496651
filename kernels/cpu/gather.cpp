// The gather with SIMD instructions, compiled once per instruction set and chosen at run time (Highway).
//
// What pays, as measured by bench/gather: one line of a sample some 3 KB ahead in the order is prefetched for every
// 64 values converted, and batches larger than the cache are stored past it.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/gather.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>

#include "cpu/decode_run.hpp"
#include "cpu/floating_point_mode.hpp"
#include "cpu/gather.hpp"
#include "cpu/row_window.hpp"

HWY_BEFORE_NAMESPACE();
namespace octavo::kernels::cpu {
namespace HWY_NAMESPACE {

// Highway's MulAdd is two roundings where the processor has no fused one; such targets take the portable path.
#if HWY_NATIVE_FMA

namespace hn = hwy::HWY_NAMESPACE;
using Floats = hn::ScalableTag<float>;
using FloatVector = hn::Vec<Floats>;

/// Values converted between two prefetches: one cache line of codes.
constexpr std::int64_t kGroup = 64;

inline FloatVector decode_vector(const std::int8_t* codes, FloatVector scale, FloatVector shift) {
  const hn::Rebind<std::int8_t, Floats> bytes;
  const hn::Rebind<std::int32_t, Floats> words;
  return hn::MulAdd(hn::ConvertTo(Floats(), hn::PromoteTo(words, hn::LoadU(bytes, codes))), scale, shift);
}

/// Stores `vector` to `out`; with kStream, which wants `out` aligned to a vector, past the cache.
template <bool kStream, typename Tag, typename T>
inline void store(hn::Vec<Tag> vector, Tag tag, T* out) {
  if constexpr (kStream)
    hn::Stream(vector, tag, out);
  else
    hn::StoreU(vector, tag, out);
}

/// bfloat16 bits of finite or infinite floats, each in the low half of a word: round to nearest, ties to even.
inline hn::Vec<hn::Rebind<std::int32_t, Floats>> bfloat16_words(FloatVector values) {
  const hn::Rebind<std::uint32_t, Floats> words;
  const auto bits = hn::BitCast(words, values);
  const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(words, 1u));
  const auto rounded = hn::ShiftRight<16>(hn::Add(hn::Add(bits, hn::Set(words, 0x7FFFu)), odd));
  return hn::BitCast(hn::Rebind<std::int32_t, Floats>(), rounded);
}

inline hn::Vec<hn::Rebind<std::uint16_t, Floats>> half_bits(Float16, FloatVector values) {
  const hn::Rebind<hwy::float16_t, Floats> halves;
  return hn::BitCast(hn::Rebind<std::uint16_t, Floats>(), hn::DemoteTo(halves, values));
}
inline hn::Vec<hn::Rebind<std::uint16_t, Floats>> half_bits(BFloat16, FloatVector values) {
  return hn::DemoteTo(hn::Rebind<std::uint16_t, Floats>(), bfloat16_words(values));
}

/// One step of a run from `i` on: as many values as make a whole vector of output.
template <bool kStream, bool kHasShifts>
inline void decode_step(const Run<float>& run, std::int64_t i, FloatVector scale, FloatVector shift) {
  const Floats tag;
  if constexpr (kHasShifts) shift = hn::LoadU(tag, run.shifts + i);
  store<kStream>(decode_vector(run.codes + i, scale, shift), tag, run.out + i);
}
template <bool kStream, bool kHasShifts, typename Half>
inline void decode_step(const Run<Half>& run, std::int64_t i, FloatVector scale, FloatVector shift) {
  const Floats tag;
  const hn::ScalableTag<std::uint16_t> halves;
  constexpr auto kLanes = static_cast<std::int64_t>(hn::MaxLanes(Floats()));
  if constexpr (kHasShifts) shift = hn::LoadU(tag, run.shifts + i);
  const auto low = half_bits(Half{}, decode_vector(run.codes + i, scale, shift));
  if constexpr (kHasShifts) shift = hn::LoadU(tag, run.shifts + i + kLanes);
  const auto high = half_bits(Half{}, decode_vector(run.codes + i + kLanes, scale, shift));
  store<kStream>(hn::Combine(halves, high, low), halves, &run.out[i].bits);
}

/// Values of a step.
template <typename Value>
inline constexpr std::int64_t kStep = static_cast<std::int64_t>(hn::MaxLanes(Floats()) * sizeof(float) / sizeof(Value));

/// Values before `out` is aligned to a vector, which streaming stores want; at most `count`.
template <typename Value>
inline std::int64_t values_to_alignment(const Value* out, std::int64_t count) {
  constexpr std::uintptr_t kBytes = hn::MaxLanes(Floats()) * sizeof(float);
  const std::uintptr_t beyond = reinterpret_cast<std::uintptr_t>(out) % kBytes;
  return std::min(count, static_cast<std::int64_t>(beyond == 0 ? 0 : (kBytes - beyond) / sizeof(Value)));
}

template <bool kStream, bool kHasShifts, typename Value>
void decode_run_as(const Run<Value>& run) {
  const Floats tag;
  const FloatVector scale = hn::Set(tag, run.map.scale);
  const FloatVector shift = hn::Set(tag, run.map.shift);
  std::int64_t i = kStream ? values_to_alignment(run.out, run.count) : 0;
  decode_run_scalar(run, 0, i);
  for (; i + kGroup <= run.count; i += kGroup) {
    if (run.prefetch != nullptr) hwy::Prefetch(run.prefetch + i);
#pragma GCC unroll 8
    for (std::int64_t k = 0; k < kGroup; k += kStep<Value>) decode_step<kStream, kHasShifts>(run, i + k, scale, shift);
  }
  if (run.prefetch != nullptr && i < run.count) hwy::Prefetch(run.prefetch + i);
  for (; i + kStep<Value> <= run.count; i += kStep<Value>) decode_step<kStream, kHasShifts>(run, i, scale, shift);
  decode_run_scalar(run, i, run.count);
}

template <typename Value>
void decode_run(const Run<Value>& run, Stores stores) {
  const bool stream = stores == Stores::streaming;
  if (run.shifts == nullptr) return stream ? decode_run_as<true, false>(run) : decode_run_as<false, false>(run);
  return stream ? decode_run_as<true, true>(run) : decode_run_as<false, true>(run);
}

/// A sample whose output keeps the order of its codes.
template <typename Value>
void decode_sample(const GatherArgs& args, const std::int8_t* codes, const std::int8_t* next, Value* out,
                   Stores stores) {
  const std::int64_t runs = is_one_run(args) ? 1 : args.channel_count;
  const std::int64_t count = args.channel_count * args.values_per_channel / runs;
  for (std::int64_t c = 0; c < runs; ++c) {
    const std::int64_t start = c * count;
    decode_run(Run<Value>{codes + start, out + start, count, args.maps[args.uniform_map ? 0 : c],
                          args.pixel_shifts == nullptr ? nullptr : args.pixel_shifts + start,
                          next == nullptr ? nullptr : next + start},
               stores);
  }
}

/// A sample whose channels are interleaved in the output: pieces of each channel are decoded into a small planar tile
/// that stays in the first cache level, then woven together.
template <typename Value>
void decode_sample_interleaved(const GatherArgs& args, const std::int8_t* codes, const std::int8_t* next, Value* out) {
  constexpr std::int64_t kTileValues = 2048;
  const std::int64_t C = args.channel_count, P = args.values_per_channel;
  alignas(64) Value tile[kTileValues];
  const std::int64_t channels_at_once = std::min<std::int64_t>(C, kTileValues / kGroup);
  const std::int64_t width = std::min(P, kTileValues / channels_at_once / kGroup * kGroup);
  for (std::int64_t c0 = 0; c0 < C; c0 += channels_at_once) {
    const std::int64_t channels = std::min(channels_at_once, C - c0);
    for (std::int64_t p0 = 0; p0 < P; p0 += width) {
      const std::int64_t count = std::min(width, P - p0);
      for (std::int64_t c = 0; c < channels; ++c) {
        const std::int64_t start = (c0 + c) * P + p0;
        decode_run(Run<Value>{codes + start, tile + c * width, count, args.maps[args.uniform_map ? 0 : c0 + c],
                              args.pixel_shifts == nullptr ? nullptr : args.pixel_shifts + start,
                              next == nullptr ? nullptr : next + start},
                   Stores::cached);
      }
      for (std::int64_t p = 0; p < count; ++p) {
        for (std::int64_t c = 0; c < channels; ++c) out[(p0 + p) * C + c0 + c] = tile[c * width + p];
      }
    }
  }
}

template <typename Value>
void gather_as(const GatherArgs& args, std::int64_t first, std::int64_t last, Stores stores) {
  const std::int64_t value_count = args.channel_count * args.values_per_channel;
  // Samples to look ahead: about 3 KB, at least one. Long samples keep the hardware's own prefetcher busy instead.
  const std::int64_t ahead = std::clamp<std::int64_t>(3072 / value_count, 1, RowWindow::kLookAhead);
  const bool prefetches = value_count <= 16384;
  RowWindow window(args.selection, first, last);
  for (std::int64_t b = first; b < last; ++b) {
    const std::int64_t next_row = prefetches && b + ahead < last ? window.row(b + ahead) : -1;
    const std::int64_t row = window.row(b);
    Value* out = static_cast<Value*>(args.values) + b * value_count;
    if (row < 0) {
      std::fill_n(out, value_count, Value{});
      __atomic_store_n(args.error_slot, 1u, __ATOMIC_RELAXED);
    } else {
      const std::int8_t* codes = args.codes + row * args.row_stride_bytes;
      const std::int8_t* next = next_row < 0 ? nullptr : args.codes + next_row * args.row_stride_bytes;
      if (keeps_order(args))
        decode_sample(args, codes, next, out, stores);
      else
        decode_sample_interleaved(args, codes, next, out);
    }
    if (args.out_labels == nullptr) continue;
    for (std::int64_t word = 0; word < args.label_words; ++word) copy_label_word(args, row, b, word);
  }
  if (stores == Stores::streaming) hwy::FlushStream();
}

void gather_here(const GatherArgs& args, std::int64_t first, std::int64_t last, Stores stores) {
  switch (args.value_type) {
    case ValueType::float32:
      return gather_as<float>(args, first, last, stores);
    case ValueType::float16:
      return gather_as<Float16>(args, first, last, stores);
    case ValueType::bfloat16:
      return gather_as<BFloat16>(args, first, last, stores);
  }
}
const char* name_here() { return hwy::TargetName(HWY_TARGET); }

#else

void gather_here(const GatherArgs& args, std::int64_t first, std::int64_t last, Stores) {
  gather_portable(args, first, last);
}
const char* name_here() { return "portable"; }

#endif

}  // namespace HWY_NAMESPACE
}  // namespace octavo::kernels::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace octavo::kernels::cpu {

HWY_EXPORT(gather_here);
HWY_EXPORT(name_here);

void gather(const GatherArgs& args, std::int64_t first, std::int64_t last, Stores stores) {
  const DefaultFloatingPointMode mode;
  HWY_DYNAMIC_DISPATCH(gather_here)(args, first, last, stores);
}

const char* gather_target_name() { return HWY_DYNAMIC_DISPATCH(name_here)(); }

}  // namespace octavo::kernels::cpu
#endif
