#include "arrays/matlab/mat.hpp"

#include "catch.hpp"
#include "deflated.hpp"
#include "made_arrays.hpp"
#include "sources/made_mat.hpp"
#include "temporary_folder.hpp"

using namespace octavo;
using namespace octavo::arrays;
using namespace octavo::test;

namespace {

/// Deflated elements are not padded.
std::string deflated(const std::string& variable) {
  const std::string stream = zlib_stream(variable);
  return little_endian(15) + little_endian(static_cast<std::uint32_t>(stream.size())) + stream;
}

}  // namespace

TEST_CASE("deflated and plain variables are listed and opened with their last axis first", "[unit][arrays]") {
  const TemporaryFolder folder;
  const std::string x = mat_variable("X", {2, 3, 4}, counting(24)), y = mat_variable("y", {4, 1}, counting(4, 1));
  write_file(folder / "a.mat", mat_file(GENERATE(false, true) ? deflated(x) + deflated(y) : x + y));
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
  const std::string opaque = mat_element(
      14, mat_element(6, little_endian(17) + little_endian(0)) + mat_element(1, "table") + mat_element(1, "MCOS"));
  write_file(folder / "a.mat",
             mat_file(mat_variable("c", {1, 2}, "ab", 1) + mat_variable("s", {1, 1}, "a", 2) +
                      mat_variable("o", {1, 1}, "a", 3) + mat_variable("sparse", {1, 2}, "ab", 5) +
                      mat_variable("f", {1, 1}, "a", 16) + opaque + mat_variable("complex", {1, 2}, "ab", 9 | 0x0800) +
                      mat_variable("empty", {0, 2}, "") + mat_variable("", {1, 2}, "ab") +
                      mat_variable("X", {1, 2}, "ab") + mat_variable("logical", {2, 1}, "ab", 9 | 0x0200)));
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
  write_file(folder / "none.mat", mat_file(""));
  CHECK(list_mat(folder / "none.mat").empty());
}

TEST_CASE("rows and columns have one axis and a single image keeps its axes", "[unit][arrays]") {
  const TemporaryFolder folder;
  write_file(folder / "a.mat",
             mat_file(mat_variable("row", {1, 3}, "abc") + mat_variable("column", {3, 1}, "abc") +
                      mat_variable("one", {1, 1}, "a") + mat_variable("image", {2, 2, 3, 1}, counting(12))));
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
    return mat_element(14, mat_element(6, little_endian(4) + little_endian(0)) +
                               mat_element(5, little_endian(2) + little_endian(3)) + mat_element(1, "names") +
                               mat_element(type, data));
  };
  const std::string wide = bytes_of_numbers(units);
  write_file(folder / "a.mat", mat_file(text(wide, 4) + text(wide, 17) +
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
  const std::string x = mat_variable("X", {2, 3}, counting(6));
  for (const std::string& variables :
       {x.substr(0, x.size() - 1), mat_variable("X", {2, 4}, counting(6)), mat_variable("X", {2, 2}, counting(6)),
        little_endian(15) + little_endian(4) + "abcd"}) {
    write_file(folder / "a.mat", mat_file(variables));
    CHECK_THROWS_WITH(list_mat(folder / "a.mat"), ContainsSubstring("a.mat"));
  }
}
