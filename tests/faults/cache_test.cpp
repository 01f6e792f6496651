// A block cache whose processes are killed, whose calls fail, and whose files are damaged at random.
#include <octavo/cached_source.hpp>

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../lib/dataset_file/small_file.hpp"
#include "cache_files.hpp"
#include "catch.hpp"
#include "counted_source.hpp"
#include "effort.hpp"
#include "faulty_program.hpp"
#include "power_cut/disk_model.hpp"
#include "power_cut/trace_reader.hpp"
#include "support/file.hpp"
#include "tally.hpp"
#include "temporary_folder.hpp"

using namespace octavo;
using namespace octavo::test;
using octavo::faults::bit;
using octavo::faults::Call;

namespace {

FaultyOutcome read_with_fault(const std::filesystem::path& folder, std::int64_t most_bytes, const Fault& fault) {
  return run_with_fault({folder, std::to_string(most_bytes), "1"}, fault, {}, OCTAVO_CACHED_READS);
}

/// What is wrong with the cache that a killed or failed process left behind, or empty: the next one must complete it,
/// and the one after that must fetch nothing.
std::string problem_with_next_runs(const std::filesystem::path& folder, std::int64_t most_bytes) {
  for (const bool is_full : {false, true}) {
    const FaultyOutcome next = read_with_fault(folder, most_bytes, {});
    if (next.exit_code != 0) return "the next process failed: " + next.err;
    if (!next.out.ends_with("problem \n")) return "the next process has a problem: " + next.out;
    if (is_full && !next.out.starts_with("fetched 0 kept 0 damaged 0 ")) return "the cache is incomplete: " + next.out;
  }
  return cache_bytes_in(folder) > most_bytes ? "the cache is too large" : "";
}

void kill_at_every_call(std::uint32_t calls, faults::Action action, Tally& tally) {
  for (std::int64_t at = 1;; at += place_step(8)) {
    const TemporaryFolder folder;
    const FaultyOutcome outcome = read_with_fault(folder / "cache", kPlenty, {calls, action, 0, at, false, {}});
    if (!outcome.has_failed) {
      REQUIRE(outcome.exit_code == 0);
      return;
    }
    // The cache that is left changes little from call to call.
    std::string problem = outcome.exit_code == -SIGKILL ? "" : "it was not killed";
    if (problem.empty() && (is_night() || at % 3 == 1)) problem = problem_with_next_runs(folder / "cache", kPlenty);
    tally.add(problem.empty() ? "" : problem + ", killed at " + outcome.description());
  }
}

struct CacheFault {
  const char* name;
  Call call;
  faults::Action action;
  int error_number;
  bool from_then_on;
};

constexpr CacheFault kCacheFaults[] = {
    {"write ENOSPC", Call::write, faults::Action::fail, ENOSPC, true},
    {"write EIO", Call::write, faults::Action::fail, EIO, false},
    {"write EINTR", Call::write, faults::Action::fail, EINTR, false},
    {"short write", Call::write, faults::Action::cut_short, 0, false},
    {"read EIO", Call::read, faults::Action::fail, EIO, false},
    {"read EIO from then on", Call::read, faults::Action::fail, EIO, true},
    {"read EINTR", Call::read, faults::Action::fail, EINTR, false},
    {"short read", Call::read, faults::Action::cut_short, 0, false},
    {"open EMFILE", Call::open, faults::Action::fail, EMFILE, false},
    {"open EIO from then on", Call::open, faults::Action::fail, EIO, true},
    {"ftruncate ENOSPC", Call::truncate, faults::Action::fail, ENOSPC, false},
    {"mkdir EROFS", Call::make_folder, faults::Action::fail, EROFS, false},
};

/// What is wrong with a cache whose files are these, or empty. Adds the blocks that are found, good or damaged.
std::string problem_with_state(const DiskState& state, std::int64_t& good, std::int64_t& damaged) {
  const TemporaryFolder folder;
  for (const auto& [name, bytes] : state) write_bytes(folder / name, bytes);  // names relative to the cache
  const auto plain = std::make_shared<CountedSource>(10 * kBlock + 1000);
  for (const bool is_full : {false, true}) {
    const auto source = cached(plain, {folder.path(), kPlenty});
    if (!reads_the_bytes_of(*source, *plain, 0, plain->length())) return "wrong bytes";
    if (!source->problem().empty()) return source->problem();
    const CacheStatistics statistics = source->statistics();
    if (is_full && statistics.fetched_blocks > 0) return "the cache is incomplete";
    good += is_full ? 0 : statistics.served_blocks;
    damaged += statistics.damaged_blocks;
  }
  return "";
}

// ---- Simulation ---------------------------------------------------------------

/// A cache, some objects, and some readers that come and go. Every step is chosen by the seed.
class Simulation {
 public:
  explicit Simulation(std::mt19937_64& random) : random_(random) {
    for (int object = 0; object < 3; ++object) {
      const std::int64_t blocks = below(random_, 6);
      add_version("object " + std::to_string(object), blocks * kBlock + below(random_, blocks == 0 ? 300 : kBlock));
    }
    most_bytes_ = below(random_, 3) == 0 ? kPlenty : below(random_, 12 * kBlock) + 1;
  }

