#include <octavo/spelling.hpp>

#include <algorithm>
#include <cstddef>

#include "support/text/ascii.hpp"

namespace octavo {
namespace {

/// The number of single changes between two texts: a character inserted, removed or replaced, or two neighbors
/// exchanged (optimal string alignment distance).
std::size_t change_count(std::string_view a, std::string_view b) {
  const std::size_t width = b.size() + 1;
  std::vector<std::size_t> counts((a.size() + 1) * width);  // [i, j]: between the first i of a and the first j of b
  const auto at = [&](std::size_t i, std::size_t j) -> std::size_t& { return counts[i * width + j]; };
  for (std::size_t i = 0; i <= a.size(); ++i) at(i, 0) = i;
  for (std::size_t j = 0; j <= b.size(); ++j) at(0, j) = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      at(i, j) = std::min({at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + (a[i - 1] == b[j - 1] ? 0 : 1)});
      const bool are_exchanged = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (are_exchanged) at(i, j) = std::min(at(i, j), at(i - 2, j - 2) + 1);
    }
  }
  return counts.back();
}

}  // namespace

std::optional<std::string> nearest_name(std::string_view text, const std::vector<std::string>& names) {
  constexpr std::size_t kMostCharacters = 64;  // longer texts are not misspelled names
  if (text.empty() || text.size() > kMostCharacters) return std::nullopt;
  const std::string lower = lower_case(text);
  std::optional<std::string> nearest;
  std::size_t fewest = std::max<std::size_t>(1, text.size() / 3) + 1;
  for (const std::string& name : names) {
    const std::string other = lower_case(name);
    const std::size_t count = text.size() > 1 && other.starts_with(lower) ? 1 : change_count(lower, other);
    if (count >= fewest || count >= other.size()) continue;
    fewest = count;
    nearest = name;
  }
  return nearest;
}

std::string did_you_mean(std::string_view text, const std::vector<std::string>& names) {
  const auto nearest = nearest_name(text, names);
  return nearest ? "did you mean \"" + *nearest + "\"?" : "";
}

}  // namespace octavo
