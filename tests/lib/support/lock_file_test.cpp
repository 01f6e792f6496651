#include "support/lock_file.hpp"

#include <unistd.h>

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

TEST_CASE("a lock in a folder without permission names the folder", "[unit][support]") {
  const octavo::test::TemporaryFolder folder;
  const std::filesystem::path locked = folder / "locked";
  std::filesystem::create_directory(locked);
  std::filesystem::permissions(locked, std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  const uid_t user = ::geteuid();
  constexpr uid_t kNobody = 65534;
  if (user == 0) REQUIRE(::seteuid(kNobody) == 0);  // root may write anywhere
  std::string message;
  try {
    const LockFile lock(locked / ".a.h5.lock", "it is taken");
  } catch (const octavo::IoError& error) {
    message = error.what();
  }
  if (user == 0) REQUIRE(::seteuid(user) == 0);
  CHECK(message == "write to the folder \"" + locked.string() +
                       "\": Permission denied; check its permissions, or choose another folder");
}
