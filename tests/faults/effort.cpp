#include "effort.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>

namespace octavo::test {
namespace {

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

bool is_night() { return variable("OCTAVO_FAULTS") == "night"; }

std::int64_t case_count(std::int64_t each_change, std::int64_t each_night) {
  if (is_night()) return each_night;
  return is_sanitized() ? std::max<std::int64_t>(1, each_change / 10) : each_change;
}

std::int64_t place_step(std::int64_t sanitized_step) { return is_sanitized() && !is_night() ? sanitized_step : 1; }

std::optional<double> seconds_for_a_kind() {
  const std::string seconds = variable("OCTAVO_FAULTS_SECONDS");
  if (seconds.empty()) return std::nullopt;
  return std::stod(seconds);
}

std::uint64_t base_seed() {
  static const std::uint64_t seed = [] {
    const std::string given = variable("OCTAVO_FAULTS_SEED");
    if (!given.empty()) return static_cast<std::uint64_t>(std::stoull(given));
    return is_night() ? static_cast<std::uint64_t>(std::random_device()()) : std::uint64_t{1};
  }();
  return seed;
}

std::mt19937_64 random_of_case(std::int64_t number) {
  return std::mt19937_64(base_seed() * 1'000'003 + static_cast<std::uint64_t>(number));
}

}  // namespace octavo::test
