#include "loader/sampler.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include <octavo/errors.hpp>

#include "kernels/augment/draws.hpp"
#include "kernels/augment/exact_math.hpp"
#include "kernels/augment/program.hpp"
#include "kernels/permute.hpp"

namespace octavo::loader {
namespace {

/// The slot of draws with weights: kind 27.
constexpr std::uint32_t kSamplingSlot = 27 * kernels::kMostOfOneKind;
constexpr std::int64_t kMostPositions = std::int64_t{1} << 40;

[[noreturn]] void refuse_sampling(const std::string& why) { throw InvalidArgument("sampling: " + why); }

std::int64_t place_in_order(std::int64_t count, std::uint64_t seed, std::int64_t epoch, bool shuffled,
                            std::int64_t at) {
  return kernels::permute(kernels::make_order_key(count, seed, static_cast<std::uint64_t>(epoch), shuffled), at);
}

/// A seed of its own for part `part` of an order; docs/numerics.md, "Order 1".
std::uint64_t seed_of_part(std::uint64_t seed, std::int64_t part) {
  return kernels::splitmix64(seed ^ kernels::splitmix64(static_cast<std::uint64_t>(part) + 1));
}

void check_indices(const std::vector<std::int64_t>& indices, std::int64_t sample_count) {
  std::vector<std::int64_t> sorted = indices;
  std::sort(sorted.begin(), sorted.end());
  if (!sorted.empty() && (sorted.front() < 0 || sorted.back() >= sample_count)) {
    refuse_sampling("index " + std::to_string(sorted.front() < 0 ? sorted.front() : sorted.back()) +
                    " does not exist; there are " + std::to_string(sample_count) + " samples");
  }
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end())
    refuse_sampling("index " + std::to_string(*twice) + " is given twice; use weights to show it more often");
}

void check_weights(const std::vector<double>& weights, std::int64_t choice_count) {
  if (static_cast<std::int64_t>(weights.size()) != choice_count) {
    refuse_sampling(std::to_string(weights.size()) + " weights for " + std::to_string(choice_count) + " samples");
  }
  double sum = 0.0;
  for (const double weight : weights) {
    if (!(weight >= 0.0) || !std::isfinite(weight)) refuse_sampling("a weight is negative or not finite");
    sum += weight;
  }
  if (!(sum > 0.0) || !std::isfinite(sum)) refuse_sampling("the sum of the weights is 0 or not finite");
}

}  // namespace

AliasTable::AliasTable(const std::vector<double>& weights) : buckets_(weights.size()) {
  double sum = 0.0;
  for (const double weight : weights) sum += weight;
  const auto count = static_cast<double>(weights.size());
  std::vector<double> rest;
  rest.reserve(weights.size());
  std::vector<std::int64_t> small, large;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    rest.push_back(weights[i] / sum * count);
    (rest.back() < 1.0 ? small : large).push_back(static_cast<std::int64_t>(i));
  }
  while (!small.empty() && !large.empty()) {
    const std::int64_t less = small.back(), more = large.back();
    small.pop_back();
    const double share = rest[static_cast<std::size_t>(less)];
    buckets_[static_cast<std::size_t>(less)] = {share, more};
    double& left = rest[static_cast<std::size_t>(more)];
    left -= 1.0 - share;
    if (left >= 1.0) continue;
    large.pop_back();
    small.push_back(more);
  }
  // The last ones are 1 up to rounding; but a weight of 0 is never drawn.
  for (const std::int64_t last : large) buckets_[static_cast<std::size_t>(last)] = {1.0, last};
  for (const std::int64_t last : small) {
    const auto heaviest = std::max_element(weights.begin(), weights.end()) - weights.begin();
    const bool is_drawn = weights[static_cast<std::size_t>(last)] > 0.0;
    buckets_[static_cast<std::size_t>(last)] = {is_drawn ? 1.0 : 0.0, is_drawn ? last : heaviest};
  }
}

Sampler::Sampler(Sampling sampling, std::int64_t sample_count, std::uint64_t seed, bool shuffled)
    : sampling_(std::move(sampling)), seed_(seed), shuffled_(shuffled) {
  check_indices(sampling_.indices, sample_count);
  choice_count_ = sampling_.indices.empty() ? sample_count : static_cast<std::int64_t>(sampling_.indices.size());
  base_count_ = choice_count_;
  if (!sampling_.weights.empty()) {
    if (!sampling_.groups.empty()) refuse_sampling("weights and groups cannot be combined; use one of them");
    check_weights(sampling_.weights, choice_count_);
    if (sampling_.replacement)
      table_.emplace(sampling_.weights);
    else
      base_count_ = choice_count_ - std::count(sampling_.weights.begin(), sampling_.weights.end(), 0.0);
  } else if (!sampling_.replacement) {
    refuse_sampling("replacement is off, but there are no weights");
  }
  if (!sampling_.groups.empty()) {
    if (static_cast<std::int64_t>(sampling_.groups.size()) != choice_count_) {
      refuse_sampling(std::to_string(sampling_.groups.size()) + " groups for " + std::to_string(choice_count_) +
                      " samples");
    }
    const auto [least, most] = std::minmax_element(sampling_.groups.begin(), sampling_.groups.end());
    constexpr std::int64_t kMostGroups = 1 << 24;
    if (*least < 0 || *most >= kMostGroups) refuse_sampling("a group is negative, or 2^24 or more");
    members_.resize(static_cast<std::size_t>(*most + 1));
    for (std::int64_t i = 0; i < choice_count_; ++i) {
      members_[static_cast<std::size_t>(sampling_.groups[static_cast<std::size_t>(i)])].push_back(i);
    }
    std::erase_if(members_, [](const auto& members) { return members.empty(); });
  }
  if (sampling_.samples_per_epoch < 0 || sampling_.samples_per_epoch > kMostPositions) {
    refuse_sampling("samples_per_epoch is not between 1 and 2^40");
  }
  if (sampling_.samples_per_epoch > 0) {
    if (sampling_.weights.empty() && members_.empty()) refuse_sampling("samples_per_epoch needs weights or groups");
    if (!sampling_.replacement && sampling_.samples_per_epoch > base_count_) {
      refuse_sampling("samples_per_epoch is " + std::to_string(sampling_.samples_per_epoch) + ", but only " +
                      std::to_string(base_count_) + " samples have a weight above 0; draw with replacement");
    }
    base_count_ = sampling_.samples_per_epoch;
  }
  if (sampling_.repeats < 1 || sampling_.repeats > kMostPositions / base_count_) {
    refuse_sampling("repeats is " + std::to_string(sampling_.repeats) +
                    "; expected at least 1, and an epoch of at most 2^40");
  }
}

