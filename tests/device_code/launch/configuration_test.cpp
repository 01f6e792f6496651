// The environment variable DEVICE_CODE.
#include "launch/configuration.hpp"

#include "catch.hpp"

using namespace device_code;

TEST_CASE("a configuration sets each option, and others keep their defaults", "[unit][device_code]") {
  const Configuration all = parse_configuration("ptx=/some/folder,order=random,seed=7,blocks=4,races=no,counts=yes");
  CHECK(all.folder == "/some/folder");
  CHECK(all.options.is_random);
  CHECK(all.options.seed == 7);
  CHECK(all.options.resident_blocks == 4);
  CHECK_FALSE(all.options.finds_races);
  CHECK(all.options.counts_requests);
  const Configuration none = parse_configuration("");
  CHECK(none.folder.empty());
  CHECK_FALSE(none.options.is_random);
  CHECK(none.options.resident_blocks == 1);
  CHECK(none.options.finds_races);
  CHECK_FALSE(none.options.counts_requests);
  CHECK_FALSE(parse_configuration("order=together").options.is_random);
}

TEST_CASE("a wrong configuration is refused with the option and what it expects", "[unit][device_code]") {
  const auto refusal = [](const char* text) {
    try {
      parse_configuration(text);
      return std::string();
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
  };
  CHECK(refusal("speed=red") ==
        "DEVICE_CODE: unknown option \"speed\"; expected ptx, order, seed, blocks, races or counts");
  CHECK(refusal("order=sorted") == "DEVICE_CODE: order expects random or together, got \"sorted\"");
  CHECK(refusal("seed=x") == "DEVICE_CODE: seed expects a number, got \"x\"");
  CHECK(refusal("seed=7x") == "DEVICE_CODE: seed expects a number, got \"7x\"");
  CHECK(refusal("seed=-1") == "DEVICE_CODE: seed expects a number, got \"-1\"");
  CHECK(refusal("seed=4294967296") == "DEVICE_CODE: seed expects a number, got \"4294967296\"");
  CHECK(refusal("blocks=0") == "DEVICE_CODE: blocks expects a number from 1, got \"0\"");
  CHECK(refusal("races=maybe") == "DEVICE_CODE: races expects yes or no, got \"maybe\"");
  CHECK(refusal("random") == "DEVICE_CODE: expected option=value, got \"random\"");
}
