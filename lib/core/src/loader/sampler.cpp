#include "loader/sampler.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <string>
#include <utility>

#include <octavo/errors.hpp>

#include "kernels/augment/draws.hpp"
#include "kernels/augment/exact_math.hpp"

namespace octavo::loader {
namespace {

constexpr std::int64_t kMostPositions = std::int64_t{1} << 40;

[[noreturn]] void refuse_sampling(const std::string& why) { throw InvalidArgument("sampling: " + why); }

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

/// The alias table of `weights`, which are finite and not negative, and not all 0 (M. D. Vose, 1991).
std::vector<kernels::AliasBucket> alias_table(const std::vector<double>& weights) {
  std::vector<kernels::AliasBucket> buckets(weights.size());
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
    buckets[static_cast<std::size_t>(less)] = {share, more};
    double& left = rest[static_cast<std::size_t>(more)];
    left -= 1.0 - share;
    if (left >= 1.0) continue;
    large.pop_back();
    small.push_back(more);
  }
  // The last ones are 1 up to rounding; but a weight of 0 is never drawn.
  for (const std::int64_t last : large) buckets[static_cast<std::size_t>(last)] = {1.0, last};
  for (const std::int64_t last : small) {
    const auto heaviest = std::max_element(weights.begin(), weights.end()) - weights.begin();
    const bool is_drawn = weights[static_cast<std::size_t>(last)] > 0.0;
    buckets[static_cast<std::size_t>(last)] = {is_drawn ? 1.0 : 0.0, is_drawn ? last : heaviest};
  }
  return buckets;
}

}  // namespace

Sampler::Sampler(std::shared_ptr<const Sampling> sampling, std::int64_t sample_count, std::uint64_t seed, bool shuffled)
    : sampling_(std::move(sampling)) {
  check_indices(sampling_->indices, sample_count);
  order_.seed = seed;
  order_.shuffled = shuffled;
  order_.choice_count = sampling_->indices.empty() ? sample_count : std::ssize(sampling_->indices);
  order_.position_count = order_.choice_count;
  if (!sampling_->indices.empty()) order_.indices = sampling_->indices.data();
  if (!sampling_->weights.empty())
    set_weights();
  else if (!sampling_->replacement)
    refuse_sampling("replacement is off, but there are no weights");
  if (!sampling_->groups.empty()) set_groups();
  set_samples_per_epoch();
  if (sampling_->repeats < 1 || sampling_->repeats > kMostPositions / order_.position_count) {
    refuse_sampling("repeats is " + std::to_string(sampling_->repeats) +
                    "; expected at least 1, and an epoch of at most 2^40");
  }
  order_.repeats = sampling_->repeats;
  order_.position_count *= sampling_->repeats;
  order_.draws_by_position = sampling_->repeats > 1 || !buckets_.empty() || !members_.empty();
}

void Sampler::set_weights() {
  if (!sampling_->groups.empty()) refuse_sampling("weights and groups cannot be combined; use one of them");
  check_weights(sampling_->weights, order_.choice_count);
  if (sampling_->replacement) {
    buckets_ = alias_table(sampling_->weights);
    order_.buckets = buckets_.data();
  } else {
    order_.position_count -= std::count(sampling_->weights.begin(), sampling_->weights.end(), 0.0);
  }
}

void Sampler::set_groups() {
  const std::vector<std::int64_t>& groups = sampling_->groups;
  if (std::ssize(groups) != order_.choice_count) {
    refuse_sampling(std::to_string(groups.size()) + " groups for " + std::to_string(order_.choice_count) + " samples");
  }
  const auto [least, most] = std::minmax_element(groups.begin(), groups.end());
  constexpr std::int64_t kMostGroups = 1 << 24;
  if (*least < 0 || *most >= kMostGroups) refuse_sampling("a group is negative, or 2^24 or more");
  members_.resize(groups.size());
  std::iota(members_.begin(), members_.end(), std::int64_t{0});
  const auto group_of = [&](std::int64_t choice) { return groups[static_cast<std::size_t>(choice)]; };
  std::stable_sort(members_.begin(), members_.end(),
                   [&](std::int64_t a, std::int64_t b) { return group_of(a) < group_of(b); });
  for (std::size_t i = 0; i < members_.size(); ++i) {
    if (i == 0 || group_of(members_[i]) != group_of(members_[i - 1])) {
      group_starts_.push_back(static_cast<std::int64_t>(i));
    }
  }
  order_.group_count = std::ssize(group_starts_);
  group_starts_.push_back(std::ssize(members_));
  order_.members = members_.data();
  order_.group_starts = group_starts_.data();
}

void Sampler::set_samples_per_epoch() {
  const std::int64_t samples = sampling_->samples_per_epoch;
  if (samples < 0 || samples > kMostPositions) refuse_sampling("samples_per_epoch is not between 1 and 2^40");
  if (samples == 0) return;
  if (sampling_->weights.empty() && members_.empty()) refuse_sampling("samples_per_epoch needs weights or groups");
  if (!sampling_->replacement && samples > order_.position_count) {
    refuse_sampling("samples_per_epoch is " + std::to_string(samples) + ", but only " +
                    std::to_string(order_.position_count) + " samples have a weight above 0; draw with replacement");
  }
  order_.position_count = samples;
}

void Sampler::append_rows(std::int64_t epoch, std::int64_t first, std::int64_t count,
                          std::vector<std::int64_t>& rows) const {
  if (sampling_->replacement) {
    const kernels::OrderKey key = kernels::choice_key(order_, epoch);
    for (std::int64_t i = first; i < first + count; ++i) rows.push_back(sampled_row(order_, key, epoch, i));
    return;
  }
  const auto choices = without_replacement(epoch);
  for (std::int64_t i = first; i < first + count; ++i) {
    const std::int64_t choice = (*choices)[static_cast<std::size_t>(i / order_.repeats)];
    rows.push_back(order_.indices == nullptr ? choice : order_.indices[choice]);
  }
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
  for (std::int64_t i = 0; i < order_.choice_count; ++i) {
    const double weight = sampling_->weights[static_cast<std::size_t>(i)];
    if (weight == 0.0) continue;
    const kernels::PhiloxWords words =
        kernels::draw({order_.seed, static_cast<std::uint64_t>(epoch), i, 0}, kernels::kSamplingSlot, 0);
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

}  // namespace octavo::loader
