// The spelling of a holdout: a fraction, a fold, or a column with a value.
#include <string>

#include <octavo/errors.hpp>
#include <octavo/holdout.hpp>

#include "catch.hpp"

using namespace octavo;

TEST_CASE("a holdout is a fraction, a fold, or a column with a value", "[unit][pack]") {
  CHECK(parse_holdout("0.2").kind == Holdout::Kind::fraction);
  CHECK(parse_holdout("0.2").fraction == 0.2);
  CHECK(parse_holdout("0").kind == Holdout::Kind::none);
  const Holdout fold = parse_holdout("3:10");
  CHECK((fold.kind == Holdout::Kind::fold && fold.fold == 3 && fold.fold_count == 10));
  const Holdout column = parse_holdout("kfold=0");
  CHECK((column.kind == Holdout::Kind::column && column.column == "kfold" && column.value == "0"));
  CHECK(parse_holdout("time=12:30").value == "12:30");
  for (const char* const text : {"0.25", "3:10", "kfold=a=b"}) CHECK(format_holdout(parse_holdout(text)) == text);
}

TEST_CASE("an invalid holdout is refused", "[unit][pack]") {
  for (const char* const text : {"", "a", "0.2x", "1:x", ":5", "2:", "1:2:3"}) {
    CHECK_THROWS_WITH(parse_holdout(text), ContainsSubstring("it is not a fraction (0.2), a fold"));
  }
  for (const char* const text : {"1", "-0.1", "1.5", "nan"}) {
    CHECK_THROWS_WITH(parse_holdout(text), "`holdout` is " + std::string(text) + "; it must be at least 0 and below 1");
  }
  for (const char* const text : {"0:1", "0:0", "0:1001", "0:-3"}) {
    CHECK_THROWS_WITH(parse_holdout(text), ContainsSubstring("must be from 2 to 1,000"));
  }
  CHECK_THROWS_WITH(parse_holdout("5:5"), ContainsSubstring("numbered from 0 to 4"));
  CHECK_THROWS_WITH(parse_holdout("-1:5"), ContainsSubstring("numbered from 0 to 4"));
  CHECK_THROWS_WITH(parse_holdout("fold="), ContainsSubstring("give both"));
  CHECK_THROWS_WITH(parse_holdout("=0"), ContainsSubstring("give both"));
}
