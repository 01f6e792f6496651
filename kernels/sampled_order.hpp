// The sample at each position of an epoch that does not show every sample of a split once: some samples, samples with
// probabilities, or groups that take turns (docs/numerics.md, "Sampling").
#pragma once

#include <cstdint>

#include "kernels/augment/draws.hpp"
#include "kernels/augment/program.hpp"
#include "kernels/host_device.hpp"
#include "kernels/permute.hpp"

namespace octavo::kernels {

/// The slot of the random numbers of samples with weights: kind 27.
inline constexpr std::uint32_t kSamplingSlot = 27 * kMostOfOneKind;

/// A bucket of an alias table, which draws numbers with given probabilities in constant time (A. J. Walker, 1977).
struct AliasBucket {
  double share;        ///< of the bucket's own number
  std::int64_t other;  ///< the number that has the rest
};

/// How the samples at the positions of an epoch are chosen. Borrowed pointers, in memory of the reader.
struct SampledOrder {
  std::uint64_t seed;
  bool shuffled;
  std::int64_t choice_count;    ///< n: samples to choose from
  std::int64_t position_count;  ///< of an epoch, `repeats` included
  std::int64_t repeats;         ///< consecutive positions that show the same sample
  bool draws_by_position;       ///< random numbers belong to positions, since samples may be shown several times
  const std::int64_t* indices;  ///< [n] the sample of each choice; null: equal to the choice
  const AliasBucket* buckets;   ///< [n] of choices drawn with weights; or null
  /// The choices of the groups that take turns, one group after another, [n], and where each begins, [group_count + 1];
  /// or null.
  const std::int64_t *members, *group_starts;
  std::int64_t group_count;
};

/// The order of all choices in `epoch`.
OCTAVO_HOST_DEVICE inline OrderKey choice_key(const SampledOrder& order, std::int64_t epoch) {
  return make_order_key(order.choice_count, order.seed, static_cast<std::uint64_t>(epoch), order.shuffled);
}

/// A seed of its own for part `part` of an order; docs/numerics.md, "Order 1".
OCTAVO_HOST_DEVICE inline std::uint64_t seed_of_part(std::uint64_t seed, std::int64_t part) {
  return splitmix64(seed ^ splitmix64(static_cast<std::uint64_t>(part) + 1));
}

namespace detail {

/// floor((high * 2^32 + low) * n / 2^64), in steps of 64 bits.
OCTAVO_HOST_DEVICE inline std::int64_t bucket_of(std::uint64_t high, std::uint64_t low, std::uint64_t n) {
  const std::uint64_t n_low = n & 0xFFFFFFFFu, n_high = n >> 32;
  const std::uint64_t middle = high * n_low, upper = low * n_high;
  const std::uint64_t carry = ((low * n_low >> 32) + (middle & 0xFFFFFFFFu) + (upper & 0xFFFFFFFFu)) >> 32;
  return static_cast<std::int64_t>(high * n_high + (middle >> 32) + (upper >> 32) + carry);
}

OCTAVO_HOST_DEVICE inline std::int64_t weighted_choice(const SampledOrder& order, std::int64_t epoch,
                                                       std::int64_t place) {
  const PhiloxWords words = draw({order.seed, static_cast<std::uint64_t>(epoch), place, 0}, kSamplingSlot, 0);
  const std::int64_t bucket = bucket_of(words.word[0], words.word[1], static_cast<std::uint64_t>(order.choice_count));
  const AliasBucket& found = order.buckets[bucket];
  return fraction_of(words.word[2]) < found.share ? bucket : found.other;
}

OCTAVO_HOST_DEVICE inline std::int64_t grouped_choice(const SampledOrder& order, std::int64_t epoch,
                                                      std::int64_t place) {
  const std::int64_t group = place % order.group_count, turn = place / order.group_count;
  const std::int64_t start = order.group_starts[group], count = order.group_starts[group + 1] - start;
  // A group that is shown several times in an epoch has another order each time.
  const std::uint64_t seed = seed_of_part(seed_of_part(order.seed, group), turn / count);
  const OrderKey key = make_order_key(count, seed, static_cast<std::uint64_t>(epoch), order.shuffled);
  return order.members[start + permute(key, turn % count)];
}

}  // namespace detail

/// The row at `position` of `epoch`; `key` is choice_key() of the epoch, because making one takes longer than using it.
OCTAVO_HOST_DEVICE inline std::int64_t sampled_row(const SampledOrder& order, const OrderKey& key, std::int64_t epoch,
                                                   std::int64_t position) {
  const std::int64_t place = position / order.repeats;
  const std::int64_t choice = order.buckets != nullptr   ? detail::weighted_choice(order, epoch, place)
                              : order.members != nullptr ? detail::grouped_choice(order, epoch, place)
                                                         : permute(key, place);
  return order.indices == nullptr ? choice : order.indices[choice];
}

}  // namespace octavo::kernels
