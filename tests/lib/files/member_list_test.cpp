#include "files/member_list.hpp"

#include "catch.hpp"

using namespace octavo::files;

namespace {

MemberList list_of(const std::vector<std::string>& names) {
  MemberList list;
  for (std::size_t i = 0; i < names.size(); ++i) list.add(names[i], {static_cast<std::int64_t>(i), 10});
  return list;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("names form folders in byte order for any order in the archive", "[unit][files]") {
  const MemberList list = list_of({"b/2.png", "a.txt", "b/10.png", "B/x", "b/c/d/e", "b/1.png"});
  CHECK(list.entries("").folders == Names{"B", "b"});
  CHECK(list.entries("").files == Names{"a.txt"});
  CHECK(list.entries("b").files == Names{"1.png", "10.png", "2.png"});
  CHECK(list.entries("b").folders == Names{"c"});
  CHECK(list.entries("none").files.empty());
  CHECK(list.files_below("b") == Names{"1.png", "10.png", "2.png", "c/d/e"});
  CHECK(list.files_below("") == Names{"a.txt", "B/x", "b/1.png", "b/10.png", "b/2.png", "b/c/d/e"});
}

TEST_CASE("names with a parent part are left out and names with a hidden part are not listed", "[unit][files]") {
  MemberList list;
  for (const char* const name : {"../x", "a/../x", "a/..", "..", ".", "", "/"}) {
    INFO(name);
    CHECK_FALSE(list.add(name, {}));
  }
  // Links may lead to hidden files.
  for (const char* const name : {"a/.hidden", ".git/x", "__MACOSX/x"}) CHECK(list.add(name, {}));
  CHECK(list.files_below("").empty());
}

TEST_CASE("links lead to members, and those that lead nowhere are counted", "[unit][files]") {
  MemberList list;
  list.add_symlink("late.png", "a/x.png");
  list.add("a/x.png", {7, 10});
  list.add_hard_link("b/y.png", "a/x.png");
  list.add("a/x.png", {9, 10});  // the hard link keeps the file that it named
  list.add_symlink("c", "a");
  list.add_symlink("loop", "loop");
  list.add_symlink("out", "../x");
  list.resolve_links();
  REQUIRE(list.find("late.png") != nullptr);
  CHECK(list.find("late.png")->number == 9);
  REQUIRE(list.find("b/y.png") != nullptr);
  CHECK(list.find("b/y.png")->number == 7);
  REQUIRE(list.find("c/x.png") != nullptr);
  CHECK(list.find("c/x.png")->number == 9);
  CHECK(list.find("loop") == nullptr);
  CHECK(list.lost_links().count == 2);
  CHECK(list.lost_links().first == "loop -> loop");
}

TEST_CASE("absolute names and names with empty parts are below the root", "[unit][files]") {
  const MemberList list = list_of({"/etc/x", "./a//b/./c"});
  CHECK(list.files_below("") == Names{"a/b/c", "etc/x"});
  CHECK(list.find("etc/x") != nullptr);
  CHECK(list.find("/etc/x") == nullptr);
}

TEST_CASE("the last of several members with the same path counts", "[unit][files]") {
  const MemberList list = list_of({"a/x", "a/y", "./a/x"});
  REQUIRE(list.find("a/x") != nullptr);
  CHECK(list.find("a/x")->number == 2);
  CHECK(list.entries("a").files == Names{"x", "y"});
  CHECK(list.find("a") == nullptr);
  CHECK(list.find("none") == nullptr);
}

TEST_CASE("the held bytes of a list grow with the depth of names but not with repeated names", "[unit][files]") {
  const auto held = [](const Names& names) { return list_of(names).held_bytes(); };
  CHECK(held({}) == 0);
  CHECK(held({"a/x", "a/x"}) == held({"a/x"}));
  std::string deep;
  for (int i = 0; i < 100; ++i) deep += "a/";
  // The paths of 100 folders have 1 + 3 + ... + 199 bytes.
  CHECK(held({deep + "x"}) > 10'000);
}
