#include <octavo/errors.hpp>

#include "catch.hpp"
#include "files/file_tree.hpp"
#include "sources/made_archive.hpp"
#include "sources/made_files.hpp"
#include "temporary_folder.hpp"

using namespace octavo;
using namespace octavo::files;
using namespace octavo::test;

using Names = std::vector<std::string>;

namespace {

/// 300,000 bytes: more than the block size in which files are read.
std::string large() { return counting(300'000); }

std::shared_ptr<const FileTree> made(const TemporaryFolder& folder) {
  const auto kind = GENERATE(ArchiveKind::tar, ArchiveKind::tar_gz, ArchiveKind::zip);
  write_archive(
      folder / "a.x", kind,
      {{"b/large", large()}, {"b/empty", ""}, {"../up", "1"}, {"a/small", "abc"}, {"c.gz", gzipped("inner")}});
  return open_archive(folder / "a.x", 1100);
}

}  // namespace

TEST_CASE("an archive is a tree of files that can be read in any order", "[unit][files]") {
  const TemporaryFolder folder;
  const auto tree = made(folder);
  CHECK(tree->files_below("") == Names{"c.gz", "a/small", "b/empty", "b/large"});
  CHECK(tree->read_whole("a/small", 3) == "abc");
  CHECK(tree->read_whole("b/large", 300'000) == large());
  CHECK(tree->read_whole("b/empty", 0).empty());
  CHECK(tree->read_whole("a/small", 3) == "abc");
  CHECK(tree->reading_rank("b/large") < tree->reading_rank("a/small"));
  CHECK_FALSE(tree->disk_path("a/small").has_value());
  CHECK(tree->file_of("a/small") == folder / "a.x");
  CHECK_THAT(tree->name_of("a/small"), ContainsSubstring("a.x: a/small\""));
}

TEST_CASE("a file in an archive is a stream and gzip files are inflated", "[unit][files]") {
  const TemporaryFolder folder;
  const auto tree = made(folder);
  const auto stream = tree->open("b/large");
  CHECK(stream->length() == 300'000);
  std::string bytes(10, '?');
  stream->read_at(299'990, std::as_writable_bytes(std::span(bytes)));
  CHECK(bytes == large().substr(299'990));
  stream->read_at(5, std::as_writable_bytes(std::span(bytes)));
  CHECK(bytes == large().substr(5, 10));
  CHECK(tree->open("c.gz")->read_whole(100) == "inner");
}

TEST_CASE("a file that is missing from the archive or too large is refused by name", "[unit][files]") {
  const TemporaryFolder folder;
  const auto tree = made(folder);
  CHECK_THROWS_WITH(tree->read_whole("none", 10), ContainsSubstring("it has no file \"none\""));
  CHECK_THROWS_AS(tree->open("b"), InvalidArgument);
  CHECK_THROWS_WITH(tree->read_whole("b/large", 299'999), ContainsSubstring("b/large"));
}
