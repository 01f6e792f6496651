// The table of known sets.
#include <octavo/errors.hpp>
#include <octavo/fetch.hpp>
#include <set>

#include "catch.hpp"
#include "fetching/set_check.hpp"

using namespace octavo;

TEST_CASE("every known set can be fetched and has a description", "[unit][fetch]") {
  std::set<std::string> names;
  std::set<std::string> checksums;
  std::size_t file_count = 0;
  for (const RemoteSet& set : known_sets()) {
    INFO(set.name);
    CHECK(fetching::set_problem(set).value_or("none") == "none");
    CHECK(names.insert(set.name).second);
    CHECK_FALSE((set.title.empty() || set.content.empty() || set.license.empty() || set.page.empty()));
    for (const RemoteFile& file : set.files) {
      // All files have both checksums. A line copied by mistake would show as a duplicate.
      CHECK(checksums.insert(file.md5).second);
      CHECK(checksums.insert(file.sha256).second);
      CHECK(file.md5.size() == 32);
      CHECK(file.sha256.size() == 64);
      ++file_count;
    }
  }
  CHECK(file_count == 18);
}

TEST_CASE("a known set is found by name and the error for an unknown one lists the names", "[unit][fetch]") {
  CHECK(known_set("fashion-mnist").title == "Fashion-MNIST");
  CHECK(total_bytes(known_set("mnist")) == 9'912'422 + 28'881 + 1'648'877 + 4'542);
  CHECK_THROWS_AS(known_set("imagenet"), InvalidArgument);
  CHECK_THROWS_WITH(known_set("imagenet"),
                    ContainsSubstring("\"imagenet\"") && ContainsSubstring("mnist, fashion-mnist"));
}
