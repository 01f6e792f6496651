#include <octavo/content.hpp>

#include "catch.hpp"
#include "packed_fixture.hpp"
#include "temporary_folder.hpp"

using namespace octavo;
using namespace octavo::test;

TEST_CASE("examples are spread over the rows of each class", "[unit][report]") {
  const TemporaryFolder folder;
  write_packed(folder / "a.h5", {random_split("train", 500, {1, 2, 2})});
  const auto rows = example_rows(Dataset::open(folder / "a.h5").split("train"), 5);
  REQUIRE(rows.size() == 10);
  CHECK(rows.at(7) == std::vector<std::int64_t>{7, 107, 207, 307, 407});
}
