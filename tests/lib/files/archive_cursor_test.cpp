#include "files/archives/archive_cursor.hpp"

#include <octavo/errors.hpp>

#include "catch.hpp"
#include "sources/made_archive.hpp"
#include "sources/made_files.hpp"
#include "temporary_folder.hpp"

using namespace octavo;
using namespace octavo::files;
using namespace octavo::test;

namespace {

ArchiveKind any_kind() { return GENERATE(ArchiveKind::tar, ArchiveKind::tar_gz, ArchiveKind::zip); }

}  // namespace

TEST_CASE("a cursor visits all entries and reads the requested ones", "[unit][files]") {
  const TemporaryFolder folder;
  write_archive(folder / "a", any_kind(), {{"x", "first"}, {"d/empty", ""}, {"d/y", counting(1000)}});
  CHECK(begins_as_archive(folder / "a"));
  ArchiveCursor cursor(folder / "a");
  ArchiveEntry entry;
  std::string bytes(2000, '?');
  REQUIRE(cursor.advance(entry));
  CHECK(entry.name == "x");
  CHECK(entry.kind == files::EntryKind::file);
  REQUIRE(cursor.advance(entry));
  CHECK(entry.name == "d/empty");
  CHECK(cursor.read_some(std::as_writable_bytes(std::span(bytes))) == 0);
  REQUIRE(cursor.advance(entry));
  CHECK(cursor.passed() == 3);
  std::size_t done = 0;
  for (std::size_t count = 1; count > 0; done += count) {
    count = cursor.read_some(std::as_writable_bytes(std::span(bytes).subspan(done, 300)));
  }
  CHECK(bytes.substr(0, done) == counting(1000));
  CHECK_FALSE(cursor.advance(entry));
}

TEST_CASE("other files are distinguished from archives and opening one is an error with its name", "[unit][files]") {
  const TemporaryFolder folder;
  const std::string bytes = GENERATE(std::string(), std::string("x"), std::string(600, '\0'), counting(5000));
  write_file(folder / "a", bytes);
  CHECK_FALSE(begins_as_archive(folder / "a"));
  ArchiveEntry entry;
  CHECK_THROWS_WITH(([&] { ArchiveCursor(folder / "a").advance(entry) ? 0 : throw FormatError("a\""); }()),
                    ContainsSubstring("a\""));
  CHECK_THROWS_AS(begins_as_archive(folder / "none"), IoError);
}
