#include "pack/numbered_paths.hpp"

#include <regex>
#include <string>

#include <octavo/errors.hpp>

#include "support/file.hpp"

namespace octavo::sources {
namespace {

constexpr std::int64_t kMostPaths = 1'000'000;

std::string padded(std::int64_t number, std::size_t width) {
  std::string digits = std::to_string(number);
  return digits.size() < width ? std::string(width - digits.size(), '0') + digits : digits;
}

}  // namespace

std::vector<std::filesystem::path> expand_numbers(const std::filesystem::path& path) {
  static const std::regex kPattern(R"(^(.*)\{([0-9]{1,12})\.\.([0-9]{1,12})\}(.*)$)");
  const std::string text = path.string();
  std::smatch found;
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored) || !std::regex_match(text, found, kPattern)) return {path};
  const std::int64_t first = std::stoll(found[2]), last = std::stoll(found[3]);
  if (last < first || last - first >= kMostPaths) {
    throw InvalidArgument("read " + quoted(path) + ": the numbers from " + found[2].str() + " to " + found[3].str() +
                          " are no list of at most " + std::to_string(kMostPaths) + " files");
  }
  std::vector<std::filesystem::path> paths;
  for (std::int64_t number = first; number <= last; ++number) {
    paths.emplace_back(found[1].str() + padded(number, found[2].str().size()) + found[4].str());
  }
  return paths;
}

}  // namespace octavo::sources
