// The order of samples: a keyed bijection on [0, N), evaluated position by position, without a table.
//
// An alternating unbalanced Feistel network over the mixed-radix domain [0, a) x [0, b), a * b >= N, with modular
// addition. Positions that leave [0, N) walk along their cycle until they return. The domain is hardly larger than N
// (a * b < N + a + b, a about sqrt(N)), so walks are rare. `a` is even, so that odd and even permutations both occur.
// Rounds, keys and mixing are fixed by docs/numerics.md, "Order 1", and by tests/golden/order.tsv.
#pragma once

#include <cstdint>

#include "kernels/host_device.hpp"
#include "kernels/intrinsics.hpp"

namespace octavo::kernels {

/// Rounds of the network. Each pair of rounds changes both halves; docs/numerics.md explains the number.
inline constexpr int kOrderRounds = 12;

/// The smallest radix. Smaller halves have too few round functions to mix well (measured at N = 5 to 7).
inline constexpr std::uint32_t kOrderSmallestRadix = 4;

/// The order of one epoch over N samples: everything `permute` needs, small enough for a kernel argument.
struct OrderKey {
  std::int64_t sample_count;  ///< N >= 1
  std::uint32_t high_radix;   ///< a: even, about sqrt(N)
  std::uint32_t low_radix;    ///< b: a * b >= N
  bool shuffled;              ///< false: file order
  std::uint64_t round_keys[kOrderRounds];
};

/// The finalizer of SplitMix64 (Steele, Lea, Flood 2014): converts a counter to round keys.
OCTAVO_HOST_DEVICE inline std::uint64_t splitmix64(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

/// Returns the smallest even a with a * a >= N. N < 2^63, so a fits in 32 bits.
OCTAVO_HOST_DEVICE inline std::uint32_t order_high_radix(std::int64_t sample_count) {
  const auto n = static_cast<std::uint64_t>(sample_count);
  std::uint64_t low = 1, high = std::uint64_t{1} << 32;  // low * low < n <= high * high, or n == 1
  while (high - low > 1) {
    const std::uint64_t middle = (low + high) / 2;
    if (middle * middle >= n)
      high = middle;
    else
      low = middle;
  }
  return static_cast<std::uint32_t>(high + (high & 1));
}

/// Returns the order of `epoch` under `seed` over `sample_count` >= 1 samples; file order if not `shuffled`.
OCTAVO_HOST_DEVICE inline OrderKey make_order_key(std::int64_t sample_count, std::uint64_t seed, std::uint64_t epoch,
                                                  bool shuffled) {
  OrderKey key{};
  key.sample_count = sample_count;
  key.high_radix = order_high_radix(sample_count);
  if (key.high_radix < kOrderSmallestRadix) key.high_radix = kOrderSmallestRadix;
  key.low_radix = static_cast<std::uint32_t>((sample_count - 1) / key.high_radix + 1);
  if (key.low_radix < kOrderSmallestRadix) key.low_radix = kOrderSmallestRadix;
  key.shuffled = shuffled;
  // Two finalizers in sequence distinguish (seed, epoch) from (seed + 1, epoch - 1).
  const std::uint64_t stream = splitmix64(splitmix64(seed + 0x9E3779B97F4A7C15u) ^ (epoch + 0xD1B54A32D192ED03u));
  for (int round = 0; round < kOrderRounds; ++round) {
    key.round_keys[round] = splitmix64(stream + 0x9E3779B97F4A7C15u * static_cast<std::uint64_t>(round + 1));
  }
  return key;
}

/// Returns 32 bits that depend on all of `half` and `round_key`. The high bits are mixed best.
OCTAVO_HOST_DEVICE inline std::uint32_t order_mix(std::uint32_t half, std::uint64_t round_key) {
  std::uint32_t h = (half ^ static_cast<std::uint32_t>(round_key)) * 0x85EBCA6Bu;
  h ^= h >> 15;
  h = (h + static_cast<std::uint32_t>(round_key >> 32)) * 0xC2B2AE35u;
  h ^= h >> 13;
  return h * 0x9E3779B1u;
}

/// Returns value + step modulo radix, for value and step below radix.
OCTAVO_HOST_DEVICE inline std::uint32_t add_modulo(std::uint32_t value, std::uint32_t step, std::uint32_t radix) {
  const std::uint32_t room = radix - step;
  return value >= room ? value - room : value + step;
}

/// One pass of `rounds` rounds over the whole domain a * b. Public for a test that shows the effect of too few rounds.
OCTAVO_HOST_DEVICE inline std::uint64_t permute_domain(const OrderKey& key, std::uint64_t value, int rounds) {
  auto high = static_cast<std::uint32_t>(value / key.low_radix);
  auto low = static_cast<std::uint32_t>(value % key.low_radix);
  for (int round = 0; round < rounds; round += 2) {
    high = add_modulo(high, multiply_high(order_mix(low, key.round_keys[round]), key.high_radix), key.high_radix);
    low = add_modulo(low, multiply_high(order_mix(high, key.round_keys[round + 1]), key.low_radix), key.low_radix);
  }
  return static_cast<std::uint64_t>(high) * key.low_radix + low;
}

/// Returns the sample at `position` of the epoch: a bijection of [0, N). `position` must be in [0, N).
OCTAVO_HOST_DEVICE inline std::int64_t permute(const OrderKey& key, std::int64_t position, int rounds = kOrderRounds) {
  if (!key.shuffled) return position;
  auto value = static_cast<std::uint64_t>(position);
  do {
    value = permute_domain(key, value, rounds);
  } while (value >= static_cast<std::uint64_t>(key.sample_count));
  return static_cast<std::int64_t>(value);
}

}  // namespace octavo::kernels
