// Batches streamed from the file in a shuffled order, compared with plain reads of the same rows in the same order.
//
// The reference reads each row of a batch with one pread into a buffer of the batch's size, on all threads, and does
// nothing else. Streaming also verifies checksums and decodes to float32, four times as many bytes. Gathering the same
// batches from memory shows the time of decoding alone. Warm: the file is in the page cache. Cold: the file was dropped
// from the page cache before each run.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <octavo/octavo.hpp>
#include <vector>

#include "support/packed_file.hpp"
#include "support/results.hpp"
#include "support/team.hpp"

namespace {

using namespace octavo;
using namespace octavo::bench;

constexpr std::int64_t kRowsAtOnce = 16;  ///< rows that a thread of the reference claims in turn

struct Shape {
  const char* name;
  SampleShape shape;
  std::int64_t batch_size;
};
constexpr Shape kShapes[] = {
    {"1x28x28", {1, 28, 28}, 512}, {"3x32x32", {3, 32, 32}, 512}, {"3x224x224", {3, 224, 224}, 64}};

/// Reads the rows of an epoch with plain reads. The public headers do not provide the offsets of samples; any offset
/// works, since the data is not used.
class PlainRows {
 public:
  PlainRows(const std::filesystem::path& path, const BatchMaker& order, std::int64_t sample_bytes,
            std::int64_t batch_size)
      : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)),
        order_(order),
        sample_bytes_(sample_bytes),
        buffer_(static_cast<std::size_t>(batch_size * sample_bytes)) {
    require(descriptor_ >= 0 && ::fsync(descriptor_) == 0, "opening the file");
  }
  ~PlainRows() { ::close(descriptor_); }
  PlainRows(const PlainRows&) = delete;
  PlainRows& operator=(const PlainRows&) = delete;

  void drop_from_page_cache() const { ::posix_fadvise(descriptor_, 0, 0, POSIX_FADV_DONTNEED); }

  double read_epoch(std::int64_t epoch, int thread_count) {
    // The order is computed in advance, at no cost to the reference.
    std::vector<std::vector<std::int64_t>> batches;
    for (std::int64_t step = 0; step < order_.batches_per_epoch(epoch); ++step)
      batches.push_back(order_.indices(epoch, step));
    return run_team(thread_count, [&](int thread) {
      for (const std::vector<std::int64_t>& rows : batches) {
        const auto count = static_cast<std::int64_t>(rows.size());
        for (std::int64_t first = thread * kRowsAtOnce; first < count; first += thread_count * kRowsAtOnce) {
          for (std::int64_t i = first; i < std::min(count, first + kRowsAtOnce); ++i) {
            const ssize_t read =
                ::pread(descriptor_, buffer_.data() + i * sample_bytes_, static_cast<std::size_t>(sample_bytes_),
                        4096 + rows[static_cast<std::size_t>(i)] * sample_bytes_);
            require(read == sample_bytes_, "reading");
          }
        }
      }
    });
  }

 private:
  int descriptor_;
  const BatchMaker& order_;
  std::int64_t sample_bytes_;
  std::vector<std::byte> buffer_;
};

double serve_epoch(const Store& store, const LoaderOptions& options, std::int64_t epoch) {
  Loader loader(store, options);
  return seconds_of([&] {
    std::int64_t samples = 0;
    for (const Batch& batch : loader.epoch(epoch)) samples += batch.size();
    require(samples == store.sample_count(), "serving");
  });
}

/// Checks that streaming serves the same bits as serving from memory.
void check(const Store& resident, const Store& streamed, const LoaderOptions& options) {
  Loader expected(resident, options), actual(streamed, options);
  auto place = actual.epoch(0).begin();
  for (const Batch& batch : expected.epoch(0)) {
    const auto a = batch.images().floats(), b = place->images().floats();
    require(std::equal(a.begin(), a.end(), b.begin(), b.end()), "streaming");
    ++place;
  }
}

}  // namespace

int main(int argc, char** argv) try {
  const long mebibytes = option(argc, argv, "--mib", 512);
  const int rounds = static_cast<int>(option(argc, argv, "--rounds", 5));
  const int threads = thread_count_of_process();
  Results results("stream", argc, argv);
  const ScratchFolder folder;
  for (const Shape& shape : kShapes) {
    const std::int64_t sample_bytes = shape.shape.values();
    const auto path = folder / "random.h5";
    write_random_file(path, shape.shape, (std::int64_t{mebibytes} << 20) / sample_bytes);
    const Split split = Dataset::open(path).split("train");
    const Device cpu = Device::cpu();
    const Store resident = Store::load(split, cpu, {.residency = Residency::device});
    const Store checked = Store::load(split, cpu, {.residency = Residency::streamed});
    const Store unchecked = Store::load(split, cpu, {.verify_checksums = false, .residency = Residency::streamed});
    LoaderOptions options{.batch_size = shape.batch_size, .shuffle = true, .seed = 1};
    LoaderOptions at_once = options;
    at_once.prefetch = 0;
    check(resident, checked, options);
    const BatchMaker order(resident, options);
    PlainRows rows(path, order, sample_bytes, shape.batch_size);
    std::int64_t epoch = 0;
    for (const bool cold : {false, true}) {
      const auto timed = [&](auto&& work) {
        return [&, work] {
          if (cold) rows.drop_from_page_cache();
          return work(++epoch);
        };
      };
      const auto bytes = static_cast<double>(split.packed_bytes());
      std::vector<Subject> subjects = {
          {"pread of each row", bytes, timed([&](std::int64_t e) { return rows.read_epoch(e, threads); })},
          {"streamed", bytes, timed([&](std::int64_t e) { return serve_epoch(checked, options, e); })},
          {"streamed, checksums not compared", bytes,
           timed([&](std::int64_t e) { return serve_epoch(unchecked, options, e); })},
          {"streamed, nothing read ahead", bytes,
           timed([&](std::int64_t e) { return serve_epoch(checked, at_once, e); })}};
      if (!cold) {
        subjects.push_back(
            {"gathered from memory", bytes, timed([&](std::int64_t e) { return serve_epoch(resident, options, e); })});
      }
      const auto measured = measure(subjects, rounds);
      results.section(std::string(shape.name) + ", " + (cold ? "cold" : "warm") + ", " + std::to_string(threads) +
                      " threads, packed bytes, of pread");
      for (const Measurement& measurement : measured) results.add(measurement, measured[0].bytes_per_second());
    }
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "bench_stream: %s\n", error.what());
  return 1;
}
