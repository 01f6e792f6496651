#include <octavo/spelling.hpp>

#include "catch.hpp"

using namespace octavo;

TEST_CASE("a misspelled name finds the nearest one", "[unit][support]") {
  const std::vector<std::string> splits = {"train", "val", "test"};
  CHECK(nearest_name("tset", splits) == "test");    // exchanged
  CHECK(nearest_name("TRAIN", splits) == "train");  // case
  CHECK(nearest_name("tran", splits) == "train");   // missing
  CHECK(nearest_name("vall", splits) == "val");     // inserted
  CHECK(nearest_name("tr", splits) == "train");     // begun
  CHECK(did_you_mean("tset", splits) == "did you mean \"test\"?");
}

TEST_CASE("a name that is not near finds none", "[unit][support]") {
  const std::vector<std::string> splits = {"train", "val", "test", "a"};
  CHECK_FALSE(nearest_name("holdout", splits));
  CHECK_FALSE(nearest_name("", splits));
  CHECK_FALSE(nearest_name("x", splits));      // every character differs
  CHECK_FALSE(nearest_name("trxxn", splits));  // two changes in five characters
  CHECK_FALSE(nearest_name(std::string(1000, 't'), splits));
  CHECK_FALSE(nearest_name("train", {}));
  CHECK(did_you_mean("holdout", splits).empty());
}
