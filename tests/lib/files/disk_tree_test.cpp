#include <octavo/errors.hpp>

#include "catch.hpp"
#include "files/file_tree.hpp"
#include "sources/made_files.hpp"
#include "temporary_folder.hpp"
#include "working_folder.hpp"

using namespace octavo;
using namespace octavo::files;
using namespace octavo::test;

using Names = std::vector<std::string>;

TEST_CASE("a folder lists its folders and files in byte order without hidden ones", "[unit][files]") {
  const TemporaryFolder folder;
  for (const char* const name : {"b/2", "b/10", "a", "B/c/x", ".hidden", "b/.hidden"}) write_file(folder / name, "1");
  const auto tree = open_folder(folder.path());
  CHECK(tree->entries("").folders == Names{"B", "b"});
  CHECK(tree->entries("").files == Names{"a"});
  CHECK(tree->files_below("") == Names{"a", "B/c/x", "b/10", "b/2"});
  CHECK(tree->files_below("b") == Names{"10", "2"});
  CHECK(tree->has_file("b/2"));
  CHECK_FALSE(tree->has_file("b/3"));
  CHECK_THROWS_AS(tree->entries("none"), IoError);
  CHECK_THROWS_AS(tree->files_below("a"), IoError);
}

TEST_CASE("a folder that is also reachable through links is listed once", "[unit][files]") {
  const TemporaryFolder folder;
  write_file(folder / "a/x", "1");
  std::filesystem::create_directory_symlink("..", folder / "a/up");
  std::filesystem::create_directory_symlink("a", folder / "b");
  CHECK(open_folder(folder.path())->files_below("") == Names{"a/x"});
}

TEST_CASE("the folder without a name is the current one", "[unit][files]") {
  const TemporaryFolder folder;
  const WorkingFolder working(folder.path());
  write_file(folder / "a/x", "1");
  const auto tree = open_folder("");
  CHECK(tree->files_below("") == Names{"a/x"});
  CHECK(tree->entries("").folders == Names{"a"});
  CHECK(tree->folder_identity("") == tree->folder_identity("a/.."));
  CHECK(tree->disk_path("a/x") == "a/x");
}

TEST_CASE("files of a folder are named by their path on disk", "[unit][files]") {
  const TemporaryFolder folder;
  write_file(folder / "a/x", "12345");
  const auto tree = open_folder(folder.path());
  CHECK(tree->disk_path("a/x") == folder / "a/x");
  CHECK(tree->file_of("a/x") == folder / "a/x");
  CHECK_THAT(tree->name_of("a/x"), ContainsSubstring("/a/x\""));
  CHECK(tree->open("a/x")->length() == 5);
  CHECK(tree->read_whole("a/x", 5) == "12345");
  CHECK_THROWS_AS(tree->read_whole("a/x", 4), IoError);
}

TEST_CASE("paths are joined with a slash if both sides are non-empty", "[unit][files]") {
  CHECK(join_path("a", "b") == "a/b");
  CHECK(join_path("", "b") == "b");
  CHECK(join_path("a", "") == "a");
}
