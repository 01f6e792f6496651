#include <octavo/errors.hpp>

#include "catch.hpp"
#include "files/file_tree.hpp"
#include "sources/made_files.hpp"
#include "temporary_folder.hpp"

using namespace octavo;
using namespace octavo::files;
using namespace octavo::test;

using Names = std::vector<std::string>;

TEST_CASE("several trees become folders of one tree by their names", "[unit][files]") {
  const TemporaryFolder folder;
  write_file(folder / "one/a/x", "first");
  write_file(folder / "two/a/x", "second");
  const auto tree = unite({open_folder(folder / "one"), open_folder(folder / "two")});
  CHECK(tree->entries("").folders == Names{"one", "two"});
  CHECK(tree->entries("two/a").files == Names{"x"});
  CHECK(tree->files_below("") == Names{"one/a/x", "two/a/x"});
  CHECK(tree->files_below("two") == Names{"a/x"});
  CHECK(tree->read_whole("one/a/x", 10) == "first");
  CHECK(tree->open("two/a/x")->read_whole(10) == "second");
  CHECK(tree->roots().size() == 2);
  CHECK(tree->reading_rank("one/a/x") < tree->reading_rank("two/a/x"));
  CHECK_FALSE(tree->has_file("one"));
  CHECK_THROWS_AS(tree->has_file("three/x"), InvalidArgument);
}

TEST_CASE("a single tree stays unchanged and two with the same name are refused", "[unit][files]") {
  const TemporaryFolder folder;
  write_file(folder / "one/x", "1");
  write_file(folder / "other/one/x", "1");
  const auto alone = open_folder(folder / "one");
  CHECK(unite({alone}) == alone);
  CHECK_THROWS_WITH(unite({alone, open_folder(folder / "other/one")}), ContainsSubstring("same name"));
}
