// Replaces fetch_test.cpp in a build without libcurl or a library for checksums.
#include <octavo/errors.hpp>
#include <octavo/fetch.hpp>

#include "catch.hpp"
#include "temporary_folder.hpp"

TEST_CASE("without its libraries a set is not fetched and the remedy is named", "[unit][fetch]") {
  const octavo::test::TemporaryFolder folder;
  CHECK_THROWS_AS(octavo::fetch("mnist", folder / "mnist"), octavo::Unavailable);
  CHECK_THROWS_WITH(octavo::fetch("mnist", folder / "mnist"), ContainsSubstring("install libcurl4-openssl-dev"));
  CHECK(octavo::test::names_in(folder.path()).empty());
}
