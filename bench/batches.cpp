// The cost of batches of every size through the public API, compared with the fastest copy of as many bytes: on one
// thread, or on all threads for sizes that the library splits between threads.
//
// The total size of samples and outputs is far larger than the cache. Rows are drawn in the order of an epoch, and
// outputs cycle through a large buffer.
#include <algorithm>
#include <cstring>
#include <octavo/octavo.hpp>
#include <vector>

#include "gather/shapes.hpp"
#include "kernels/cpu/permute.hpp"
#include "kernels/cpu/streaming_copy.hpp"
#include "support/big_memory.hpp"
#include "support/packed_file.hpp"
#include "support/results.hpp"
#include "support/team.hpp"

namespace {

using namespace octavo::bench;

constexpr std::size_t kOutputBytes = std::size_t{1} << 30;
/// The library, and therefore the copy, uses several threads for batches that move at least this many bytes.
constexpr double kSharedBytes = 2 << 20;
/// One timing covers batches that move at least this many bytes in total.
constexpr std::int64_t kTimedBytes = std::int64_t{256} << 20;

octavo::SampleShape sample_shape(const Shape& shape) { return {shape.channels, 1, shape.values_per_channel}; }

/// Gathers of one batch size after another from one store.
class Batches {
 public:
  Batches(const octavo::Store& store, std::byte* out)
      : store_(store), spec_(store.prepare({})), out_(out), rows_(static_cast<std::size_t>(store.sample_count())) {
    octavo::kernels::cpu::permute_range(octavo::kernels::make_order_key(store.sample_count(), 1, 1, true), 0,
                                        store.sample_count(), rows_.data());
  }

  bool fits(std::int64_t batch) const {
    return batch <= store_.sample_count() && batch * values() * 4 <= static_cast<std::int64_t>(kOutputBytes);
  }
  double moved_bytes(std::int64_t batch) const { return 5.0 * static_cast<double>(batch * values()); }

  /// Seconds per batch.
  double run(std::int64_t batch) {
    const auto repeats = std::clamp<std::int64_t>(kTimedBytes / (5 * batch * values()), 1, 20000);
    return seconds_of([&] {
             for (std::int64_t i = 0; i < repeats; ++i) next(batch);
           }) /
           static_cast<double>(repeats);
  }

  /// Copies of as many bytes as the gather moves, with source and target cycling in the same way.
  std::vector<Subject> copies(std::int64_t batch, const std::byte* from) {
    std::vector<Subject> subjects = {
        {"memcpy of as many bytes", moved_bytes(batch), [=, this] { return copy(batch, 1, from, false); }},
        {"streaming copy of as many bytes", moved_bytes(batch), [=, this] { return copy(batch, 1, from, true); }}};
    if (const int threads = thread_count_of_process(); threads > 1 && moved_bytes(batch) >= kSharedBytes) {
      const std::string on_all = ", on " + std::to_string(threads) + " threads";
      for (const bool streaming : {false, true}) {
        subjects.push_back({subjects[streaming ? 1 : 0].name + on_all, moved_bytes(batch),
                            [=, this] { return copy(batch, threads, from, streaming); }});
      }
    }
    return subjects;
  }

  /// Checks the first and the last sample of a batch against values computed from the file by plain arithmetic.
  void check(const octavo::Split& split, std::int64_t batch) {
    position_ = 0;
    offset_ = 0;
    next(batch);
    std::vector<std::int8_t> codes(static_cast<std::size_t>(values()));
    for (const std::int64_t b : {std::int64_t{0}, batch - 1}) {
      split.read(rows_[static_cast<std::size_t>(b)], 1, codes);
      for (std::size_t i = 0; i < codes.size(); ++i) {
        float value;
        std::memcpy(&value, out_ + (static_cast<std::size_t>(b) * codes.size() + i) * sizeof value, sizeof value);
        const double expected = (codes[i] + 128.0 - octavo::pooled_mean(store_.statistics())) / 128.0;
        require(std::abs(value - expected) < 1e-5, to_string(store_.shape()) + " B=" + std::to_string(batch));
      }
    }
  }

 private:
  std::int64_t values() const { return store_.shape().values(); }

  double copy(std::int64_t batch, int threads, const std::byte* from, bool streaming) {
    const auto bytes = static_cast<std::size_t>(moved_bytes(batch) / 2);
    const std::size_t share = bytes / static_cast<std::size_t>(threads), step = (bytes + 255) / 256 * 256;
    const auto repeats = std::clamp<std::int64_t>(kTimedBytes / (5 * batch * values()), 1, 20000);
    return run_team(threads,
                    [&](int thread) {
                      std::size_t offset = 0;
                      for (std::int64_t i = 0; i < repeats; ++i, offset += step) {
                        if (offset + bytes > kOutputBytes) offset = 0;
                        const std::size_t at = offset + share * static_cast<std::size_t>(thread);
                        if (streaming)
                          octavo::kernels::cpu::streaming_copy(out_ + at, from + at, share);
                        else
                          std::memcpy(out_ + at, from + at, share);
                      }
                    }) /
           static_cast<double>(repeats);
  }

  void next(std::int64_t batch) {
    const auto bytes = static_cast<std::size_t>(batch * values() * 4);
    if (position_ + batch > store_.sample_count()) position_ = 0;
    if (offset_ + bytes > kOutputBytes) offset_ = 0;
    view_.data = out_ + offset_;
    view_.shape = {batch, values()};
    store_.gather(std::span(rows_).subspan(static_cast<std::size_t>(position_), static_cast<std::size_t>(batch)), spec_,
                  view_);
    position_ += batch;
    offset_ += (bytes + 255) / 256 * 256;
  }

  const octavo::Store& store_;
  octavo::PreparedSpec spec_;
  std::byte* out_;
  std::vector<std::int64_t> rows_;
  octavo::TensorView view_;
  std::int64_t position_ = 0;
  std::size_t offset_ = 0;
};

}  // namespace

int main(int argc, char** argv) try {
  const long mebibytes = option(argc, argv, "--mib", 1024);
  const int rounds = static_cast<int>(option(argc, argv, "--rounds", 5));
  Results results("batches", argc, argv);
  const ScratchFolder folder;
  const BigMemory out = make_big_memory(kOutputBytes), from = make_big_memory(kOutputBytes);
  for (const Shape& shape : kShapes) {
    write_random_file(folder / "random.h5", sample_shape(shape), (std::int64_t{mebibytes} << 20) / shape.values());
    const octavo::Split split = octavo::Dataset::open(folder / "random.h5").split("train");
    const octavo::Store store = octavo::Store::load(split, octavo::Device::cpu());
    Batches batches(store, out.get());
    results.section(std::string(shape.name) + ", of the best copy of as many bytes");
    for (const std::int64_t batch : kBatches) {
      if (!batches.fits(batch)) continue;
      batches.check(split, batch);
      std::vector<Subject> subjects = batches.copies(batch, from.get());
      subjects.push_back({std::string(shape.name) + " B=" + std::to_string(batch), batches.moved_bytes(batch),
                          [&] { return batches.run(batch); }});
      const std::vector<Measurement> measured = measure(subjects, rounds);
      double best_copy = 0;
      for (std::size_t i = 0; i + 1 < measured.size(); ++i) {
        best_copy = std::max(best_copy, measured[i].bytes_per_second());
      }
      for (const Measurement& measurement : measured) results.add(measurement, best_copy);
    }
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "bench_batches: %s\n", error.what());
  return 1;
}
