#include "labels/text_labels.hpp"

#include <octavo/errors.hpp>

#include "catch.hpp"

using namespace octavo;
using labels::LabelTable;

namespace {

using Names = std::vector<std::string>;

LabelTable numbered(const Names& texts, const Names& given = {}, std::optional<LabelKind> wanted = {}) {
  labels::TextLabels all(given, wanted);
  for (const std::string& text : texts) all.add(text);
  return all.numbered([](std::size_t at) { return "line " + std::to_string(at + 2); });
}

/// "0 = its label is missing ("-1"); " for each sample without a label.
std::string unlabeled(const LabelTable& table) {
  std::string text;
  for (const auto& [at, reason] : table.unlabeled) text += std::to_string(at) + " = " + reason + "; ";
  return text;
}

}  // namespace

TEST_CASE("a label that is a decimal integer is that class", "[unit][pack]") {
  const LabelTable table = numbered({"0", "1", "10", "007", "+2", " 3\r\n", "4.0"});
  CHECK(table.layout == LabelLayout{LabelKind::class_index, 1});
  CHECK(table.numbers == std::vector<double>{0, 1, 10, 7, 2, 3, 4});
  CHECK(table.class_names.empty());
  CHECK(table.unlabeled.empty());
}

TEST_CASE("numbers with thousands separators are not class names unless given", "[unit][pack]") {
  CHECK_THROWS_WITH(numbered({"500", "1,500", "-12,000.5"}),
                    ContainsSubstring("the label \"1,500\" (line 3) is a number with a thousands separator"));
  CHECK(numbered({"1,500", "x"}).class_names == Names{"1,500", "x"});
  CHECK(numbered({"1,500", "2,000"}, {"2,000", "1,500"}).numbers == std::vector<double>{1, 0});
  for (const char* const text : {"1,234", "+12,345,678", " -1,000.5 "}) CHECK(labels::has_thousands_separators(text));
  for (const char* const text : {"", ",", "1,23", "1234,567", ",123", "1,234,", "1,234a", "1234", "1,2345"}) {
    CHECK_FALSE(labels::has_thousands_separators(text));
  }
}

TEST_CASE("a missing label leaves the numbers of the other classes as they are", "[unit][pack]") {
  for (const char* const missing :
       {"-1", "-1.0", "", " ", "?", "NaN", "nan", "NA", "n/a", "null", "inf", "-Infinity"}) {
    INFO(missing);
    const LabelTable table = numbered({"0", missing, "10"});
    CHECK(table.layout.kind == LabelKind::class_index);
    CHECK(table.numbers[0] == 0.0);
    CHECK(table.numbers[2] == 10.0);
    REQUIRE(table.unlabeled.size() == 1);
    CHECK(table.unlabeled[0].at == 1);
  }
  CHECK(unlabeled(numbered({"-1", "1"})) == "0 = its label is missing (\"-1\"); ");
  CHECK(unlabeled(numbered({"", "?"})) == "0 = its label is missing (\"\"); 1 = its label is missing (\"?\"); ");
}

TEST_CASE("names are numbered in byte order and NA is a name among them", "[unit][pack]") {
  const LabelTable table = numbered({"owl", "NA", "ant", "owl", "-1", "NaN", "", "?"});
  CHECK(table.class_names == Names{"NA", "ant", "owl"});
  CHECK(std::vector<double>(table.numbers.begin(), table.numbers.begin() + 4) == std::vector<double>{2, 0, 1, 2});
  CHECK(table.unlabeled.size() == 4);
}

TEST_CASE("given names determine the class numbers of names", "[unit][pack]") {
  const LabelTable table = numbered({"owl", "cat", "ant"}, {"cat", "owl"});
  CHECK(table.class_names == Names{"cat", "owl"});
  CHECK(table.numbers[0] == 1.0);
  CHECK(unlabeled(table) == "2 = its label \"ant\" is not among the given class names; ");
  CHECK(numbered({"1", "0"}, {"cat", "owl"}).numbers == std::vector<double>{1, 0});
  CHECK_THROWS_WITH(numbered({"1", "2"}, {"cat", "owl"}),
                    ContainsSubstring("the label \"2\" (line 3) is beyond the 2 given class names"));
}

TEST_CASE("labels that are numbers and names are an error with one of each", "[unit][pack]") {
  CHECK_THROWS_WITH(numbered({"-1", "2", "3", "owl", "ant"}),
                    "the labels are both numbers and names, such as \"2\" (line 3) and \"owl\" (line 5); use one of "
                    "them for all samples, or name all classes with `classes`");
  // Given names show that the number is a name.
  CHECK(numbered({"101", "owl"}, {"owl", "101"}).numbers == std::vector<double>{1, 0});
}

TEST_CASE("a whole number that is not a class number is an error with its place", "[unit][pack]") {
  CHECK_THROWS_WITH(numbered({"0", "-2"}), ContainsSubstring("the label \"-2\" (line 3) is not a class number"));
  CHECK_THROWS_WITH(numbered({"2147483648"}), ContainsSubstring("\"2147483648\" (line 2) is not a class number"));
  CHECK(numbered({"2147483647"}).numbers == std::vector<double>{2147483647.0});
  CHECK_THROWS_WITH(numbered({"1e300"}), ContainsSubstring("is not a class number"));
}

TEST_CASE("fractions make all numbers targets, in which -1 is a value", "[unit][pack]") {
  const LabelTable table = numbered({"0.5", "-1", "3", "NA", "1e999"});
  CHECK(table.layout == LabelLayout{LabelKind::target, 1});
  CHECK(std::vector<double>(table.numbers.begin(), table.numbers.begin() + 3) == std::vector<double>{0.5, -1, 3});
  CHECK(unlabeled(numbered({"0.5", "NA"})) == "1 = its label is missing (\"NA\"); ");
}

TEST_CASE("the wanted kind decides between class numbers and targets", "[unit][pack]") {
  const LabelTable table = numbered({"-1", "3", "-5"}, {}, LabelKind::target);
  CHECK(table.layout == LabelLayout{LabelKind::target, 1});
  CHECK(table.numbers == std::vector<double>{-1, 3, -5});
  CHECK(unlabeled(numbered({"3", "owl"}, {}, LabelKind::target)) == "1 = its label \"owl\" is not a number; ");
  CHECK_THROWS_WITH(numbered({"1", "0.5"}, {}, LabelKind::class_index), ContainsSubstring("\"0.5\" (line 3)"));
}

TEST_CASE("a name that a file cannot hold is reported without being shown raw", "[unit][pack]") {
  CHECK(unlabeled(numbered({"owl", "ca\nt"})) == "1 = its label is not free of control characters; ");
  CHECK(unlabeled(numbered({"owl", "\xE9t\xE9"})) == "1 = its label is not UTF-8; ");
  CHECK(unlabeled(numbered({"owl", std::string(300, 'x')})) == "1 = its label is longer than 255 bytes; ");
}
