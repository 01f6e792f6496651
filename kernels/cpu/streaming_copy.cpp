#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/streaming_copy.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "kernels/cpu/streaming_copy.hpp"

HWY_BEFORE_NAMESPACE();
namespace octavo::kernels::cpu {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

void streaming_copy_here(void* to, const void* from, std::size_t bytes) {
  const hn::ScalableTag<std::uint8_t> tag;
  constexpr std::size_t kGroup = 4 * hn::MaxLanes(hn::ScalableTag<std::uint8_t>());
  auto* out = static_cast<std::uint8_t*>(to);
  const auto* in = static_cast<const std::uint8_t*>(from);
  // Copy up to the first aligned group of vectors.
  const std::size_t head = std::min(bytes, (kGroup - reinterpret_cast<std::uintptr_t>(to) % kGroup) % kGroup);
  std::memcpy(out, in, head);
  std::size_t i = head;
  for (; i + kGroup <= bytes; i += kGroup) {
#pragma GCC unroll 4
    for (std::size_t k = 0; k < kGroup; k += kGroup / 4) hn::Stream(hn::LoadU(tag, in + i + k), tag, out + i + k);
  }
  hwy::FlushStream();
  std::memcpy(out + i, in + i, bytes - i);
}

void streaming_fill_here(void* to, std::size_t bytes) {
  const hn::ScalableTag<std::uint32_t> tag;
  constexpr std::size_t kVector = 4 * hn::MaxLanes(tag);
  auto* out = static_cast<std::uint8_t*>(to);
  const std::size_t head = std::min(bytes, (kVector - reinterpret_cast<std::uintptr_t>(to) % kVector) % kVector);
  std::memset(out, 0, head);
  std::size_t i = head;
  const auto step = hn::Set(tag, static_cast<std::uint32_t>(hn::Lanes(tag)));
  auto numbers = hn::Iota(tag, 0);
  for (; i + kVector <= bytes; i += kVector, numbers = hn::Add(numbers, step)) {
    hn::Stream(numbers, tag, reinterpret_cast<std::uint32_t*>(out + i));
  }
  hwy::FlushStream();
  std::memset(out + i, 0, bytes - i);
}

}  // namespace HWY_NAMESPACE
}  // namespace octavo::kernels::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace octavo::kernels::cpu {

HWY_EXPORT(streaming_copy_here);
HWY_EXPORT(streaming_fill_here);

void streaming_copy(void* to, const void* from, std::size_t bytes) {
  HWY_DYNAMIC_DISPATCH(streaming_copy_here)(to, from, bytes);
}

void streaming_fill(void* to, std::size_t bytes) { HWY_DYNAMIC_DISPATCH(streaming_fill_here)(to, bytes); }

}  // namespace octavo::kernels::cpu
#endif
