// A cache that is full, on a full disk, or in a folder that cannot be used.
#include <octavo/cached_source.hpp>

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>

#include "cache_files.hpp"
#include "catch.hpp"
#include "counted_source.hpp"
#include "temporary_folder.hpp"

using namespace octavo;
using namespace octavo::test;

namespace {

std::shared_ptr<CountedSource> source_named(const std::string& name, std::int64_t length) {
  const auto source = std::make_shared<CountedSource>(length);
  source->set_name(name);
  return source;
}

/// Reads all of `plain` through a cache, and closes it.
CacheStatistics read_all(const std::shared_ptr<CountedSource>& plain, const CacheOptions& options) {
  const auto source = cached(plain, options);
  REQUIRE(reads_the_bytes_of(*source, *plain, 0, plain->length()));
  REQUIRE(source->problem().empty());
  return source->statistics();
}

/// Reads all of `plain` with a cache that cannot be used. Returns the problem.
std::string problem_of(const std::shared_ptr<CountedSource>& plain, const CacheOptions& options) {
  const auto source = cached(plain, options);
  for (int round = 0; round < 2; ++round) REQUIRE(reads_the_bytes_of(*source, *plain, 0, plain->length()));
  return source->problem();
}

}  // namespace

TEST_CASE("a full cache keeps what it has and reads the rest as it is", "[unit][cache]") {
  const TemporaryFolder folder;
  const auto plain = std::make_shared<CountedSource>(40 * kBlock);
  const CacheOptions options{folder.path(), 20 * kBlock};
  const auto source = cached(plain, options);
  for (std::int64_t block = 0; block < 40; ++block) {
    REQUIRE(reads_the_bytes_of(*source, *plain, block * kBlock + 7, 1000));
    REQUIRE(cache_bytes_in(folder.path()) <= options.most_bytes);
  }
  const CacheStatistics cold = source->statistics();
  REQUIRE(cold.kept_blocks >= 18);
  REQUIRE(cold.kept_blocks + cold.not_kept_blocks == 40);
  plain->take_reads();
  // A second epoch: only what is missing is read, and only the bytes that are wanted.
  for (std::int64_t block = 0; block < 40; ++block) {
    REQUIRE(reads_the_bytes_of(*source, *plain, block * kBlock + 7, 1000));
  }
  const auto reads = plain->take_reads();
  REQUIRE(std::ssize(reads) == 40 - cold.kept_blocks);
  for (const auto& [offset, length] : reads) {
    REQUIRE(offset % kBlock == 7);
    REQUIRE(length == 1000);
  }
  source->start_read(39 * kBlock + 7, 1000);
  REQUIRE(plain->take_started() == std::vector<CountedSource::Range>{{39 * kBlock + 7, 1000}});
  REQUIRE(source->problem().empty());
}

TEST_CASE("the least recently used files that nobody has open make room", "[unit][cache]") {
  const TemporaryFolder folder;
  const CacheOptions options{folder.path(), 35 * kBlock};
  const auto a = source_named("a", 10 * kBlock), b = source_named("b", 10 * kBlock), c = source_named("c", 10 * kBlock),
             d = source_named("d", 10 * kBlock);
  read_all(a, options);
  read_all(b, options);
  const auto open = cached(c, options);
  REQUIRE(reads_the_bytes_of(*open, *c, 0, c->length()));
  REQUIRE(read_all(a, options).fetched_blocks == 0);  // now b is the least recently used one
  REQUIRE(read_all(d, options).kept_blocks == 10);
  REQUIRE(cache_bytes_in(folder.path()) <= options.most_bytes);
  REQUIRE(read_all(a, options).fetched_blocks == 0);
  REQUIRE(reads_the_bytes_of(*open, *c, 0, c->length()));
  REQUIRE(open->statistics().fetched_blocks == 10);
  REQUIRE(read_all(b, options).fetched_blocks == 10);
}

