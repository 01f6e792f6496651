#include "files/archives/member_list.hpp"

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

TEST_CASE("a symbolic link leads to a file or folder relative to its own folder", "[unit][files]") {
  MemberList list;
  list.add_symlink("early", "b/c/x");  // its target comes later
  list.add("b/c/x", {7, 10});
  list.add_symlink("b/up.png", "../b/./c//x");
  list.add_symlink("b/chain", "up.png");
  list.add_symlink("folder", "b/c");
  list.add_symlink("b/c/through", "../../folder/x");
  list.resolve_links();
  CHECK(list.lost_links().count == 0);
  for (const char* const path : {"early", "b/up.png", "b/chain", "b/c/through", "folder/x", "folder/through"}) {
    INFO(path);
    REQUIRE(list.find(path) != nullptr);
    CHECK(list.find(path)->number == 7);
  }
  CHECK(list.entries("").folders == Names{"b", "folder"});
  CHECK(list.entries("").files == Names{"early"});
  CHECK(list.entries("folder").files == Names{"through", "x"});
  CHECK(list.find("folder") == nullptr);
  CHECK(list.find("folder/none") == nullptr);
}

TEST_CASE("a folder that several links lead to is listed once", "[unit][files]") {
  MemberList list;
  list.add("a/x", {});
  list.add_symlink("a/up", "..");
  list.add_symlink("a/here", ".");
  list.add_symlink("b", "a");
  list.resolve_links();
  CHECK(list.files_below("") == Names{"a/x"});
  CHECK(list.files_below("b") == Names{"x"});
  CHECK(list.files_below("b/up/a/here") == Names{"x"});
}

TEST_CASE("links show files of hidden folders", "[unit][files]") {
  MemberList list;
  list.add(".store/ab/1", {1, 5});
  list.add(".store/ab/.2", {2, 5});
  list.add_symlink("cat/1.png", "../.store/ab/1");
  list.add_symlink("dog", ".store/ab");
  list.add_symlink(".lost", "nowhere");
  list.resolve_links();
  CHECK(list.files_below("") == Names{"cat/1.png", "dog/1"});
  CHECK(list.lost_links().count == 0);  // a hidden link is not listed anyway
}

TEST_CASE("a hard link is its file as it is then or in the end if it comes first", "[unit][files]") {
  MemberList list;
  list.add("a", {0, 1});
  list.add_hard_link("d/b", "./a");
  list.add("a", {2, 1});
  list.add_hard_link("first", "second");
  list.add_hard_link("second", "d/late");
  list.add("d/late", {5, 1});
  list.add_symlink("s", "d/b");
  list.add_hard_link("d/s", "s");  // the same text leads to d/d/b from another folder
  list.resolve_links();
  CHECK(list.find("d/b")->number == 0);
  CHECK(list.find("a")->number == 2);
  CHECK(list.find("first")->number == 5);
  CHECK(list.find("second")->number == 5);
  CHECK(list.find("s")->number == 0);
  CHECK(list.find("d/s") == nullptr);
  CHECK(list.lost_links().count == 1);
  CHECK(list.lost_links().first == "d/s -> d/b");
  CHECK(list.is_shared({0, 1}));
  CHECK(list.is_shared({5, 1}));
  CHECK_FALSE(list.is_shared({2, 1}));
}

TEST_CASE("links that lead nowhere or outside the archive are not listed", "[unit][files]") {
  const auto [target, is_hard] = GENERATE(table<const char*, bool>({{"../../x", false},
                                                                    {"/a/x", false},
                                                                    {"none", false},
                                                                    {"x/below", false},
                                                                    {"none/../x", false},
                                                                    {"l", false},
                                                                    {"loop", false},
                                                                    {"..", true},
                                                                    {"../x", true},
                                                                    {"a", true},
                                                                    {"a/l", true},
                                                                    {"a/none", true}}));
  INFO(target);
  MemberList list;
  list.add("a/x", {});
  list.add_symlink("a/loop", "../a/l");
  is_hard ? list.add_hard_link("a/l", target) : list.add_symlink("a/l", target);
  list.resolve_links();
  CHECK(list.find("a/l") == nullptr);
  CHECK(list.files_below("") == Names{"a/x"});
  CHECK(list.lost_links().count == 2);
}

TEST_CASE("a lost link is named with its target as the archive has it", "[unit][files]") {
  const auto [target, is_hard] =
      GENERATE(table<const char*, bool>({{"/etc/hostname", true}, {"./none", true}, {"/etc/hostname", false}}));
  INFO(target);
  MemberList list;
  is_hard ? list.add_hard_link("a/l", target) : list.add_symlink("a/l", target);
  list.resolve_links();
  CHECK(list.lost_links().first == std::string("a/l -> ") + target);
}

