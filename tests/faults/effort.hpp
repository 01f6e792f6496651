// How much a run is to try: what fits beside every change, or all that a night has time for (tools/soak.sh).
#pragma once

#include <cstdint>
#include <optional>
#include <random>

namespace octavo::test {

/// Whether this is a night's run: OCTAVO_FAULTS=night.
bool is_night();

/// Whether this build is slowed down by a sanitizer.
constexpr bool is_sanitized() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return true;
#else
  return false;
#endif
}

/// How many random cases to try: `each_change`, a tenth of them in a build with sanitizers, or `each_night`.
std::int64_t case_count(std::int64_t each_change, std::int64_t each_night);

/// In a build with sanitizers, which every system call of slows down: only each n-th place is tried; else every one.
std::int64_t place_step(std::int64_t sanitized_step);

/// How long the cases of one kind may take: OCTAVO_FAULTS_SECONDS, else as long as they need.
std::optional<double> seconds_for_a_kind();

/// The seed of the random cases: OCTAVO_FAULTS_SEED, else the same at every change and a new one every night.
std::uint64_t base_seed();

/// Random numbers of case `number`; the same for the same seed and number.
std::mt19937_64 random_of_case(std::int64_t number);

/// A number in [0, end).
inline std::int64_t below(std::mt19937_64& random, std::int64_t end) {
  return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(end));
}

}  // namespace octavo::test
