// Chooses the sample at a position of an epoch (docs/numerics.md, "Sampling").
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <octavo/sampling.hpp>

#include "kernels/sampled_order.hpp"

namespace octavo::loader {

/// The samples of the epochs of a Sampling. Thread-safe.
class Sampler {
 public:
  /// Throws InvalidArgument, naming the argument, if the sampling is invalid for `sample_count` samples.
  Sampler(std::shared_ptr<const Sampling> sampling, std::int64_t sample_count, std::uint64_t seed, bool shuffled);
  Sampler(Sampling sampling, std::int64_t sample_count, std::uint64_t seed, bool shuffled)
      : Sampler(std::make_shared<const Sampling>(std::move(sampling)), sample_count, seed, shuffled) {}
  Sampler(const Sampler&) = delete;
  Sampler& operator=(const Sampler&) = delete;

  /// What kernels need to know, in host memory of this object. Without replacement, they cannot compute the samples.
  const kernels::SampledOrder& order() const { return order_; }
  bool has_replacement() const { return sampling_->replacement; }
  /// Appends the samples at positions [first, first + count) of `epoch`.
  void append_rows(std::int64_t epoch, std::int64_t first, std::int64_t count, std::vector<std::int64_t>& rows) const;

 private:
  void set_weights();
  void set_groups();
  void set_samples_per_epoch();
  /// The choices of `epoch` without replacement, in their order.
  std::shared_ptr<const std::vector<std::int64_t>> without_replacement(std::int64_t epoch) const;

  std::shared_ptr<const Sampling> sampling_;   ///< shared, since it may have numbers for every sample
  std::vector<kernels::AliasBucket> buckets_;  ///< of the weights, if there are any, with replacement
  std::vector<std::int64_t> members_, group_starts_;
  kernels::SampledOrder order_ = {};

  struct Order {
    std::int64_t epoch;
    std::shared_ptr<const std::vector<std::int64_t>> choices;
  };
  mutable std::mutex orders_mutex_;
  mutable std::vector<Order> orders_;  ///< of the last epochs without replacement, at most two
};

/// Whether an epoch shows every sample of the split once.
inline bool is_default(const Sampling& sampling) { return sampling == Sampling{}; }

}  // namespace octavo::loader
