#include "arrays/cifar_pickle.hpp"

#include "catch.hpp"
#include "made_arrays.hpp"

using namespace octavo;
using namespace octavo::arrays;
using namespace octavo::test;
using namespace std::string_literals;

namespace {

std::string pickle_refusal(const std::string& pickle) {
  try {
    detect_cifar_pickle(*stream_of("\x80\x02}" + pickle));
  } catch (const FormatError& error) {
    return error.what();
  }
  return "accepted";
}

std::vector<std::string> names_in(const std::string& list) {
  return read_cifar_names(*stream_of("\x80\x02}(U\x0Blabel_names" + list + "u."));
}

}  // namespace

TEST_CASE("a pickle is a CIFAR batch if it names data and labels", "[unit][arrays]") {
  const auto kind = [](const std::string& pickle) { return detect_cifar_pickle(*stream_of(pickle)); };
  CHECK(kind("\x80\x02}(U\4dataNU\6labels]u.") == 10);
  CHECK(kind("\x80\x02}(U\4dataNU\x0B"
             "fine_labels]u.") == 100);
  CHECK_FALSE(kind("\x80\x02}(U\6labels]u.").has_value());
  CHECK_FALSE(kind("\x80\x02].").has_value());
  CHECK_FALSE(kind("").has_value());
  CHECK_FALSE(kind("\x80\x04}.").has_value());
}

TEST_CASE("unknown instructions and instructions that call are refused", "[unit][arrays]") {
  CHECK_THAT(pickle_refusal("cos\nsystem\n(U\2lstR."), ContainsSubstring("tries to call os system"));
  CHECK_THAT(pickle_refusal("cnumpy\nload\n(U\1atR."), ContainsSubstring("tries to call numpy load"));
  CHECK_THAT(pickle_refusal("\x93."), ContainsSubstring("an instruction that no CIFAR batch"));
  CHECK_THAT(pickle_refusal("0."), ContainsSubstring("an instruction that no CIFAR batch"));
}

TEST_CASE("instructions with missing operands are refused", "[unit][arrays]") {
  for (const std::string& pickle : {"t."s, "aaa."s, "h\5."s, "Kas."s, "uu."s, "R."s, "b."s, "\x87."s, "(1."s}) {
    INFO(pickle);
    CHECK(pickle_refusal(pickle) != "accepted");
  }
  CHECK_THAT(pickle_refusal("K"), ContainsSubstring("cut short"));
}

TEST_CASE("more texts or names or instructions than a batch has are refused", "[unit][arrays]") {
  CHECK_THAT(pickle_refusal("X\xFF\xFF\xFF\x7F."), ContainsSubstring("longer than the file"));
  CHECK_THAT(pickle_refusal("X\xFF\xFF\xFF\xFF."), ContainsSubstring("longer than the file"));
  CHECK_THAT(pickle_refusal("c" + std::string(5000, 'x')), ContainsSubstring("name in it is too long"));
  CHECK_THAT(pickle_refusal(std::string(600'001, 'N') + "."), ContainsSubstring("more instructions"));
  std::string texts;
  for (int i = 0; i < 4097; ++i) texts += "X\0\x10\0\0"s + std::string(4096, 'x');
  CHECK_THAT(pickle_refusal(texts + "."), ContainsSubstring("more text"));
}

TEST_CASE("at most a hundred class names are read", "[unit][arrays]") {
  CHECK(names_in("](U\3catU\3doge") == std::vector<std::string>{"cat", "dog"});
  CHECK(names_in("]").empty());
  std::string hundred = "](";
  for (int i = 0; i < 100; ++i) hundred += "U\1a";
  CHECK(names_in(hundred + "e").size() == 100);
  CHECK_THROWS_WITH(names_in(hundred + "U\1ae"), ContainsSubstring("more class names"));
}