  /// Runs one step. Returns what is wrong, or empty.
  std::string step() {
    switch (below(random_, 12)) {
      case 0:
        return open_reader(), "";
      case 1:
        return close_reader(), "";
      case 2:
        return damage(), "";
      case 3:
        return below(random_, 4) == 0 ? (change_object(), "") : "";
      case 4:
        return below(random_, 4) == 0 ? (remove_something(), "") : "";
      case 5:
        return read_in_killed_process();
      default:
        return read();
    }
  }

 private:
  struct Reader {
    std::shared_ptr<CountedSource> plain;
    std::shared_ptr<const CachedSource> source;
  };

  void add_version(const std::string& name, std::int64_t length) {
    const auto plain = std::make_shared<CountedSource>(length, static_cast<unsigned>(random_()));
    plain->set_name(name);
    plain->set_identity("version " + std::to_string(random_()));
    objects_.push_back(plain);
  }

  CacheOptions options() const { return {folder_ / "cache", most_bytes_}; }

  void open_reader() {
    if (readers_.size() == 4) readers_.erase(readers_.begin());
    const auto& plain = objects_[static_cast<std::size_t>(below(random_, std::ssize(objects_)))];
    readers_.push_back({plain, cached(plain, options())});
  }

  void close_reader() {
    if (!readers_.empty()) readers_.erase(readers_.begin() + below(random_, std::ssize(readers_)));
  }

  std::string read() {
    if (readers_.empty()) open_reader();
    const Reader& reader = readers_[static_cast<std::size_t>(below(random_, std::ssize(readers_)))];
    if (!reads_a_random_range(*reader.source, *reader.plain, random_, 3 * kBlock)) return "wrong bytes";
    return is_too_large() ? "the cache is too large" : "";
  }

  bool is_too_large() const {
    return std::filesystem::exists(folder_ / "cache") &&
           cache_bytes_in(folder_ / "cache") > most_bytes_ + damaged_bytes_;
  }

