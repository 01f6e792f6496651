// A regular expression that names the group of a path: `group_by` of the form "path:REGEX".
#pragma once

#include <cstddef>
#include <optional>
#include <regex>
#include <string>
#include <string_view>

namespace octavo {

/// Whether `group_by` is a pattern for paths. Otherwise, it names a column.
bool is_path_pattern(std::string_view group_by);

class PathPattern {
 public:
  /// The bytes of the longest path in which group_of() searches.
  static constexpr std::size_t kMostPathBytes = 1024;

  /// `group_by` is "path:" and an ECMAScript expression; its classes, such as \w, are those of ASCII in every locale.
  /// Throws InvalidArgument if the expression is empty, invalid or longer than 1024 bytes.
  explicit PathPattern(std::string_view group_by);

  /// The first capture group of the first match in `path`, or the whole match if the expression has no groups; nothing
  /// if there is no match, or an empty one. Throws InvalidArgument if the path is longer than kMostPathBytes, or if
  /// matching takes too long, as expressions with nested repetition do.
  std::optional<std::string> group_of(std::string_view path) const;

 private:
  std::string group_by_;
  std::regex expression_;
};

}  // namespace octavo
