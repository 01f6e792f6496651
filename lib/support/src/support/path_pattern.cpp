#include "support/path_pattern.hpp"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <locale>

#include <octavo/errors.hpp>
#include <octavo/text.hpp>

namespace octavo {
namespace {

constexpr std::string_view kPathPrefix = "path:";
// The standard library matches by recursion: the depth grows with the length of the path, and the time of expressions
// such as (a+)+b exponentially. Paths are untrusted, so both are bounded.
constexpr std::size_t kMostPatternBytes = 1024;
constexpr std::int64_t kMostSteps = 1'000'000;

struct TooManySteps {};

/// A position in a path that counts how often a character is read.
class CountedCharacter {
 public:
  using iterator_category = std::bidirectional_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountedCharacter() = default;
  CountedCharacter(const char* at, std::int64_t& steps_left) : at_(at), steps_left_(&steps_left) {}

  reference operator*() const {
    if (--*steps_left_ < 0) throw TooManySteps();
    return *at_;
  }
  CountedCharacter& operator++() { return ++at_, *this; }
  CountedCharacter operator++(int) { return {at_++, *steps_left_}; }
  CountedCharacter& operator--() { return --at_, *this; }
  CountedCharacter operator--(int) { return {at_--, *steps_left_}; }
  bool operator==(const CountedCharacter& other) const { return at_ == other.at_; }

 private:
  const char* at_ = nullptr;
  std::int64_t* steps_left_ = nullptr;
};

std::string grouping(std::string_view group_by) { return "group the samples: `group_by=" + printable(group_by) + "` "; }

std::regex compiled(std::string_view group_by) {
  const std::string_view expression = group_by.substr(kPathPrefix.size());
  if (expression.empty()) {
    throw InvalidArgument(grouping(group_by) +
                          "has no regular expression; give one, such as \"path:(patient[0-9]+)/\"");
  }
  if (expression.size() > kMostPatternBytes) {
    throw InvalidArgument(grouping(group_by) + "has more than " + std::to_string(kMostPatternBytes) +
                          " bytes; shorten it");
  }
  try {
    std::regex made;
    made.imbue(std::locale::classic());
    made.assign(expression.begin(), expression.end(), std::regex::ECMAScript);
    return made;
  } catch (const std::regex_error& error) {
    throw InvalidArgument(grouping(group_by) + "has an invalid regular expression: " + error.what() + "; correct it");
  }
}

}  // namespace

bool is_path_pattern(std::string_view group_by) { return group_by.starts_with(kPathPrefix); }

PathPattern::PathPattern(std::string_view group_by) : group_by_(group_by), expression_(compiled(group_by)) {}

std::optional<std::string> PathPattern::group_of(std::string_view path) const {
  const auto refuse = [&](const std::string& problem) -> InvalidArgument {
    return InvalidArgument(grouping(group_by_) + "cannot be searched in the path \"" + printable(path.substr(0, 255)) +
                           "\": " + problem);
  };
  if (path.size() > kMostPathBytes) {
    throw refuse("it has more than " + std::to_string(kMostPathBytes) + " bytes; shorten it, or group by a column");
  }
  std::int64_t steps_left = kMostSteps;
  std::match_results<CountedCharacter> match;
  try {
    const bool is_found =
        std::regex_search(CountedCharacter(path.data(), steps_left),
                          CountedCharacter(path.data() + path.size(), steps_left), match, expression_);
    if (!is_found) return std::nullopt;
    steps_left = kMostSteps;  // for copying the text below
    const std::string group = match[expression_.mark_count() > 0 ? 1 : 0].str();
    return group.empty() ? std::nullopt : std::optional(group);
  } catch (const TooManySteps&) {
    throw refuse("the search takes too long; avoid repetition within repetition");
  } catch (const std::regex_error& error) {
    throw refuse(std::string(error.what()) + "; simplify the expression");
  }
}

}  // namespace octavo