  /// A process that reads, and is killed at a read of its source or afterwards.
  std::string read_in_killed_process() {
    const auto& plain = objects_[static_cast<std::size_t>(below(random_, std::ssize(objects_)))];
    const auto seed = random_();
    std::int64_t left = below(random_, 6);
    const pid_t child = ::fork();
    if (child == 0) {
      plain->before_read = [&] {
        if (left-- == 0) ::raise(SIGKILL);
      };
      std::mt19937_64 random(seed);
      const auto source = cached(plain, options());
      for (int i = 0; i < 5; ++i) {
        if (!reads_a_random_range(*source, *plain, random, 3 * kBlock)) ::_exit(1);
      }
      ::raise(SIGKILL);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    if (!WIFSIGNALED(status)) return "wrong bytes in another process";
    return is_too_large() ? "the cache is too large after a process was killed" : "";
  }

  /// Bytes that change, or that a power cut left as zeros, while no process has the file open.
  void damage() {
    readers_.clear();
    if (!std::filesystem::exists(folder_ / "cache")) return;
    auto files = cache_files_in(folder_ / "cache");
    files.push_back(folder_ / "cache" / "ledger.octavo-cache");
    const auto& path = files[static_cast<std::size_t>(below(random_, std::ssize(files)))];
    if (!std::filesystem::exists(path)) return;
    const File file = File::open_for_writing(path);
    const std::int64_t length = file.length();
    if (length == 0) return;
    std::int64_t offset = below(random_, length);
    const std::int64_t where = below(random_, 4);
    if (where == 0) offset = std::min(length - 1, 4096 + below(random_, 64));           // a seal
    if (where == 1 && length > kData) offset = kData + below(random_, length - kData);  // a block
    std::vector<std::byte> bytes(static_cast<std::size_t>(std::min(length - offset, 1 + below(random_, 8192))));
    damaged_bytes_ += std::ssize(bytes) + 2 * 4096;  // there may have been a hole
    switch (below(random_, 4)) {
      case 0:
        return file.write_at(offset, bytes);  // zeros
      case 1:
        for (std::byte& byte : bytes) byte = static_cast<std::byte>(random_());
        return file.write_at(offset, bytes);
      case 2:
        file.read_at(offset, std::span(bytes).first(1));
        bytes[0] ^= static_cast<std::byte>(1U << below(random_, 8));
        return file.write_at(offset, std::span(bytes).first(1));
      default:
        std::filesystem::resize_file(path, static_cast<std::uintmax_t>(below(random_, 2 * length)));
    }
  }

  void change_object() {
    auto& object = objects_[static_cast<std::size_t>(below(random_, std::ssize(objects_)))];
    const auto changed = std::make_shared<CountedSource>(below(random_, 5 * kBlock), static_cast<unsigned>(random_()));
    changed->set_name(object->name());
    changed->set_identity("version " + std::to_string(random_()));
    object = changed;
  }

  void remove_something() {
    if (!std::filesystem::exists(folder_ / "cache")) return;
    if (below(random_, 3) == 0) {
      std::filesystem::remove_all(folder_ / "cache");
    } else if (const auto files = cache_files_in(folder_ / "cache"); !files.empty()) {
      std::filesystem::remove(files[static_cast<std::size_t>(below(random_, std::ssize(files)))]);
    }
  }

  std::mt19937_64& random_;
  TemporaryFolder folder_;
  std::vector<std::shared_ptr<CountedSource>> objects_;
  std::int64_t most_bytes_;
  std::int64_t damaged_bytes_ = 0;  ///< space that damage may have added
  std::vector<Reader> readers_;
};

std::string problem_of_simulation(std::int64_t number) {
  auto random = random_of_case(number);
  Simulation simulation(random);
  for (int step = 0; step < 40; ++step) {
    const std::string problem = simulation.step();
    if (!problem.empty()) return problem + " in case " + std::to_string(number) + ", step " + std::to_string(step);
  }
  return "";
}

}  // namespace

TEST_CASE("a process killed at any call leaves a cache that the next one completes",
          "[faults][kill][cache][plain-only]") {
  if (const auto reason = why_no_faults(faults::kChangingCalls); !reason.empty()) OCTAVO_SKIP(reason);
  Tally tally("5 kill -9 at every changing call, block cache");
  kill_at_every_call(faults::kChangingCalls, faults::Action::kill, tally);
  kill_at_every_call(bit(Call::write), faults::Action::kill_half_way, tally);
  CHECK(tally.count() * place_step(8) > 30);
  CHECK(tally.failures() == kNone);
}

TEST_CASE("a power cut at any moment leaves a cache that the next process completes",
          "[faults][power][cache][plain-only]") {
  if (const auto reason = why_no_faults(faults::kChangingCalls); !reason.empty()) OCTAVO_SKIP(reason);
  const TemporaryFolder folder;
  write_bytes(folder / "trace", {});
  REQUIRE(run_with_fault({folder / "cache", std::to_string(kPlenty), "1"}, {}, folder / "trace", OCTAVO_CACHED_READS)
              .exit_code == 0);
  const std::vector<DiskChange> trace = read_trace(folder / "trace");
  REQUIRE(trace.size() > 20);
  DiskModel disk({});
  std::int64_t good = 0, damaged = 0;
  Tally tally("6 power cut after a change, block cache", true);
  const std::int64_t times = case_count(2, 200);
  for (std::size_t done = 0; done <= trace.size() && tally.has_time(); ++done) {
    for (std::int64_t i = 0; i < times; ++i) {
      auto random = random_of_case(static_cast<std::int64_t>(done) * times + i);
      const std::string problem = problem_with_state(disk.after_power_cut(random), good, damaged);
      tally.add(problem.empty() ? "" : problem + " after change " + std::to_string(done));
    }
    if (done < trace.size()) disk.apply(trace[done]);
  }
  CHECK(good > 0);
  CHECK(damaged > 0);
  CHECK(tally.failures() == kNone);
}

TEST_CASE("a call that fails in a cache makes no read fail", "[faults][calls][cache]") {
  if (const auto reason = why_no_faults(faults::kEveryCall & ~bit(Call::memory)); !reason.empty()) OCTAVO_SKIP(reason);
  for (const CacheFault& failure : kCacheFaults) {
    Tally tally(std::string("7 block cache, ") + failure.name);
    // Faults of the first calls, which open the cache, and of some later ones.
    for (std::int64_t at = 1;; at += is_night() ? 1 : at < 8 ? place_step(4) : place_step(20) * 9) {
      const TemporaryFolder folder;
      const FaultyOutcome outcome =
          read_with_fault(folder / "cache", kPlenty,
                          {bit(failure.call), failure.action, failure.error_number, at, failure.from_then_on, {}});
      const bool is_right = outcome.exit_code == 0 && outcome.descriptors_left == 0 && !outcome.hung;
      if (!outcome.has_failed) {
        REQUIRE(is_right);
        break;
      }
      std::string problem = is_right ? "" : "the program did not succeed";
      if (problem.empty() && at % 3 == 1 && std::filesystem::exists(folder / "cache")) {
        problem = problem_with_next_runs(folder / "cache", kPlenty);
      }
      tally.add(problem.empty() ? "" : problem + " at " + outcome.description());
    }
    CHECK(tally.failures() == kNone);
  }
}

TEST_CASE("random readers, kills and damage give no wrong bytes and no cache that is too large", "[faults][cache]") {
  Tally tally("10 random operations on a block cache", true);
  const std::int64_t count = case_count(200, 1'000'000);
  for (std::int64_t number = 0; number < count && tally.has_time(); ++number) tally.add(problem_of_simulation(number));
  CHECK(tally.failures() == kNone);
}
