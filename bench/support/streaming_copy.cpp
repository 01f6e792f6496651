#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "support/streaming_copy.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "support/streaming_copy.hpp"

HWY_BEFORE_NAMESPACE();
namespace octavo::bench {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Bytes = hn::ScalableTag<std::uint8_t>;

void copy_here(std::byte* to, const std::byte* from, std::size_t bytes) {
  const Bytes tag;
  constexpr std::size_t kLanes = hn::MaxLanes(Bytes());
  auto* out = reinterpret_cast<std::uint8_t*>(to);
  const auto* in = reinterpret_cast<const std::uint8_t*>(from);
  for (std::size_t i = 0; i + 4 * kLanes <= bytes; i += 4 * kLanes) {
    const auto a = hn::Load(tag, in + i), b = hn::Load(tag, in + i + kLanes);
    const auto c = hn::Load(tag, in + i + 2 * kLanes), d = hn::Load(tag, in + i + 3 * kLanes);
    hn::Stream(a, tag, out + i);
    hn::Stream(b, tag, out + i + kLanes);
    hn::Stream(c, tag, out + i + 2 * kLanes);
    hn::Stream(d, tag, out + i + 3 * kLanes);
  }
  hwy::FlushStream();
}

void fill_here(std::byte* to, std::size_t bytes) {
  const Bytes tag;
  constexpr std::size_t kLanes = hn::MaxLanes(Bytes());
  const auto value = hn::Set(tag, std::uint8_t{3});
  for (std::size_t i = 0; i + kLanes <= bytes; i += kLanes)
    hn::Stream(value, tag, reinterpret_cast<std::uint8_t*>(to) + i);
  hwy::FlushStream();
}

}  // namespace HWY_NAMESPACE
}  // namespace octavo::bench
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace octavo::bench {

HWY_EXPORT(copy_here);
HWY_EXPORT(fill_here);

void streaming_copy(std::byte* to, const std::byte* from, std::size_t bytes) {
  HWY_DYNAMIC_DISPATCH(copy_here)(to, from, bytes);
}
void streaming_fill(std::byte* to, std::size_t bytes) { HWY_DYNAMIC_DISPATCH(fill_here)(to, bytes); }

}  // namespace octavo::bench
#endif
