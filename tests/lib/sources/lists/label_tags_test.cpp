#include "sources/lists/table/label_tags.hpp"

#include "catch.hpp"

using namespace octavo::sources;

namespace {

using Kind = TagGuess::Kind;
using Names = std::vector<std::string>;

Kind kind_of(const Names& labels, const Names& class_names = {}, const std::string& column = "label") {
  return guess_tags(labels, class_names, column).kind;
}

}  // namespace

TEST_CASE("names with blanks are one class each", "[unit][pack]") {
  CHECK(kind_of({"golden retriever", "great dane", "pug"}) == Kind::one_class);
  CHECK(kind_of({"golden retriever", "labrador retriever", "flat coated retriever", "pug"}) == Kind::one_class);
  CHECK(kind_of({"great white shark, man-eater", "tiger shark", "tench, Tinca tinca"}) == Kind::one_class);
  CHECK(kind_of({"cat", "dog", ""}) == Kind::one_class);
  CHECK(kind_of({}) == Kind::one_class);
  CHECK(guess_tags({"golden retriever", "labrador retriever", "flat coated retriever"}, {}, "breed").is_remarkable);
  CHECK_FALSE(guess_tags({"golden retriever", "great dane", "pug"}, {}, "breed").is_remarkable);
}

TEST_CASE("few words in many combinations are tags", "[unit][pack]") {
  // 3 words, 7 labels.
  CHECK(kind_of({"a", "b", "c", "a b", "a c", "b c", "a b c"}) == Kind::tags);
  // 4 words, 4 labels of the same length: class names such as "red car", or tags.
  CHECK(kind_of({"red car", "blue car", "red bus", "blue bus", "red van", "blue van"}) == Kind::unclear);
  CHECK(kind_of({"haze primary", "clear primary water"}) == Kind::one_class);
  CHECK(kind_of({"haze primary", "clear primary water"}, {}, "Tags") == Kind::unclear);
}

TEST_CASE("given class names decide whether labels are tags", "[unit][pack]") {
  const Names given = {"haze", "primary", "water", "golden retriever"};
  CHECK(kind_of({"haze primary", "haze"}, given) == Kind::tags);
  CHECK(kind_of({"golden retriever", "haze"}, given) == Kind::one_class);
  CHECK(kind_of({"golden haze", "other"}, given) == Kind::one_class);
}

TEST_CASE("bars and semicolons separate tags that recur", "[unit][pack]") {
  CHECK(kind_of({"Mass|Edema", "Edema", "No SourceEntry"}) == Kind::tags);
  CHECK(kind_of({"a; b", "b; c"}) == Kind::tags);
  CHECK(kind_of({"cat|feline", "dog|canine"}) == Kind::unclear);
}

TEST_CASE("numbers are tags only if they can be nothing else", "[unit][pack]") {
  CHECK(kind_of({"16 0", "7 1 2 0", "5"}) == Kind::tags);
  CHECK(kind_of({"10 20 30 40", "5 6 7 8"}) == Kind::unclear);  // may be a box
  CHECK(kind_of({"0,5", "1", "0,25"}) == Kind::one_class);      // decimal commas
  CHECK(kind_of({"0.5 1", "2 3"}) == Kind::numbers);
  CHECK(kind_of({"1,500", "500"}) == Kind::one_class);  // thousands separators
}

TEST_CASE("a separator divides a label and leaves out blanks and empty tags and brackets", "[unit][pack]") {
  CHECK(TagSeparator("space").tags_of("  a \t b ") == Names{"a", "b"});
  CHECK(TagSeparator("comma").tags_of("a, b,,c,") == Names{"a", "b", "c"});
  CHECK(TagSeparator("comma").tags_of("['a b', \"c\"]") == Names{"a b", "c"});
  CHECK(TagSeparator(" + ").tags_of("a + b+c") == Names{"a", "b+c"});
  CHECK(TagSeparator("bar").tags_of("") == Names{});
  CHECK(TagSeparator("|").describe() == "bars");
  CHECK(TagSeparator("+").describe() == "\"+\"");
}

TEST_CASE("labels in brackets are lists as Python and NumPy and JSON write them", "[unit][pack]") {
  const TagSeparator comma("comma"), space("space");
  for (const TagSeparator& separator : {comma, space}) {
    CHECK(separator.tags_in("['a' 'b c']") == Names{"a", "b c"});
    CHECK(separator.tags_in("['a'\n 'b']") == Names{"a", "b"});
    CHECK(separator.tags_in("['a, x', 'b']") == Names{"a, x", "b"});
    CHECK(separator.tags_in("['a','b', ]") == Names{"a", "b"});
    CHECK(separator.tags_in(R"(["it's", 'a "b"'])") == Names{"it's", "a \"b\""});
    CHECK(separator.tags_in(R"(['it\'s', 'a\\b'])") == Names{"it's", "a\\b"});
    CHECK(separator.tags_in(R"(["caf\u00e9", "a]b"])") == Names{"caf\xC3\xA9", "a]b"});
    CHECK(separator.tags_in("[3, 1]") == Names{"3", "1"});
    CHECK(separator.tags_in("[3 1]") == Names{"3", "1"});
    CHECK(separator.tags_in("[golden retriever, pug]") == Names{"golden retriever", "pug"});
    CHECK(separator.tags_in("[pug]") == Names{"pug"});
    CHECK(separator.tags_in("[]") == Names{});
    CHECK(separator.tags_in("['']") == Names{});
    for (const char* other : {"['a''b']", "['a', b]", "['a' 'b', 'c']", "['a]", "[a, 'b']", "[['a'], ['b']]",
                              "['a', , 'b']", "['a'] ['b']", R"(['\x41'])"}) {
      INFO(other);
      CHECK_FALSE(separator.tags_in(other));
      CHECK(separator.tags_of(other) == Names{other});
    }
  }
  CHECK_FALSE(comma.tags_in("[golden retriever]"));
  CHECK(space.tags_in("[haze water]") == Names{"haze", "water"});
  CHECK(TagSeparator("bar").tags_in("[a|b c]") == Names{"a", "b c"});
}

TEST_CASE("a name in brackets among other names is one class", "[unit][pack]") {
  CHECK(kind_of({"[not known]", "cat", "dog"}) == Kind::one_class);
}
