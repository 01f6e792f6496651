// Philox4x32-10, a counter-based random number generator: Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as
// easy as 1, 2, 3" (SC 2011). The words at a counter depend on nothing but the counter and the key.
#pragma once

#include <cstdint>

#include "kernels/host_device.hpp"
#include "kernels/intrinsics.hpp"

namespace octavo::kernels {

/// Four words: a counter, or the random words at a counter.
struct PhiloxWords {
  std::uint32_t word[4];
};

/// The random words at `counter`, under a key of 64 bits.
OCTAVO_HOST_DEVICE inline PhiloxWords philox4x32(PhiloxWords counter, std::uint64_t key) {
  auto low_key = static_cast<std::uint32_t>(key), high_key = static_cast<std::uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    constexpr std::uint32_t kFirst = 0xD2511F53u, kSecond = 0xCD9E8D57u;
    const std::uint32_t first = counter.word[0], second = counter.word[2];
    counter = {{multiply_high(kSecond, second) ^ counter.word[1] ^ low_key, kSecond * second,
                multiply_high(kFirst, first) ^ counter.word[3] ^ high_key, kFirst * first}};
    low_key += 0x9E3779B9u;
    high_key += 0xBB67AE85u;
  }
  return counter;
}

}  // namespace octavo::kernels
