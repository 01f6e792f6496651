#include <octavo/errors.hpp>
#include <octavo/loader.hpp>

#include "catch.hpp"
#include "packed_fixture.hpp"

using namespace octavo;

TEST_CASE("a state survives a round trip through JSON", "[unit][loader]") {
  const LoaderState state{1, 3, 17, 18446744073709551615u, 512, 60000, true, false};
  REQUIRE(LoaderState::from_json(state.to_json()) == state);
}

TEST_CASE("an invalid state is refused", "[unit][loader]") {
  REQUIRE_THROWS_AS(LoaderState::from_json(""), FormatError);
  REQUIRE_THROWS_AS(LoaderState::from_json("[]"), FormatError);
  REQUIRE_THROWS_AS(LoaderState::from_json(R"({"order":1})"), FormatError);
  LoaderState newer;
  newer.order_version = 2;
  REQUIRE_THROWS_WITH(LoaderState::from_json(newer.to_json()), ContainsSubstring("order version 2"));
}

TEST_CASE("the state of a loader with other options is refused and changes nothing", "[unit][loader]") {
  const octavo::test::PackedFixture fixture({octavo::test::random_split("train", 20, {1, 2, 2})});
  const Store store = Store::load(fixture.dataset().split("train"), Device::cpu());
  Loader loader(store, {.batch_size = 5, .shuffle = true});
  LoaderState state = loader.state();
  state.batch_size = 4;
  REQUIRE_THROWS_AS(loader.restore(state), InvalidArgument);
  state = loader.state();
  state.step = 4;
  REQUIRE_THROWS_WITH(loader.restore(state), ContainsSubstring("no batch 4"));
  REQUIRE(loader.state().step == 0);
}
