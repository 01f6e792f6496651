#include "arrays/matlab/matlab_hdf5.hpp"

#include <algorithm>

#include "arrays/matlab/matlab_values.hpp"
#include "catch.hpp"
#include "made_arrays.hpp"
#include "made_hdf5.hpp"
#include "temporary_folder.hpp"

using namespace octavo;
using namespace octavo::arrays;
using namespace octavo::test;

namespace {

void add_variable(hid_t file, const std::string& name, const std::string& matlab_class, const std::string& bytes,
                  const Axes& axes, hid_t type = H5T_STD_U8LE) {
  add_with(bytes, file, name, axes, type);
  set_text(file, name, "MATLAB_class", matlab_class);
}

void set_mark(hid_t file, const std::string& name, const char* attribute) {
  const hdf5::SpaceHandle space(H5Screate(H5S_SCALAR));
  const hdf5::AttributeHandle mark(H5Acreate_by_name(file, name.c_str(), attribute, H5T_STD_U8LE, space.get(),
                                                     H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  REQUIRE(mark);
}

const MatlabArray& named(const std::vector<MatlabArray>& variables, const std::string& name) {
  const auto found = std::ranges::find(variables, name, &MatlabArray::name);
  REQUIRE(found != variables.end());
  return *found;
}

}  // namespace

TEST_CASE("a MATLAB 7.3 file is recognized by its header", "[unit][arrays]") {
  const auto begins = [](std::string_view text) { return begins_as_mat73(std::as_bytes(std::span(text))); };
  CHECK(begins("MATLAB 7.3 MAT-file, Platform: GLNXA64"));
  CHECK_FALSE(begins("MATLAB 5.0 MAT-file, Platform: GLNXA64"));
  CHECK_FALSE(begins("MATLAB 7.3"));
}

TEST_CASE("axes of rows and columns become one axis", "[unit][arrays]") {
  using Lengths = std::vector<std::int64_t>;
  CHECK(matlab_axes({1, 5}) == Lengths{5});
  CHECK(matlab_axes({5, 1}) == Lengths{5});
  CHECK(matlab_axes({1, 1}) == Lengths{1});
  CHECK(matlab_axes({1, 1, 1, 5}) == Lengths{5});
  CHECK(matlab_axes({2, 5}) == Lengths{2, 5});
  CHECK(matlab_axes({1, 3, 5, 5}) == Lengths{1, 3, 5, 5});
  CHECK(matlab_axes({}).empty());
}

TEST_CASE("MATLAB's variables in HDF5 are numbers and text and the rest is named", "[unit][arrays]") {
  const TemporaryFolder folder;
  const auto path = mat73_in(folder, [](hid_t file) {
    add_variable(file, "row", "uint8", "abc", {3, 1});
    add_variable(file, "column", "double", bytes_of_numbers<double>({1, 2, 3}), {1, 3}, H5T_IEEE_F64LE);
    add_variable(file, "logical", "logical", std::string("\1\0", 2), {2, 1});
    add_variable(file, "images", "uint8", counting(12), {2, 3, 2});
    // The rows "cat" and "ox", column by column.
    add_variable(file, "names", "char", bytes_of_numbers<std::uint16_t>({'c', 'o', 'a', 'x', 't', ' '}), {3, 2},
                 H5T_STD_U16LE);
    add_variable(file, "no text", "char", bytes_of_numbers<std::uint64_t>({0, 0}), {2}, H5T_STD_U64LE);
    set_mark(file, "no text", "MATLAB_empty");
    add_variable(file, "empty", "double", bytes_of_numbers<std::uint64_t>({0, 3}), {2}, H5T_STD_U64LE);
    set_mark(file, "empty", "MATLAB_empty");
    add_variable(file, "cells", "cell", std::string(16, '\0'), {2, 1}, H5T_STD_REF_OBJ);
    add_variable(file, "strings", "string", bytes_of_numbers<std::uint32_t>({1, 2, 3}), {3, 1}, H5T_STD_U32LE);
    set_mark(file, "strings", "MATLAB_object_decode");
    add_variable(file, "table", "uint32", bytes_of_numbers<std::uint32_t>({1, 2, 3}), {3, 1}, H5T_STD_U32LE);
    set_mark(file, "table", "MATLAB_object_decode");
    add_with("ab", file, "struct/field", {2, 1});
    set_text(file, "struct", "MATLAB_class", "struct");
    add_with("ab", file, "sparse/data", {2});
    set_text(file, "sparse", "MATLAB_class", "double");
    set_mark(file, "sparse", "MATLAB_sparse");
    add_with("ab", file, "#refs#/a", {2, 1});
    add_with("ab", file, "#subsystem#/MCOS", {2, 1});
  });
  const auto datasets = list_hdf5(path);
  CHECK(has_matlab_variables(datasets));
  const auto variables = matlab_variables(datasets);
  std::vector<std::pair<std::string, std::string>> found;
  for (const MatlabArray& one : variables) found.emplace_back(one.name, one.unusable);
  CHECK(found == std::vector<std::pair<std::string, std::string>>{{"cells", "a cell array"},
                                                                  {"column", ""},
                                                                  {"empty", "empty"},
                                                                  {"images", ""},
                                                                  {"logical", ""},
                                                                  {"names", "text"},
                                                                  {"no text", "empty"},
                                                                  {"row", ""},
                                                                  {"sparse", "a sparse matrix"},
                                                                  {"strings", "a MATLAB object"},
                                                                  {"struct", "a struct"},
                                                                  {"table", "a MATLAB object"}});
  CHECK(named(variables, "images").axes == std::vector<std::int64_t>{2, 3, 2});
  CHECK(named(variables, "row").axes == std::vector<std::int64_t>{3});
  CHECK(rows(*open_matlab_array(path, named(variables, "row")), 1, 2) == "bc");
  CHECK(named(variables, "column").axes == std::vector<std::int64_t>{3});
  const auto column = open_matlab_array(path, named(variables, "column"));
  CHECK(column->axes() == std::vector<std::int64_t>{3});
  CHECK(numbers_in<double>(rows(*column, 1, 2)) == std::vector<double>{2, 3});
  CHECK(numbers_in<double>(rows(*column, 0, 1)) == std::vector<double>{1});
  CHECK(read_matlab_texts(path, named(variables, "names")) == std::vector<std::string>{"cat", "ox"});
}

TEST_CASE("datasets without MATLAB's marks are not its variables", "[unit][arrays]") {
  const TemporaryFolder folder;
  const auto path = hdf5_in(folder, [](hid_t file) { add(file, "images", {2, 3, 2}); });
  CHECK_FALSE(has_matlab_variables(list_hdf5(path)));
}
