// The order of samples with SIMD instructions, compiled once per instruction set and chosen at run time (Highway).
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/permute.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "cpu/permute.hpp"

HWY_BEFORE_NAMESPACE();
namespace octavo::kernels::cpu {
namespace HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR

namespace hn = hwy::HWY_NAMESPACE;
using Words = hn::ScalableTag<std::uint32_t>;
using WordVector = hn::Vec<Words>;

/// The upper halves of the 64-bit products of all lanes.
inline WordVector multiply_high(WordVector a, WordVector b) {
  const hn::ScalableTag<std::uint64_t> pairs;
  const Words words;
  const auto even = hn::ShiftRight<32>(hn::MulEven(a, b));
  const auto odd = hn::MulEven(hn::BitCast(words, hn::ShiftRight<32>(hn::BitCast(pairs, a))),
                               hn::BitCast(words, hn::ShiftRight<32>(hn::BitCast(pairs, b))));
  return hn::BitCast(words, hn::OddEven(hn::BitCast(words, odd), hn::BitCast(words, even)));
}

/// order_mix() of all lanes.
inline WordVector order_mix(WordVector half, std::uint64_t round_key) {
  const Words words;
  WordVector h =
      hn::Mul(hn::Xor(half, hn::Set(words, static_cast<std::uint32_t>(round_key))), hn::Set(words, 0x85EBCA6Bu));
  h = hn::Xor(h, hn::ShiftRight<15>(h));
  h = hn::Mul(hn::Add(h, hn::Set(words, static_cast<std::uint32_t>(round_key >> 32))), hn::Set(words, 0xC2B2AE35u));
  h = hn::Xor(h, hn::ShiftRight<13>(h));
  return hn::Mul(h, hn::Set(words, 0x9E3779B1u));
}

/// add_modulo() of all lanes: value - (radix - step) wraps to a large number exactly when the sum is below the radix.
inline WordVector add_modulo(WordVector value, WordVector step, WordVector radix) {
  const WordVector wrapped = hn::Sub(value, hn::Sub(radix, step));
  return hn::Min(wrapped, hn::Add(value, step));
}

/// As many positions as a vector has lanes.
void permute_vector(const OrderKey& key, const std::int64_t first_position, std::int64_t* out) {
  const Words words;
  constexpr std::size_t kLanes = hn::MaxLanes(Words());
  alignas(64) std::uint32_t high_lanes[kLanes], low_lanes[kLanes];
  // One division for the first position; its neighbours follow by counting.
  auto high_digit = static_cast<std::uint32_t>(static_cast<std::uint64_t>(first_position) / key.low_radix);
  auto low_digit = static_cast<std::uint32_t>(static_cast<std::uint64_t>(first_position) % key.low_radix);
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    high_lanes[lane] = high_digit;
    low_lanes[lane] = low_digit;
    if (++low_digit == key.low_radix) {
      low_digit = 0;
      ++high_digit;
    }
  }
  const WordVector high_radix = hn::Set(words, key.high_radix), low_radix = hn::Set(words, key.low_radix);
  WordVector high = hn::Load(words, high_lanes), low = hn::Load(words, low_lanes);
  for (int round = 0; round < kOrderRounds; round += 2) {
    high = add_modulo(high, multiply_high(order_mix(low, key.round_keys[round]), high_radix), high_radix);
    low = add_modulo(low, multiply_high(order_mix(high, key.round_keys[round + 1]), low_radix), low_radix);
  }
  hn::Store(high, words, high_lanes);
  hn::Store(low, words, low_lanes);
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    const std::uint64_t value = static_cast<std::uint64_t>(high_lanes[lane]) * key.low_radix + low_lanes[lane];
    // A position that left [0, N) walks on by itself; about one in the square root of N does.
    out[lane] = value < static_cast<std::uint64_t>(key.sample_count)
                    ? static_cast<std::int64_t>(value)
                    : permute(key, first_position + static_cast<std::int64_t>(lane));
  }
}

void permute_range_here(const OrderKey& key, std::int64_t first_position, std::int64_t count, std::int64_t* out) {
  constexpr auto kLanes = static_cast<std::int64_t>(hn::MaxLanes(Words()));
  std::int64_t i = 0;
  // Radices of 2^31 and more (N beyond 2^62) could wrap in add_modulo's Min.
  if (key.shuffled && key.high_radix < (1u << 31)) {
    for (; i + kLanes <= count; i += kLanes) permute_vector(key, first_position + i, out + i);
  }
  for (; i < count; ++i) out[i] = permute(key, first_position + i);
}

#else

void permute_range_here(const OrderKey& key, std::int64_t first_position, std::int64_t count, std::int64_t* out) {
  for (std::int64_t i = 0; i < count; ++i) out[i] = permute(key, first_position + i);
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace octavo::kernels::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace octavo::kernels::cpu {

HWY_EXPORT(permute_range_here);

void permute_range(const OrderKey& key, std::int64_t first_position, std::int64_t count, std::int64_t* out) {
  HWY_DYNAMIC_DISPATCH(permute_range_here)(key, first_position, count, out);
}

}  // namespace octavo::kernels::cpu
#endif
