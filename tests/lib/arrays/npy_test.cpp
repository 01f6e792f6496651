#include "arrays/npy.hpp"

#include "catch.hpp"
#include "made_arrays.hpp"

using namespace octavo;
using namespace octavo::arrays;
using namespace octavo::test;

namespace {

std::string npy(const std::string& header, const std::string& data, char version = 1) {
  std::string bytes("\x93NUMPY", 6);
  bytes += version;
  bytes += '\0';
  const auto length = static_cast<std::uint32_t>(header.size());
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i) bytes += static_cast<char>(length >> 8 * i);
  return bytes + header + data;
}

std::string header(const std::string& type, const std::string& shape, bool is_fortran = false) {
  return "{'descr': '" + type + "', 'fortran_order': " + (is_fortran ? "True" : "False") + ", 'shape': " + shape + "}";
}

std::string refusal(const std::string& bytes) {
  try {
    open_npy(stream_of(bytes));
  } catch (const FormatError& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("versions 1, 2 and 3 of .npy are read", "[unit][arrays]") {
  const char version = GENERATE(char{1}, char{2}, char{3});
  const auto array = open_npy(stream_of(npy(header("|u1", "(3, 2)"), counting(6), version)));
  CHECK(array->axes() == std::vector<std::int64_t>{3, 2});
  CHECK(rows(*array, 2, 1) == counting(2, 4));
}

TEST_CASE("numbers of the opposite byte order and in Fortran order are converted", "[unit][arrays]") {
  const auto big = open_npy(stream_of(npy(header(">i2", "(2,)"), std::string("\x01\x02\xFF\xFE", 4))));
  CHECK(numbers_in<std::int16_t>(rows(*big, 0, 2)) == std::vector<std::int16_t>{0x0102, -2});
  // [[0, 2, 4], [1, 3, 5]] in column order.
  const auto fortran = open_npy(stream_of(npy(header("|u1", "(2, 3)", true), counting(6))));
  CHECK(rows(*fortran, 0, 2) == std::string("\0\2\4\1\3\5", 6));
}

TEST_CASE("shapes are read as written by Python", "[unit][arrays]") {
  const auto axes = [](const std::string& shape) {
    return open_npy(stream_of(npy(header("|u1", shape), counting(6))))->axes();
  };
  CHECK(axes("(6,)") == std::vector<std::int64_t>{6});
  CHECK(axes("(2, 3,)") == std::vector<std::int64_t>{2, 3});
  CHECK(axes(" ( 2L , 3L ) ") == std::vector<std::int64_t>{2, 3});
}

TEST_CASE("a .npy file that is not an array of numbers is refused with the reason", "[unit][arrays]") {
  CHECK_THAT(refusal(npy(header("|O", "(1,)"), "x")), ContainsSubstring("Python objects"));
  CHECK_THAT(refusal(npy(header("<c8", "(1,)"), "x")), ContainsSubstring("not plain numbers"));
  CHECK_THAT(refusal(npy(header("", "(1,)"), "x")), ContainsSubstring("not plain numbers"));
  CHECK_THAT(refusal(npy(header("|u1", "()"), "x")), ContainsSubstring("single number"));
  CHECK_THAT(refusal(npy(header("|u1", "(0,)"), "")), ContainsSubstring("holds nothing"));
  CHECK_THAT(refusal(npy(header("|u1", "(-1,)"), "")), ContainsSubstring("not describe an array"));
  CHECK_THAT(refusal(npy(header("|u1", "(2,)"), "x")), ContainsSubstring("its header declares 2"));
  CHECK_THAT(refusal(npy(header("|u1", "(2,)"), "xyz")), ContainsSubstring("its header declares 2"));
  CHECK_THAT(refusal(npy(header("|u1", "(2,)"), "xy", 4)), ContainsSubstring("version 4"));
  CHECK_THAT(refusal(npy("{'descr': '|u1', 'shape': (2,)}", "xy")), ContainsSubstring("not describe an array"));
  CHECK_THAT(refusal(npy(std::string(100, '('), "")), ContainsSubstring("not describe an array"));
  CHECK_THAT(refusal(""), ContainsSubstring("ends after 0 bytes"));
}

TEST_CASE("arrays of anything but numbers are described by what they hold", "[unit][arrays]") {
  const auto described = [](const std::string& type, const std::string& shape = "(2,)") {
    return describe_npy(*stream_of(npy("{'descr': " + type + ", 'fortran_order': False, 'shape': " + shape + "}", "")));
  };
  for (const auto& [type, holds] : {std::pair{"'|O'", "Python objects"},
                                    {"'<U3'", "text"},
                                    {"'|S3'", "text"},
                                    {"'|T16'", "text"},
                                    {"'<M8[D]'", "dates"},
                                    {"'<m8[s]'", "time differences"},
                                    {"'<c8'", "complex numbers"},
                                    {"'|V4'", "raw bytes"},
                                    {"[('a', '<i4'), ('b', [('c', '|O')])]", "records"},
                                    {"[('a]', '<f4', (3,))]", "records"},
                                    {"('<f4', (3,))", "arrays in an array"},
                                    {"'<f16'", "elements of type '<f16'"}}) {
    INFO(type);
    CHECK(described(type).unusable == holds);
    CHECK(described(type).axes == std::vector<std::int64_t>{2});
  }
  CHECK(described("'<f4'").is_usable());
  CHECK(described("'<f4'").element == Element::float32);
  CHECK(described("'<f4'", "()").unusable == "a single number");
  CHECK(described("'<U3'", "()").unusable == "a single value: text");
  CHECK(described("'<f4'", "(0, 3)").unusable == "empty");
  CHECK(described("'<U3'").is_text);
  CHECK_FALSE(described("'<U0'").is_text);
  CHECK_FALSE(described("'<U99999'").is_text);
  CHECK_FALSE(described("'|T16'").is_text);
  CHECK_THROWS_WITH(described("[('a', '<i4'"), ContainsSubstring("not describe an array"));
  CHECK_THROWS_WITH(described("[('a"), ContainsSubstring("not describe an array"));
}

TEST_CASE("texts are read as UTF-8 without the zeros at their end", "[unit][arrays]") {
  using Texts = std::vector<std::string>;
  const auto texts = [](const std::string& type, const std::string& shape, const std::string& data) {
    return read_npy_texts(*stream_of(npy(header(type, shape), data)));
  };
  CHECK(texts("|S3", "(2,)", std::string("catox\0", 6)) == Texts{"cat", "ox"});
  // a, a-umlaut, the euro sign, a smiling face; then a surrogate and a number beyond Unicode.
  const std::vector<std::uint32_t> characters = {'a', 0xE4, 0x20AC, 0x1F600, 0xD800, 0x110000, 'b', 0};
  std::string little = bytes_of_numbers(characters), big = little;
  swap_bytes(Element::uint32, std::as_writable_bytes(std::span(big)));
  const Texts expected = {"a\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80",
                          "\xEF\xBF\xBD\xEF\xBF\xBD"
                          "b"};
  CHECK(texts("<U4", "(2,)", little) == expected);
  CHECK(texts(">U4", "(2, 1)", big) == expected);
  CHECK_THROWS_WITH(texts("|S3", "(2, 2)", std::string(12, 'a')), ContainsSubstring("not a list of short texts"));
  CHECK_THROWS_WITH(texts("|S3", "(3,)", "catdog"), ContainsSubstring("declares 3 texts"));
  CHECK_THROWS_WITH(texts("|S3", "(9223372036854775807,)", "catdog"), ContainsSubstring("the file cannot hold"));
  CHECK_THROWS_WITH(texts("|u1", "(3,)", "cat"), ContainsSubstring("not a list of short texts"));
}
