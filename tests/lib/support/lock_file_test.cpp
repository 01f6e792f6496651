#include "support/lock_file.hpp"

#include <fstream>
#include <octavo/errors.hpp>
#include <optional>

#include "catch.hpp"
#include "temporary_folder.hpp"

using octavo::LockFile;

TEST_CASE("a lock has one owner at a time and leaves no file", "[unit][support]") {
  const octavo::test::TemporaryFolder folder;
  std::optional<LockFile> first(std::in_place, folder / "lock", "it is taken");
  REQUIRE_THROWS_WITH(LockFile(folder / "lock", "it is taken"), "it is taken");
  first.reset();
  CHECK(octavo::test::names_in(folder.path()).empty());
  REQUIRE_NOTHROW(LockFile(folder / "lock", "it is taken"));
}

TEST_CASE("a leftover lock file does not block anyone", "[unit][support]") {
  const octavo::test::TemporaryFolder folder;
  std::ofstream(folder / "lock") << "";
  REQUIRE_NOTHROW(LockFile(folder / "lock", "it is taken"));
}
