// The order of samples with SIMD instructions, compiled once per instruction set and chosen at run time (Highway).
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/permute.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/cpu/permute.hpp"

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

/// Vectors processed together. A round is a chain of dependent multiplications; the other vectors fill its gaps.
constexpr std::size_t kVectors = 4;
constexpr std::size_t kPositions = kVectors * hn::MaxLanes(Words());

/// From 1/8 of a block of positions on, computing the whole block is faster than single positions.
constexpr std::int64_t kWorthwhileShare = 8;

/// Computes kPositions positions together.
void permute_block(const OrderKey& key, const std::int64_t first_position, std::int64_t* out) {
  const Words words;
  constexpr std::size_t kLanes = hn::MaxLanes(Words());
  alignas(64) std::uint32_t high_lanes[kPositions], low_lanes[kPositions];
  // One division for the first position; the others follow by counting.
  auto high_digit = static_cast<std::uint32_t>(static_cast<std::uint64_t>(first_position) / key.low_radix);
  auto low_digit = static_cast<std::uint32_t>(static_cast<std::uint64_t>(first_position) % key.low_radix);
  for (std::size_t i = 0; i < kPositions; ++i) {
    high_lanes[i] = high_digit;
    low_lanes[i] = low_digit;
    if (++low_digit == key.low_radix) {
      low_digit = 0;
      ++high_digit;
    }
  }
  const WordVector high_radix = hn::Set(words, key.high_radix), low_radix = hn::Set(words, key.low_radix);
  WordVector high[kVectors], low[kVectors];
  for (std::size_t v = 0; v < kVectors; ++v) {
    high[v] = hn::Load(words, high_lanes + v * kLanes);
    low[v] = hn::Load(words, low_lanes + v * kLanes);
  }
  for (int round = 0; round < kOrderRounds; round += 2) {
#pragma GCC unroll 4
    for (std::size_t v = 0; v < kVectors; ++v) {
      high[v] = add_modulo(high[v], multiply_high(order_mix(low[v], key.round_keys[round]), high_radix), high_radix);
    }
#pragma GCC unroll 4
    for (std::size_t v = 0; v < kVectors; ++v) {
      low[v] = add_modulo(low[v], multiply_high(order_mix(high[v], key.round_keys[round + 1]), low_radix), low_radix);
    }
  }
  for (std::size_t v = 0; v < kVectors; ++v) {
    hn::Store(high[v], words, high_lanes + v * kLanes);
    hn::Store(low[v], words, low_lanes + v * kLanes);
  }
  for (std::size_t i = 0; i < kPositions; ++i) {
    const std::uint64_t value = static_cast<std::uint64_t>(high_lanes[i]) * key.low_radix + low_lanes[i];
    // Positions that left [0, N) walk on individually: about one in sqrt(N).
    out[i] = value < static_cast<std::uint64_t>(key.sample_count)
                 ? static_cast<std::int64_t>(value)
                 : permute(key, first_position + static_cast<std::int64_t>(i));
  }
}

void permute_range_here(const OrderKey& key, std::int64_t first_position, std::int64_t count, std::int64_t* out) {
  constexpr auto kBlock = static_cast<std::int64_t>(kPositions);
  std::int64_t i = 0;
  // Radices of 2^31 and more (N beyond 2^62) could wrap in add_modulo's Min.
  if (key.shuffled && key.high_radix < (1u << 31)) {
    for (; i + kBlock <= count; i += kBlock) permute_block(key, first_position + i, out + i);
    // A large enough remainder is computed as a whole block, and the end is discarded.
    if (count - i > kBlock / kWorthwhileShare && key.sample_count - first_position - i >= kBlock) {
      std::int64_t block[kPositions];
      permute_block(key, first_position + i, block);
      for (std::int64_t k = 0; i < count; ++k, ++i) out[i] = block[k];
    }
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
