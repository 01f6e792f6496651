// The last test case of generated_code_tests: the others leave no kernel out.
#include <string>

#include "catch.hpp"
#include "launch/launch_generated.hpp"

TEST_CASE("the test cases before this one launch every kernel of the PTX", "[launches]") {
  std::string names;
  for (const std::string& name : device_code::unlaunched_kernels()) names += name + "\n";
  INFO("not launched:\n" << names);
  REQUIRE(names.empty());
}