TEST_CASE("a later entry replaces a link and a link replaces an earlier file", "[unit][files]") {
  MemberList list;
  list.add("x", {0, 1});
  list.add("y", {1, 1});
  list.add_symlink("x", "y");
  list.add_symlink("z", "y");
  list.add("z", {4, 1});
  list.add_symlink("f", "d");
  list.add_folder("f/");  // a folder, unlike one that a path implies, replaces the link
  list.add("f/x", {7, 1});
  list.add("d/x", {8, 1});
  list.add_symlink("d", "f");  // does not replace a folder
  list.resolve_links();
  CHECK(list.find("x")->number == 1);
  CHECK(list.find("z")->number == 4);
  CHECK(list.find("f/x")->number == 7);
  CHECK(list.find("d/x")->number == 8);
  CHECK(list.lost_links().first == "d -> f");
}

TEST_CASE("files below a link go to its folder or to a new one if it leads nowhere", "[unit][files]") {
  MemberList list;
  list.add("real/1", {0, 1});
  list.add_symlink("link", "real");
  list.add("link/2", {2, 1});
  list.add_symlink("outside", "../up");
  list.add("outside/3", {4, 1});
  list.resolve_links();
  CHECK(list.files_below("") == Names{"link/1", "link/2", "outside/3"});
  CHECK(list.find("real/2")->number == 2);
  CHECK(list.lost_links().count == 0);
}

TEST_CASE("a path may lead through 40 links like on Linux", "[unit][files]") {
  MemberList list;
  list.add("x", {0, 1});
  list.add_symlink("0", "x");
  for (int i = 1; i <= 40; ++i) list.add_symlink(std::to_string(i), std::to_string(i - 1));
  list.resolve_links();
  CHECK(list.find("39") != nullptr);
  CHECK(list.find("40") == nullptr);
  CHECK(list.lost_links().count == 1);
}

TEST_CASE("a hundred thousand links lead to their file", "[unit][files][plain-only]") {
  constexpr int kLinks = 100'000;
  MemberList list;
  list.add("a/x", {0, 1});
  std::string detour = "a/x";
  for (int i = 0; i < 10; ++i) detour = "a/../" + detour;
  for (int i = 0; i < kLinks; ++i) list.add_symlink(std::to_string(i), i % 2 == 0 ? detour : std::to_string(i + 1));
  list.resolve_links();
  CHECK(list.files_below("").size() == kLinks);  // the last link leads to 100,000, which does not exist
  CHECK(list.lost_links().count == 1);
}

TEST_CASE("links that take too long to follow are refused", "[unit][files][plain-only]") {
  // 38 links with 1,600 parts each, all of which each of the others follows.
  MemberList list;
  list.add("a/x", {0, 1});
  std::string detour;
  for (int i = 0; i < 800; ++i) detour += "a/../";
  list.add_symlink("0", detour + "a/x");
  for (int i = 1; i < 39; ++i) list.add_symlink(std::to_string(i), detour + std::to_string(i - 1));
  for (int i = 39; i < 300; ++i) list.add_symlink(std::to_string(i), "38");
  CHECK_THROWS_WITH(list.resolve_links(), ContainsSubstring("takes too long"));
}

TEST_CASE("links to folders that list the same files again and again are refused", "[unit][files]") {
  MemberList list;
  for (int i = 0; i < 10'000; ++i) list.add("many/" + std::to_string(i), {i, 1});
  for (int i = 0; i < 10'000; ++i) list.add_symlink("class" + std::to_string(i), "many");
  list.resolve_links();
  CHECK(list.files_below("").size() == 10'000);
  const auto list_each = [&] {
    for (const std::string& name : list.entries("").folders) list.files_below(name);
  };
  CHECK_THROWS_WITH(list_each(), ContainsSubstring("too many times"));
}

TEST_CASE("folders that link to each other are listed once each", "[unit][files]") {
  // Otherwise, the number of paths doubles with each of them.
  constexpr int kFolders = 30;
  MemberList list;
  for (int i = 0; i < kFolders; ++i) {
    const std::string folder = "d" + std::to_string(i);
    const std::string next = "../d" + std::to_string((i + 1) % kFolders);
    list.add(folder + "/x", {i, 1});
    list.add_symlink(folder + "/l", next);
    list.add_symlink(folder + "/r", next);
  }
  list.resolve_links();
  CHECK(list.files_below("").size() == kFolders);
  CHECK(list.files_below("d7").size() == kFolders);
}

TEST_CASE("a path that grows by each of its links is refused", "[unit][files]") {
  MemberList list;
  const std::string name(100, 'n');
  for (int i = 0; i < 60; ++i) {
    const std::string folder = ".d" + std::to_string(i);
    list.add(folder + "/x", {i, 1});
    list.add_symlink(folder + "/" + name, "../.d" + std::to_string(i + 1));
  }
  list.add_symlink("start", ".d0");
  list.resolve_links();
  CHECK_THROWS_WITH(list.files_below(""), ContainsSubstring("has more than 4096 bytes"));
}

TEST_CASE("empty folders of an archive are listed", "[unit][files]") {
  MemberList list;
  list.add_folder("a/b/");
  list.add_folder("..");
  CHECK(list.entries("a").folders == Names{"b"});
  CHECK(list.entries("").folders == Names{"a"});
}
