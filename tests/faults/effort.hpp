// How many cases a run tries: few enough for every commit, or all that a nightly run has time for (tools/soak.sh).
#pragma once

#include <cstdint>
#include <optional>
#include <random>

#include "sanitized.hpp"

namespace octavo::test {

/// Whether this is a nightly run: OCTAVO_FAULTS=night.
bool is_night();

/// The number of random cases: `each_night` in a nightly run, else `each_change`, or a tenth of it with sanitizers.
std::int64_t case_count(std::int64_t each_change, std::int64_t each_night);

/// The step between tried places: `sanitized_step` with sanitizers, which slow down every system call, else 1. Always 1
/// in a nightly run.
std::int64_t place_step(std::int64_t sanitized_step);

/// Time limit for the cases of one kind: OCTAVO_FAULTS_SECONDS. No limit if that is not set.
std::optional<double> seconds_for_a_kind();

/// The seed of the random cases: OCTAVO_FAULTS_SEED if set. Otherwise 1, or random in a nightly run.
std::uint64_t base_seed();

/// The random generator of case `number`, determined by the seed and the number.
std::mt19937_64 random_of_case(std::int64_t number);

/// A random number in [0, end).
inline std::int64_t below(std::mt19937_64& random, std::int64_t end) {
  return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(end));
}

}  // namespace octavo::test
