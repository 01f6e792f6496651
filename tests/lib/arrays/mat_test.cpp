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

TEST_CASE("variables of anything but real numbers are listed with what they hold", "[unit][arrays]") {
  const TemporaryFolder folder;
  // An opaque object has a name and no shape. MATLAB's own data has no name.
  const std::string opaque = element(14, element(6, word(17) + word(0)) + element(1, "table") + element(1, "MCOS"));
  write_file(
      folder / "a.mat",
      mat(variable("c", {1, 2}, "ab", 1) + variable("s", {1, 1}, "a", 2) + variable("o", {1, 1}, "a", 3) +
          variable("sparse", {1, 2}, "ab", 5) + variable("f", {1, 1}, "a", 16) + opaque +
          variable("complex", {1, 2}, "ab", 9 | 0x0800) + variable("empty", {0, 2}, "") + variable("", {1, 2}, "ab") +
          variable("X", {1, 2}, "ab") + variable("logical", {2, 1}, "ab", 9 | 0x0200)));
  const auto variables = list_mat(folder / "a.mat");
  std::vector<std::pair<std::string, std::string>> found;
  for (const MatVariable& one : variables) found.emplace_back(one.name, one.unusable);
  CHECK(found == std::vector<std::pair<std::string, std::string>>{{"c", "a cell array"},
                                                                  {"s", "a struct"},
                                                                  {"o", "a MATLAB object"},
                                                                  {"sparse", "a sparse matrix"},
                                                                  {"f", "a function handle"},
                                                                  {"table", "a MATLAB object"},
                                                                  {"complex", "complex numbers"},
                                                                  {"empty", "empty"},
                                                                  {"X", ""},
                                                                  {"logical", ""}});
  CHECK_THROWS_WITH(open_mat_array(folder / "a.mat", variables[0]), ContainsSubstring("changed in the meantime"));
  write_file(folder / "none.mat", mat(""));
  CHECK(list_mat(folder / "none.mat").empty());
}

TEST_CASE("rows and columns have one axis and a single image keeps its axes", "[unit][arrays]") {
  const TemporaryFolder folder;
  write_file(folder / "a.mat", mat(variable("row", {1, 3}, "abc") + variable("column", {3, 1}, "abc") +
                                   variable("one", {1, 1}, "a") + variable("image", {2, 2, 3, 1}, counting(12))));
  const auto variables = list_mat(folder / "a.mat");
  CHECK(variables[0].axes == std::vector<std::int64_t>{3});
  CHECK(variables[1].axes == std::vector<std::int64_t>{3});
  CHECK(variables[2].axes == std::vector<std::int64_t>{1});
  CHECK(variables[3].axes == std::vector<std::int64_t>{1, 3, 2, 2});
  CHECK(rows(*open_mat_array(folder / "a.mat", variables[0]), 1, 2) == "bc");
}

TEST_CASE("the rows of a char matrix are texts in every encoding", "[unit][arrays]") {
  const TemporaryFolder folder;
  // "cat" and "\xE9l" (an e with an acute accent), column by column.
  const std::vector<std::uint16_t> units = {'c', 0xE9, 'a', 'l', 't', ' '};
  const auto text = [](const std::string& data, std::uint32_t type) {
    return element(
        14, element(6, word(4) + word(0)) + element(5, word(2) + word(3)) + element(1, "names") + element(type, data));
  };
  const std::string wide = bytes_of_numbers(units);
  write_file(folder / "a.mat", mat(text(wide, 4) + text(wide, 17) +
                                   text("c\xC3\xA9"
                                        "alt ",
                                        16) +
                                   deflated(text("c\xE9"
                                                 "alt ",
                                                 2)) +
                                   text("c", 2)));
  const auto variables = list_mat(folder / "a.mat");
  REQUIRE(variables.size() == 5);
  for (std::size_t i = 0; i < 4; ++i) {
    INFO(i);
    CHECK(variables[i].is_text);
    CHECK(variables[i].axes == std::vector<std::int64_t>{2});
    CHECK(read_mat_texts(folder / "a.mat", variables[i]) == std::vector<std::string>{"cat", "\xC3\xA9l"});
  }
  CHECK_THROWS_WITH(read_mat_texts(folder / "a.mat", variables[4]), ContainsSubstring("is damaged"));
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
