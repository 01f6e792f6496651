// Real limits of the system: a full disk, a maximum file size, a folder without write permission. Also sources that
// change while they are packed.
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "../lib/dataset_file/small_file.hpp"
#include "../lib/sources/made_files.hpp"
#include "catch.hpp"
#include "effort.hpp"
#include "faulty_program.hpp"
#include "pack_scene.hpp"
#include "tally.hpp"

using namespace octavo::test;

namespace {

constexpr uid_t kNobody = 65534;

/// A small file system mounted on a folder, if this process may mount one.
class SmallDisk {
 public:
  SmallDisk(const std::filesystem::path& folder, std::int64_t bytes) : folder_(folder) {
    is_mounted_ = ::mount("tmpfs", folder.c_str(), "tmpfs", 0, ("size=" + std::to_string(bytes)).c_str()) == 0;
  }
  ~SmallDisk() {
    if (is_mounted_) ::umount2(folder_.c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  bool is_mounted() const { return is_mounted_; }

 private:
  std::filesystem::path folder_;
  bool is_mounted_ = false;
};

/// While alive, limits the file size of programs that are started to `most_bytes`.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t most_bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const struct rlimit limit = {most_bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() { ::setrlimit(RLIMIT_FSIZE, &before_); }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  struct rlimit before_ {};
};

std::string problem_of_clean_error(const Outcome& outcome, const PackScene& scene) {
  if (outcome.exit_code != 1 || !outcome.is_one_line_error()) {
    return "exit code " + std::to_string(outcome.exit_code) + ", stderr: " + outcome.err;
  }
  return scene.problem_after_error();
}

std::string problem_of(const Outcome& outcome, const PackScene& scene) {
  return outcome.exit_code == 0 ? scene.problem_after_error() : problem_of_clean_error(outcome, scene);
}

/// Runs `work` in a child process that is not the superuser, and returns its exit code.
template <typename Work>
int as_nobody(const Work& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    if (::getuid() == 0 && (::setgid(kNobody) != 0 || ::setuid(kNobody) != 0)) ::_exit(99);
    ::_exit(work());
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

TEST_CASE("a full disk of any size is an error that leaves the old file", "[faults][limits]") {
  const PackScene scene(GENERATE(PackKind::fresh, PackKind::replacing, PackKind::skipping), 200);
  const auto old_pages = static_cast<std::int64_t>(scene.old_bytes().size() + 4095) / 4096;
  const auto new_pages = static_cast<std::int64_t>(scene.new_bytes().size() + 4095) / 4096;
  Tally tally("7 a full disk, every number of free pages");
  bool has_fitted = false;
  bool has_failed = false;
  for (std::int64_t pages = 1; pages < 3 * new_pages + 8 && !has_fitted; pages += place_step(4)) {
    scene.reset();
    const SmallDisk disk(scene.folder(), (old_pages + pages) * 4096);
    if (!disk.is_mounted()) OCTAVO_SKIP("this process has no permission to mount a file system");
    if (scene.has_old()) write_bytes(scene.target(), scene.old_bytes());
    const Outcome outcome = run_octavo(scene.arguments());
    const std::string problem = problem_of(outcome, scene);
    tally.add(problem.empty() ? "" : problem + ", " + std::to_string(pages) + " free pages");
    has_fitted = outcome.exit_code == 0;
    if (has_fitted) break;
    has_failed = true;
    if (outcome.err.find("free some space") == std::string::npos) tally.add("no remedy in: " + outcome.err);
  }
  CHECK(has_failed);
  CHECK(has_fitted);
  CHECK(tally.failures() == kNone);
}

TEST_CASE("a file size limit is an error that leaves the old file", "[faults][limits]") {
  const PackScene scene(GENERATE(PackKind::replacing, PackKind::skipping));
  Tally tally("7 a limit on the size of files");
  const auto needed = static_cast<rlim_t>(scene.new_bytes().size());
  const rlim_t step = 997 * static_cast<rlim_t>(place_step(4));
#if defined(__SANITIZE_THREAD__)
  const rlim_t smallest = step;  // at limit 0, ThreadSanitizer is killed before the program starts
#else
  const rlim_t smallest = 0;
#endif
  for (rlim_t limit = smallest; limit < needed; limit += step) {
    scene.reset();
    Outcome outcome;
    {
      const FileSizeLimit limited(limit);
      outcome = run_octavo(scene.arguments());
    }
    // The messages of the program also go to a file.
    if (limit < 997 && outcome.err.empty() && outcome.exit_code == 1) outcome.err = "octavo: error: (cut)\n";
    const std::string problem = problem_of_clean_error(outcome, scene);
    tally.add(problem.empty() ? "" : problem + ", limit " + std::to_string(limit));
  }
  CHECK(tally.count() > 3);
  CHECK(tally.failures() == kNone);
}

TEST_CASE("a folder without write permission is an error and the file in it stays", "[faults][limits]") {
  const PackScene scene(PackKind::replacing);
  std::filesystem::permissions(scene.folder().parent_path(), std::filesystem::perms::all);
  std::filesystem::permissions(scene.folder(), std::filesystem::perms(0555));
  const int exit_code = as_nobody([&] {
    if (::access(OCTAVO_PROGRAM, X_OK) != 0) return 98;
    const Outcome outcome = run_octavo(scene.arguments());
    const bool is_told = outcome.err.find("check its permissions") != std::string::npos;
    return problem_of_clean_error(outcome, scene).empty() && is_told ? 0 : 1;
  });
  std::filesystem::permissions(scene.folder(), std::filesystem::perms::all);
  if (exit_code >= 98) OCTAVO_SKIP("another user cannot run the program here");
  CHECK(exit_code == 0);
}

TEST_CASE("a source that changes while it is packed gives an error or a complete file", "[faults][limits]") {
  Tally tally("7 a source changed while it is packed", true);
  const std::int64_t count = case_count(60, 1000);
  for (std::int64_t i = 0; i < count && tally.has_time(); ++i) {
    auto random = random_of_case(i);
    const TemporaryFolder folder;
    const auto source = folder / "train-images-idx3-ubyte";
    constexpr std::uint32_t kCount = 20'000;
    const std::string bytes = idx({kCount, 16, 16}, std::string(std::size_t{kCount} * 256, '\7'));
    write_file(source, bytes);
    const std::int64_t kind = below(random, 3);
    RunningProgram program({"pack", source, "-o", folder / "a.h5", "--quiet"});
    std::this_thread::sleep_for(std::chrono::microseconds(below(random, is_sanitized() ? 200'000 : 20'000)));
    if (kind == 0) std::ofstream(source, std::ios::binary | std::ios::app) << "more";
    if (kind == 1) std::filesystem::resize_file(source, bytes.size() / 2);
    if (kind == 2) {
      write_file(folder / "other", idx({kCount, 16, 16}, std::string(std::size_t{kCount} * 256, '\3')));
      std::filesystem::rename(folder / "other", source);
    }
    const Outcome outcome = program.wait();
    std::string problem;
    if (outcome.exit_code == 0) {
      problem = run_octavo({"verify", folder / "a.h5", "--quiet"}).exit_code == 0 ? "" : "the file is not intact";
    } else if (outcome.exit_code != 1 || !outcome.is_one_line_error()) {
      problem = "exit code " + std::to_string(outcome.exit_code) + ": " + outcome.err;
    } else if (std::filesystem::exists(folder / "a.h5") || names_in(folder.path()).size() != 1) {
      problem = "files are left behind";
    }
    tally.add(problem.empty() ? "" : problem + " in case " + std::to_string(i));
  }
  CHECK(tally.failures() == kNone);
}
