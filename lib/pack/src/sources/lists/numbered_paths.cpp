#include "sources/lists/numbered_paths.hpp"

#include <optional>
#include <string>
#include <string_view>

#include <octavo/errors.hpp>

#include "support/file.hpp"

namespace octavo::sources {
namespace {

constexpr std::int64_t kMostPaths = 1'000'000;

/// The parts of "before{first..last}after".
struct Numbers {
  std::string before, first, last, after;
};

bool is_number(std::string_view text) {
  return !text.empty() && text.size() <= 12 && text.find_first_not_of("0123456789") == std::string_view::npos;
}

std::optional<Numbers> find_numbers(const std::string& text) {
  const std::size_t open = text.rfind('{'), close = text.rfind('}');
  if (open == std::string::npos || close == std::string::npos || close < open) return std::nullopt;
  const std::string between = text.substr(open + 1, close - open - 1);
  const std::size_t points = between.find("..");
  if (points == std::string::npos) return std::nullopt;
  Numbers numbers = {text.substr(0, open), between.substr(0, points), between.substr(points + 2),
                     text.substr(close + 1)};
  if (!is_number(numbers.first) || !is_number(numbers.last)) return std::nullopt;
  return numbers;
}

std::string padded(std::int64_t number, std::size_t width) {
  std::string digits = std::to_string(number);
  return digits.size() < width ? std::string(width - digits.size(), '0') + digits : digits;
}

}  // namespace

std::vector<std::filesystem::path> expand_numbers(const std::filesystem::path& path) {
  std::error_code ignored;
  const auto numbers = find_numbers(path.string());
  if (!numbers || std::filesystem::exists(path, ignored)) return {path};
  const std::int64_t first = std::stoll(numbers->first), last = std::stoll(numbers->last);
  if (last < first || last - first >= kMostPaths) {
    throw InvalidArgument("read " + quoted(path) + ": invalid range " + numbers->first + ".." + numbers->last +
                          "; expected an ascending range of at most " + std::to_string(kMostPaths) + " files");
  }
  std::vector<std::filesystem::path> paths;
  for (std::int64_t number = first; number <= last; ++number) {
    paths.emplace_back(numbers->before + padded(number, numbers->first.size()) + numbers->after);
  }
  return paths;
}

}  // namespace octavo::sources
