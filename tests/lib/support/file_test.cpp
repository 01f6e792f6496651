#include "support/file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include <fstream>
#include <octavo/errors.hpp>
#include <vector>

#include "catch.hpp"
#include "temporary_folder.hpp"

using octavo::File;

TEST_CASE("bytes written at an offset are read back", "[unit][support]") {
  const octavo::test::TemporaryFolder folder;
  const File file = File::create_new(folder / "a");
  const std::vector<std::byte> bytes(3 * octavo::kWriteBlockBytes / 2, std::byte{7});
  file.write_at(5, bytes);
  std::vector<std::byte> back(bytes.size());
  file.read_at(5, back);
  REQUIRE(back == bytes);
  REQUIRE(file.length() == static_cast<std::int64_t>(bytes.size()) + 5);
}

TEST_CASE("reading past the end of a file reports where it ends", "[unit][support]") {
  const octavo::test::TemporaryFolder folder;
  std::ofstream(folder / "a") << "12345";
  const File file = File::open_for_reading(folder / "a");
  std::vector<std::byte> out(4);
  REQUIRE_THROWS_WITH(file.read_at(3, out), ContainsSubstring("ends at byte 5"));
}

TEST_CASE("a folder or a pipe is refused for reading and does not hang", "[unit][support]") {
  const octavo::test::TemporaryFolder folder;
  REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
  REQUIRE_THROWS_AS(File::open_for_reading(folder.path()), octavo::IoError);
  REQUIRE_THROWS_AS(File::open_for_reading(folder / "pipe"), octavo::IoError);
}

TEST_CASE("a missing file is named on one line", "[unit][support]") {
  REQUIRE_THROWS_WITH(File::open_for_reading("no\nsuch"), ContainsSubstring("open \"no?such\": No such file"));
}

TEST_CASE("an existing file is not created again", "[unit][support]") {
  const octavo::test::TemporaryFolder folder;
  std::ofstream(folder / "a") << "x";
  REQUIRE_THROWS_AS(File::create_new(folder / "a"), octavo::IoError);
}

TEST_CASE("the error of a full disk has the free space", "[unit][support]") {
  const octavo::test::TemporaryFolder folder;
  try {
    octavo::throw_io_error("write", folder / "a", ENOSPC);
  } catch (const octavo::IoError& error) {
    CHECK_THAT(error.what(), ContainsSubstring("No space left on device (") &&
                                 ContainsSubstring("iB free); free some space or choose another folder"));
  }
}

TEST_CASE("the successor of a file gets its permissions", "[unit][support]") {
  namespace fs = std::filesystem;
  const octavo::test::TemporaryFolder folder;
  std::ofstream(folder / "old") << "x";
  std::ofstream(folder / "new") << "y";
  const auto permissions = [&] { return fs::status(folder / "new").permissions(); };
  const fs::perms by_umask = permissions();
  octavo::hide_successor(folder / "none", folder / "new");
  octavo::keep_permissions(folder / "none", folder / "new");
  CHECK(permissions() == by_umask);
  fs::permissions(folder / "old", fs::perms{0642});
  octavo::hide_successor(folder / "old", folder / "new");
  CHECK(permissions() == fs::perms{0600});
  octavo::keep_permissions(folder / "old", folder / "new");
  CHECK(permissions() == fs::perms{0642});
}

TEST_CASE("the successor of a file gets its owner and group where that is allowed", "[unit][support]") {
  if (::geteuid() != 0) OCTAVO_SKIP("only the superuser can give files away");
  const octavo::test::TemporaryFolder folder;
  std::ofstream(folder / "old") << "x";
  std::ofstream(folder / "new") << "y";
  if (::chown((folder / "old").c_str(), 12345, 54321) != 0) OCTAVO_SKIP("this file system has one owner");
  octavo::keep_permissions(folder / "old", folder / "new");
  struct stat status {};
  REQUIRE(::stat((folder / "new").c_str(), &status) == 0);
  CHECK(status.st_uid == 12345);
  CHECK(status.st_gid == 54321);
}
