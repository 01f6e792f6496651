// Which samples an epoch shows, how often, and with which probability.
#pragma once

#include <cstdint>
#include <vector>

namespace octavo {

/// By default, an epoch shows every sample once.
struct Sampling {
  /// The samples to choose from, each at most once; empty: all of the split. The following arrays refer to them.
  std::vector<std::int64_t> indices = {};
  /// Samples are drawn with these probabilities, up to a common factor. Empty: they are not.
  std::vector<double> weights = {};
  /// With weights: a sample may be drawn again. Otherwise each draw is from the samples that are left, and an epoch
  /// shows no sample twice.
  bool replacement = true;
  /// Groups of samples, such as their classes, that take turns: position p shows group p mod G, of those that have
  /// samples. Numbers from 0. Empty: no groups. Not with `weights`.
  std::vector<std::int64_t> groups = {};
  /// Positions of an epoch with weights or groups; 0: the number of samples to choose from (without replacement, of
  /// those with a weight above 0).
  std::int64_t samples_per_epoch = 0;
  /// Every sample is shown this many times in a row, augmented differently.
  std::int64_t repeats = 1;

  bool operator==(const Sampling&) const = default;
};

}  // namespace octavo
