// Loading a split into host memory, compared with plain reads of the same bytes into memory allocated in the same way.
//
// Warm: the file is in the page cache. Cold: the file was dropped from the page cache before each run.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <octavo/octavo.hpp>
#include <thread>

#include "support/packed_file.hpp"
#include "support/results.hpp"
#include "support/team.hpp"

namespace {

using namespace octavo::bench;

constexpr std::size_t kReadBytes = std::size_t{1} << 20;

/// Fresh memory, with huge pages if the system provides them, as a Store allocates it.
class FreshMemory {
 public:
  explicit FreshMemory(std::size_t bytes) : bytes_((bytes + kHugePage - 1) / kHugePage * kHugePage + kHugePage) {
    mapped_ = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    require(mapped_ != MAP_FAILED, "mapping memory");
    const auto address = reinterpret_cast<std::uintptr_t>(mapped_);
    aligned_ = reinterpret_cast<std::byte*>((address + kHugePage - 1) / kHugePage * kHugePage);
    ::madvise(aligned_, bytes / kHugePage * kHugePage, MADV_HUGEPAGE);
  }
  ~FreshMemory() { ::munmap(mapped_, bytes_); }
  FreshMemory(const FreshMemory&) = delete;
  FreshMemory& operator=(const FreshMemory&) = delete;
  std::byte* data() const { return aligned_; }

 private:
  static constexpr std::size_t kHugePage = std::size_t{2} << 20;
  std::size_t bytes_;
  void* mapped_;
  std::byte* aligned_;
};

/// A file as plain bytes.
class PlainFile {
 public:
  explicit PlainFile(const std::filesystem::path& path) : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    require(descriptor_ >= 0, "opening the file");
    require(::fsync(descriptor_) == 0, "syncing the file");
  }
  ~PlainFile() { ::close(descriptor_); }
  PlainFile(const PlainFile&) = delete;
  PlainFile& operator=(const PlainFile&) = delete;

  void drop_from_page_cache() const { ::posix_fadvise(descriptor_, 0, 0, POSIX_FADV_DONTNEED); }

  /// Reads the first `bytes` bytes on threads that claim blocks in turn.
  void read(std::size_t bytes, int thread_count, std::byte* to) const {
    run_team(thread_count, [&](int thread) {
      for (std::size_t at = kReadBytes * static_cast<std::size_t>(thread); at < bytes;
           at += kReadBytes * static_cast<std::size_t>(thread_count)) {
        const std::size_t count = std::min(kReadBytes, bytes - at);
        require(::pread(descriptor_, to + at, count, static_cast<off_t>(at)) == static_cast<ssize_t>(count), "reading");
      }
    });
  }

 private:
  int descriptor_;
};

}  // namespace

int main(int argc, char** argv) try {
  const long mebibytes = option(argc, argv, "--mib", 1024);
  const int rounds = static_cast<int>(option(argc, argv, "--rounds", 7));
  const int threads = thread_count_of_process();
  Results results("load", argc, argv);
  const ScratchFolder folder;
  write_random_file(folder / "random.h5", {3, 32, 32}, (std::int64_t{mebibytes} << 20) / 3072);
  const PlainFile file(folder / "random.h5");
  const octavo::Split split = octavo::Dataset::open(folder / "random.h5").split("train");
  const auto bytes = static_cast<std::size_t>(split.packed_bytes());
  for (const bool cold : {false, true}) {
    const auto prepare = [&] {
      if (cold) file.drop_from_page_cache();
    };
    const auto read = [&] {
      prepare();
      return seconds_of([&] {
        const FreshMemory memory(bytes);
        file.read(bytes, threads, memory.data());
      });
    };
    const auto load = [&](bool verify) {
      prepare();
      return seconds_of([&] {
        const octavo::Store store = octavo::Store::load(split, octavo::Device::cpu(), {.verify_checksums = verify});
        require(store.sample_count() == split.sample_count(), "loading");
      });
    };
    const auto measured =
        measure({{"pread into fresh memory", static_cast<double>(bytes), read},
                 {"Store::load, unchecked", static_cast<double>(bytes), [&] { return load(false); }},
                 {"Store::load, every sample checked", static_cast<double>(bytes), [&] { return load(true); }}},
                rounds);
    results.section(std::string(cold ? "cold" : "warm") + ", " + std::to_string(threads) + " threads, of pread");
    for (const Measurement& measurement : measured) results.add(measurement, measured[0].bytes_per_second());
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "bench_load: %s\n", error.what());
  return 1;
}
