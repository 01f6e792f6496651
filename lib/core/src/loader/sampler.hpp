// Chooses the sample at a position of an epoch (docs/numerics.md, "Sampling").
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include <octavo/sampling.hpp>

namespace octavo::loader {

/// Draws numbers below n with given probabilities in constant time (A. J. Walker, 1977; M. D. Vose, 1991).
class AliasTable {
 public:
  /// Weights are finite and not negative, and not all 0.
  explicit AliasTable(const std::vector<double>& weights);

  /// `bucket` is below n, `fraction` in [0, 1).
  std::int64_t at(std::int64_t bucket, double fraction) const {
    const Bucket& found = buckets_[static_cast<std::size_t>(bucket)];
    return fraction < found.share ? bucket : found.other;
  }
  std::int64_t count() const { return static_cast<std::int64_t>(buckets_.size()); }

 private:
  struct Bucket {
    double share;        ///< of the bucket's own number
    std::int64_t other;  ///< the number that has the rest
  };
  std::vector<Bucket> buckets_;
};

/// The samples of the epochs of a Sampling that is not the default. Thread-safe.
class Sampler {
 public:
  /// Throws InvalidArgument, naming the argument, if the sampling is invalid for `sample_count` samples.
  Sampler(Sampling sampling, std::int64_t sample_count, std::uint64_t seed, bool shuffled);

  /// Positions of an epoch.
  std::int64_t position_count() const { return base_count_ * sampling_.repeats; }
  /// Whether positions have their own random numbers, because a sample may be shown several times in an epoch.
  bool draws_by_position() const { return sampling_.repeats > 1 || table_ || !members_.empty(); }
  /// Appends the samples at positions [first, first + count) of `epoch`.
  void append_rows(std::int64_t epoch, std::int64_t first, std::int64_t count, std::vector<std::int64_t>& rows) const;

 private:
  std::int64_t drawn(std::int64_t epoch, std::int64_t place) const;
  std::int64_t grouped(std::int64_t epoch, std::int64_t place) const;
  /// The choices of `epoch` without replacement, in their order.
  std::shared_ptr<const std::vector<std::int64_t>> without_replacement(std::int64_t epoch) const;

  Sampling sampling_;
  std::uint64_t seed_;
  bool shuffled_;
  std::int64_t choice_count_;                       ///< samples to choose from
  std::int64_t base_count_;                         ///< positions of an epoch without repeats
  std::optional<AliasTable> table_;                 ///< of the weights, if there are any, with replacement
  std::vector<std::vector<std::int64_t>> members_;  ///< of each group that has any

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
