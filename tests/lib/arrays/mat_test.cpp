#include "arrays/mat.hpp"

#include "catch.hpp"
#include "deflated.hpp"
#include "made_arrays.hpp"
#include "temporary_folder.hpp"

using namespace octavo;
using namespace octavo::arrays;
using namespace octavo::test;

namespace {

std::string word(std::uint32_t value) { return bytes_of_numbers(std::vector<std::uint32_t>{value}); }

std::string element(std::uint32_t type, const std::string& data) {
  return word(type) + word(static_cast<std::uint32_t>(data.size())) + data +
         std::string((8 - data.size() % 8) % 8, '\0');
}

/// A uint8 variable, of array class 9 by default.
std::string variable(const std::string& name, const std::vector<std::uint32_t>& axes, const std::string& data,
                     std::uint32_t flags = 9) {
  return element(
      14, element(6, word(flags) + word(0)) + element(5, bytes_of_numbers(axes)) + element(1, name) + element(2, data));
}

/// Deflated elements are not padded.
std::string deflated(const std::string& variable) {
  const std::string stream = zlib_stream(variable);
  return word(15) + word(static_cast<std::uint32_t>(stream.size())) + stream;
}

std::string mat(const std::string& variables) {
  std::string header = "MATLAB 5.0 MAT-file";
  header.resize(124, ' ');
  return header + std::string("\x00\x01IM", 4) + variables;
}

}  // namespace

TEST_CASE("deflated and plain variables are listed and opened with their last axis first", "[unit][arrays]") {
  const TemporaryFolder folder;
  const std::string x = variable("X", {2, 3, 4}, counting(24)), y = variable("y", {4, 1}, counting(4, 1));
  write_file(folder / "a.mat", mat(GENERATE(false, true) ? deflated(x) + deflated(y) : x + y));
  const auto variables = list_mat(folder / "a.mat");
  REQUIRE(variables.size() == 2);
  CHECK(variables[0].name == "X");
  CHECK(variables[0].axes == std::vector<std::int64_t>{4, 3, 2});
  CHECK(variables[1].axes == std::vector<std::int64_t>{4});
  CHECK(rows(*open_mat_array(folder / "a.mat", variables[0]), 1, 1) == counting(6, 6));
  CHECK(rows(*open_mat_array(folder / "a.mat", variables[1]), 0, 4) == counting(4, 1));
}

TEST_CASE("text and complex and empty variables are left out", "[unit][arrays]") {
  const TemporaryFolder folder;
  write_file(folder / "a.mat", mat(variable("text", {1, 2}, "ab", 4) + variable("complex", {1, 2}, "ab", 9 | 0x0800) +
                                   variable("empty", {0, 2}, "") + variable("X", {1, 2}, "ab")));
  const auto variables = list_mat(folder / "a.mat");
  REQUIRE(variables.size() == 1);
  CHECK(variables[0].name == "X");
  write_file(folder / "none.mat", mat(""));
  CHECK(list_mat(folder / "none.mat").empty());
}

TEST_CASE("a variable that is truncated or has a wrong number of values is refused", "[unit][arrays]") {
  const TemporaryFolder folder;
  const std::string x = variable("X", {2, 3}, counting(6));
  for (const std::string& variables : {x.substr(0, x.size() - 1), variable("X", {2, 4}, counting(6)),
                                       variable("X", {2, 2}, counting(6)), word(15) + word(4) + "abcd"}) {
    write_file(folder / "a.mat", mat(variables));
    CHECK_THROWS_WITH(list_mat(folder / "a.mat"), ContainsSubstring("a.mat"));
  }
}
