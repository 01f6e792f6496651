#include "support/path_pattern.hpp"

#include <octavo/errors.hpp>

#include "catch.hpp"

using namespace octavo;

namespace {

std::optional<std::string> group_of(const std::string& group_by, const std::string& path) {
  return PathPattern(group_by).group_of(path);
}

}  // namespace

TEST_CASE("a pattern begins with path: and everything else is a column", "[unit][support]") {
  CHECK(is_path_pattern("path:x"));
  CHECK(is_path_pattern("path:"));
  CHECK_FALSE(is_path_pattern("path"));
  CHECK_FALSE(is_path_pattern("Path:x"));
  CHECK_FALSE(is_path_pattern(""));
}

TEST_CASE("a group is the first capture group or the whole match", "[unit][support]") {
  CHECK(group_of("path:(p[0-9]+)/", "cat/p12/3.png") == "p12");
  CHECK(group_of("path:(p[0-9]+)/([0-9])", "cat/p12/3.png") == "p12");
  CHECK(group_of("path:p[0-9]+", "cat/p12/p3.png") == "p12");
  CHECK(group_of("path:(?:cat|dog)/p", "dog/p1") == "dog/p");
}

TEST_CASE("a path without a match or with an empty one has no group", "[unit][support]") {
  CHECK_FALSE(group_of("path:p[0-9]+", "cat/3.png"));
  CHECK_FALSE(group_of("path:(x*)", "cat/3.png"));
  CHECK_FALSE(group_of("path:(x)?cat", "cat/3.png"));
  CHECK_FALSE(group_of("path:p", ""));
}

TEST_CASE("an expression that is empty or invalid or too long is refused", "[unit][support]") {
  CHECK_THROWS_WITH(PathPattern("path:"), ContainsSubstring("`group_by=path:` has no regular expression; give one"));
  CHECK_THROWS_WITH(PathPattern("path:(p"), ContainsSubstring("has an invalid regular expression"));
  CHECK(group_of("path:" + std::string(1024, 'p'), std::string(1024, 'p')) == std::string(1024, 'p'));
  CHECK_THROWS_WITH(PathPattern("path:" + std::string(1025, 'p')), ContainsSubstring("has more than 1024 bytes"));
}

TEST_CASE("a search that is too long is refused with the path", "[unit][support]") {
  CHECK(group_of("path:(p+)", std::string(1024, 'p')) == std::string(1024, 'p'));
  CHECK_THROWS_WITH(group_of("path:(p+)", std::string(1025, 'p')),
                    ContainsSubstring("ppp\": it has more than 1024 bytes; shorten it, or group by a column"));
  // 2^40 ways to divide the path.
  CHECK_THROWS_WITH(group_of("path:(p+)+x", std::string(40, 'p')),
                    ContainsSubstring("the search takes too long; avoid repetition within repetition"));
}