void Sampler::append_rows(std::int64_t epoch, std::int64_t first, std::int64_t count,
                          std::vector<std::int64_t>& rows) const {
  // One key for all places, because making one takes longer than using it.
  const kernels::OrderKey key =
      kernels::make_order_key(choice_count_, seed_, static_cast<std::uint64_t>(epoch), shuffled_);
  std::shared_ptr<const std::vector<std::int64_t>> choices;
  if (!sampling_.replacement) choices = without_replacement(epoch);
  const auto chosen = [&](std::int64_t place) {
    if (choices) return (*choices)[static_cast<std::size_t>(place)];
    if (table_) return drawn(epoch, place);
    if (!members_.empty()) return grouped(epoch, place);
    return kernels::permute(key, place);
  };
  std::int64_t last_place = -1, row = 0;
  for (std::int64_t position = first; position < first + count; ++position) {
    const std::int64_t place = position / sampling_.repeats;
    if (place != last_place) {
      const std::int64_t choice = chosen(place);
      row = sampling_.indices.empty() ? choice : sampling_.indices[static_cast<std::size_t>(choice)];
      last_place = place;
    }
    rows.push_back(row);
  }
}

std::int64_t Sampler::drawn(std::int64_t epoch, std::int64_t place) const {
  const kernels::PhiloxWords words =
      kernels::draw({seed_, static_cast<std::uint64_t>(epoch), place, 0}, kSamplingSlot, 0);
  // (w0 * 2^32 + w1) * n / 2^64, in two steps of 64 bits.
  const auto n = static_cast<std::uint64_t>(table_->count());
  const std::uint64_t low = words.word[1] * (n & 0xFFFFFFFFu), middle = words.word[0] * (n & 0xFFFFFFFFu);
  const std::uint64_t upper = words.word[1] * (n >> 32);
  const std::uint64_t carry = ((low >> 32) + (middle & 0xFFFFFFFFu) + (upper & 0xFFFFFFFFu)) >> 32;
  const std::uint64_t bucket = words.word[0] * (n >> 32) + (middle >> 32) + (upper >> 32) + carry;
  return table_->at(static_cast<std::int64_t>(bucket), kernels::fraction_of(words.word[2]));
}

std::shared_ptr<const std::vector<std::int64_t>> Sampler::without_replacement(std::int64_t epoch) const {
  // Loaders read ahead into the next epoch.
  constexpr std::size_t kKeptOrders = 2;
  const std::lock_guard lock(orders_mutex_);
  for (const Order& order : orders_) {
    if (order.epoch == epoch) return order.choices;
  }
  struct Keyed {
    double key;
    std::int64_t choice;
  };
  std::vector<Keyed> keyed;
  for (std::int64_t i = 0; i < choice_count_; ++i) {
    const double weight = sampling_.weights[static_cast<std::size_t>(i)];
    if (weight == 0.0) continue;
    const kernels::PhiloxWords words =
        kernels::draw({seed_, static_cast<std::uint64_t>(epoch), i, 0}, kSamplingSlot, 0);
    keyed.push_back({kernels::exact_log2(kernels::open_fraction_of(words.word[0], words.word[1])) / weight, i});
  }
  std::sort(keyed.begin(), keyed.end(),
            [](const Keyed& a, const Keyed& b) { return a.key != b.key ? a.key > b.key : a.choice < b.choice; });
  auto choices = std::make_shared<std::vector<std::int64_t>>();
  choices->reserve(keyed.size());
  for (const Keyed& one : keyed) choices->push_back(one.choice);
  if (orders_.size() == kKeptOrders) orders_.erase(orders_.begin());
  orders_.push_back({epoch, choices});
  return choices;
}

std::int64_t Sampler::grouped(std::int64_t epoch, std::int64_t place) const {
  const auto group_count = static_cast<std::int64_t>(members_.size());
  const std::int64_t group = place % group_count, turn = place / group_count;
  const std::vector<std::int64_t>& members = members_[static_cast<std::size_t>(group)];
  const auto count = static_cast<std::int64_t>(members.size());
  // A group that is shown several times in an epoch has another order each time.
  const std::uint64_t seed = seed_of_part(seed_of_part(seed_, group), turn / count);
  return members[static_cast<std::size_t>(place_in_order(count, seed, epoch, shuffled_, turn % count))];
}

}  // namespace octavo::loader
