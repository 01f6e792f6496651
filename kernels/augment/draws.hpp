// The random numbers of one view of a sample. They depend on the augmentation seed, the epoch, the index of the sample,
// the view and the slot of the operation, and on nothing else (docs/numerics.md, "Random draws").
#pragma once

#include <cstdint>

#include "kernels/augment/philox.hpp"
#include "kernels/host_device.hpp"

namespace octavo::kernels {

/// Selects the random numbers of one view of a sample.
struct DrawKey {
  std::uint64_t seed;
  std::uint64_t epoch;  ///< below 2^32
  std::int64_t index;   ///< of the sample in its split
  std::uint32_t view;   ///< below 256
};

/// Block `block` (below 256) of the random words of the operation in `slot` (below 2^16).
OCTAVO_HOST_DEVICE inline PhiloxWords draw(const DrawKey& key, std::uint32_t slot, std::uint32_t block) {
  const auto index = static_cast<std::uint64_t>(key.index);
  return philox4x32({{static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32),
                      static_cast<std::uint32_t>(key.epoch), key.view << 24 | slot << 8 | block}},
                    key.seed);
}

/// The fraction of a word, in [0, 1), exactly.
OCTAVO_HOST_DEVICE inline double fraction_of(std::uint32_t word) { return static_cast<double>(word) * 0x1p-32; }

/// The number in (0, 1) of two words, exactly: never 0, so that it has a logarithm.
OCTAVO_HOST_DEVICE inline double open_fraction_of(std::uint32_t high, std::uint32_t low) {
  const std::uint64_t word = static_cast<std::uint64_t>(high) << 32 | low;
  return (static_cast<double>(word >> 12) + 0.5) * 0x1p-52;
}

/// A number in [low, high): low + (high - low) * fraction, each operation rounded once.
OCTAVO_HOST_DEVICE inline double number_between(double low, double high, std::uint32_t word) {
  return low + (high - low) * fraction_of(word);
}

/// A whole number in [0, count), from the upper bits of the word. `count` is at least 1.
OCTAVO_HOST_DEVICE inline std::int32_t whole_number_below(std::int32_t count, std::uint32_t word) {
  return static_cast<std::int32_t>(multiply_high(word, static_cast<std::uint32_t>(count)));
}

}  // namespace octavo::kernels