TEST_CASE("files of others in the folder are neither counted nor removed", "[unit][cache]") {
  const TemporaryFolder folder;
  const std::string contents(300'000, 'x');
  for (const char* const name : {"notes.txt", "x.octavo-cache", "0123456789abcdef0123456789abcdef.octavo-cache.txt"}) {
    std::ofstream(folder / name) << contents;
  }
  REQUIRE(read_all(source_named("a", 10 * kBlock), {folder.path(), 12 * kBlock}).kept_blocks == 10);
  REQUIRE(read_all(source_named("b", 10 * kBlock), {folder.path(), 12 * kBlock}).kept_blocks == 10);
  REQUIRE(names_in(folder.path()).size() == 5);
}

TEST_CASE("a cache that is smaller than a block is not used", "[unit][cache]") {
  const TemporaryFolder folder;
  const auto plain = std::make_shared<CountedSource>(3 * kBlock);
  for (const std::int64_t most_bytes : {std::int64_t{1}, std::int64_t{4096}, std::int64_t{30'000}, kBlock}) {
    REQUIRE(read_all(plain, {folder.path(), most_bytes}).kept_blocks == 0);
    REQUIRE(cache_bytes_in(folder.path()) <= most_bytes);
  }
}

TEST_CASE("space that a user frees is used", "[unit][cache]") {
  const TemporaryFolder folder;
  const CacheOptions options{folder.path(), 12 * kBlock};
  read_all(source_named("a", 10 * kBlock), options);
  for (const auto& file : cache_files_in(folder.path())) std::filesystem::remove(file);
  REQUIRE(read_all(source_named("b", 10 * kBlock), options).kept_blocks == 10);
}

TEST_CASE("files and folders of a cache are private", "[unit][cache]") {
  const TemporaryFolder folder;
  const mode_t mask = ::umask(0);
  read_all(source_named("https://user:secret@host/data.h5?token=secret", kBlock), {folder / "new" / "cache", kPlenty});
  ::umask(mask);
  REQUIRE((std::filesystem::status(folder / "new").permissions() & std::filesystem::perms::mask) ==
          std::filesystem::perms::owner_all);
  REQUIRE(names_in(folder / "new" / "cache").size() == 2);
  for (const auto& entry : std::filesystem::directory_iterator(folder / "new" / "cache")) {
    const auto owner_only = std::filesystem::perms::owner_read | std::filesystem::perms::owner_write;
    REQUIRE((entry.status().permissions() & std::filesystem::perms::mask) == owner_only);
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string contents(std::istreambuf_iterator<char>(file), {});
    REQUIRE(contents.find("secret") == std::string::npos);
    REQUIRE(entry.path().string().find("secret") == std::string::npos);
  }
}

TEST_CASE("a folder that cannot be used is a problem, not an error", "[unit][cache]") {
  const TemporaryFolder folder;
  const auto plain = std::make_shared<CountedSource>(3 * kBlock);
  std::ofstream(folder / "file") << "x";
  REQUIRE_THAT(problem_of(plain, {folder / "file", kPlenty}), ContainsSubstring("Not a directory"));
  REQUIRE_THAT(problem_of(plain, {folder / "file" / "below", kPlenty}), ContainsSubstring("Not a directory"));
  REQUIRE_THAT(problem_of(plain, {"/proc/no such folder", kPlenty}), ContainsSubstring("/proc/no such folder"));
  if (::geteuid() != 0) return;
  std::filesystem::create_directory(folder / "foreign");
  REQUIRE(::chown((folder / "foreign").c_str(), 12345, 12345) == 0);
  REQUIRE_THAT(problem_of(plain, {folder / "foreign", kPlenty}), ContainsSubstring("another user owns the folder"));
  REQUIRE(names_in(folder / "foreign").empty());
}

TEST_CASE("links and other entries in place of cache files are not followed", "[unit][cache]") {
  const auto plain = std::make_shared<CountedSource>(3 * kBlock);
  const bool is_ledger = GENERATE(false, true);
  const int kind = GENERATE(0, 1, 2);
  const TemporaryFolder folder, elsewhere;
  const CacheOptions options{folder.path(), kPlenty};
  read_all(plain, options);
  const auto name = is_ledger ? folder / "ledger.octavo-cache" : cache_files_in(folder.path()).front();
  std::filesystem::rename(name, elsewhere / "original");
  if (kind == 0) std::filesystem::create_symlink(elsewhere / "original", name);
  if (kind == 1) std::filesystem::create_directory(name);
  if (kind == 2) REQUIRE(::mkfifo(name.c_str(), 0600) == 0);
  REQUIRE_FALSE(problem_of(plain, options).empty());
}

TEST_CASE("a folder that disappears or a file that is removed ends caching, not reading", "[unit][cache]") {
  const TemporaryFolder folder;
  const auto plain = std::make_shared<CountedSource>(10 * kBlock);
  const auto source = cached(plain, {folder / "cache", kPlenty});
  REQUIRE(reads_the_bytes_of(*source, *plain, 0, 5 * kBlock));
  if (GENERATE(false, true)) {
    std::filesystem::remove_all(folder / "cache");
  } else {
    for (const auto& file : cache_files_in(folder / "cache")) std::filesystem::remove(file);
  }
  for (int round = 0; round < 2; ++round) REQUIRE(reads_the_bytes_of(*source, *plain, 0, 10 * kBlock));
  REQUIRE_FALSE(source->problem().empty());
  REQUIRE(source->statistics().kept_blocks == 5);
}

TEST_CASE("a full disk ends caching with one problem, not reading", "[unit][cache]") {
  const TemporaryFolder folder;
  if (::mount("tmpfs", folder.path().c_str(), "tmpfs", 0, "size=1m") != 0) {
    OCTAVO_SKIP("this process may not mount a file system");
  }
  {
    const auto plain = std::make_shared<CountedSource>(20 * kBlock);
    const auto source = cached(plain, {folder.path(), kPlenty});
    for (int round = 0; round < 2; ++round) {
      for (std::int64_t block = 0; block < 20; ++block) {
        REQUIRE(reads_the_bytes_of(*source, *plain, block * kBlock, kBlock));
      }
    }
    REQUIRE_THAT(source->problem(), ContainsSubstring("No space left on device") && ContainsSubstring("free"));
    REQUIRE(source->statistics().kept_blocks >= 5);
    REQUIRE(source->statistics().served_blocks >= 5);
  }
  ::umount2(folder.path().c_str(), MNT_DETACH);
}

TEST_CASE("a limit of file sizes does not end the process", "[unit][cache]") {
  const TemporaryFolder folder;
  const CacheOptions options{folder.path(), kPlenty};
  const auto plain = std::make_shared<CountedSource>(20 * kBlock);
  const bool exists = GENERATE(false, true);
  const auto before = exists ? cached(plain, options) : nullptr;
  struct rlimit previous {};
  ::getrlimit(RLIMIT_FSIZE, &previous);
  const struct rlimit limit = {10 * kBlock, previous.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &limit);  // SIGXFSZ is not ignored here
  const std::string problem = problem_of(plain, options);
  const bool is_right = !before || reads_the_bytes_of(*before, *plain, 0, plain->length());
  ::setrlimit(RLIMIT_FSIZE, &previous);
  REQUIRE_THAT(problem, ContainsSubstring("ulimit -f"));
  REQUIRE(is_right);
  if (before) REQUIRE_THAT(before->problem(), ContainsSubstring("ulimit -f"));
}

TEST_CASE("a process that is stopped while it has the lock does not stop others", "[unit][cache]") {
  const TemporaryFolder folder;
  const auto plain = std::make_shared<CountedSource>(10 * kBlock);
  const auto source = cached(plain, {folder.path(), kPlenty});
  REQUIRE(reads_the_bytes_of(*source, *plain, 0, kBlock));
  const int ledger = ::open((folder / "ledger.octavo-cache").c_str(), O_RDWR | O_CLOEXEC);
  REQUIRE(::flock(ledger, LOCK_EX) == 0);
  REQUIRE(reads_the_bytes_of(*source, *plain, 0, 10 * kBlock));
  REQUIRE(source->statistics().not_kept_blocks == 9);
  REQUIRE(source->problem().empty());
  ::close(ledger);
}
