// A writer that cannot store more data throws an error and leaves nothing behind, and the process continues.
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>

#include <octavo/dataset.hpp>
#include <octavo/errors.hpp>
#include <octavo/writer.hpp>

#include "catch.hpp"
#include "deflated_file.hpp"
#include "temporary_folder.hpp"

#if defined(__SANITIZE_ADDRESS__)
// HDF5 leaks memory when it cannot write.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() { return "leak:libhdf5"; }
#endif

using octavo::Writer;
using octavo::test::TemporaryFolder;

namespace {

/// While alive, limits the size of files that this process writes.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t most_bytes) : previous_handler_(::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &previous_);
    const struct rlimit limit = {most_bytes, previous_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &previous_);
    ::signal(SIGXFSZ, previous_handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  struct rlimit previous_ {};
  void (*previous_handler_)(int);
};

/// A file system of a given size mounted on a folder, if this process may mount one.
class SmallFileSystem {
 public:
  SmallFileSystem(const std::filesystem::path& folder, const std::string& size) : folder_(folder) {
    is_mounted_ = ::mount("tmpfs", folder.c_str(), "tmpfs", 0, ("size=" + size).c_str()) == 0;
  }
  ~SmallFileSystem() {
    if (is_mounted_) ::umount2(folder_.c_str(), MNT_DETACH);
  }
  SmallFileSystem(const SmallFileSystem&) = delete;
  SmallFileSystem& operator=(const SmallFileSystem&) = delete;
  bool is_mounted() const { return is_mounted_; }

 private:
  std::filesystem::path folder_;
  bool is_mounted_ = false;
};

/// Whether a file could be written. Rethrows errors other than IoError.
bool could_write(const std::filesystem::path& path, const octavo::WriterOptions& options) {
  try {
    octavo::test::write_small_file(path, options);
    return true;
  } catch (const octavo::IoError&) {
    return false;
  }
}

}  // namespace

TEST_CASE("a file size limit of any size is an error that leaves nothing behind", "[unit][archive]") {
  const TemporaryFolder folder;
  auto options = octavo::test::small_options(200);
  options.rows_may_be_skipped = GENERATE(false, true);
  options.compression = GENERATE(octavo::Compression::none, octavo::Compression::deflate);
  options.splits[0].with_names = true;
  octavo::test::write_small_file(folder / "whole.h5", options);
  const auto needed = std::filesystem::file_size(folder / "whole.h5");
  std::filesystem::remove(folder / "whole.h5");
  for (rlim_t limit = 0; limit < needed; limit += 499) {
    INFO("limit " << limit);
    {
      const FileSizeLimit limited(limit);
      REQUIRE_FALSE(could_write(folder / "a.h5", options));
    }
    REQUIRE(octavo::test::names_in(folder.path()).empty());
  }
  REQUIRE(could_write(folder / "a.h5", options));
}

TEST_CASE("a disk that is too small is reported before any sample is written", "[unit][archive]") {
  const TemporaryFolder folder;
  const SmallFileSystem disk(folder.path(), "1m");
  if (!disk.is_mounted()) OCTAVO_SKIP("this process may not mount a file system");
  REQUIRE_THROWS_WITH(
      Writer(folder / "a.h5", octavo::test::small_options(100'000)),
      ContainsSubstring("reserve ") && ContainsSubstring(" MiB for ") && ContainsSubstring(" free); free some space"));
  REQUIRE(octavo::test::names_in(folder.path()).empty());
  REQUIRE(could_write(folder / "a.h5", octavo::test::small_options(1000)));
}

TEST_CASE("a disk that fills up during deflated samples is an error and the next file is written", "[unit][archive]") {
  const TemporaryFolder folder;
  const SmallFileSystem disk(folder.path(), "8m");
  if (!disk.is_mounted()) OCTAVO_SKIP("this process may not mount a file system");
  // 10 chunks of 1 MiB that do not shrink.
  const auto options = octavo::test::deflated_options({1, 1024, 1024}, 10);
  const auto write = [&](const octavo::WriterOptions& chosen) {
    octavo::test::write_deflated(folder / "a.h5", chosen, octavo::test::Contents::noise);
  };
  REQUIRE_THROWS_AS(write(options), octavo::IoError);
  REQUIRE_THROWS_WITH(write(options), ContainsSubstring("free some space"));
  REQUIRE(octavo::test::names_in(folder.path()).empty());
  REQUIRE_NOTHROW(write(octavo::test::deflated_options({1, 1024, 1024}, 2)));
}

TEST_CASE("a disk that fills up when HDF5 completes the file is an error and the next file is written",
          "[unit][archive]") {
  const TemporaryFolder folder;
  auto options = octavo::test::small_options(200);
  bool failed = false;
  for (int kilobytes = 24; kilobytes < 64; kilobytes += 4) {
    const SmallFileSystem disk(folder.path(), std::to_string(kilobytes) + "k");
    if (!disk.is_mounted()) OCTAVO_SKIP("this process may not mount a file system");
    if (could_write(folder / "a.h5", options)) continue;
    failed = true;
    REQUIRE(octavo::test::names_in(folder.path()).empty());
  }
  REQUIRE(failed);
  REQUIRE(could_write(folder / "a.h5", options));
}
