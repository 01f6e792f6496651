// Batches of every size through the public API: what a batch costs, against a copy of as many bytes.
//
// Samples and outputs are together far larger than the cache: rows are drawn in the order of an epoch, and outputs go
// round a large buffer.
#include <algorithm>
#include <cstring>
#include <octavo/octavo.hpp>
#include <vector>

#include "cpu/permute.hpp"
#include "gather/shapes.hpp"
#include "support/big_memory.hpp"
#include "support/packed_file.hpp"
#include "support/results.hpp"

namespace {

using namespace octavo::bench;

constexpr std::size_t kOutputBytes = std::size_t{1} << 30;
/// A timing is of batches that together move at least so many bytes.
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

  /// Seconds of a batch.
  double run(std::int64_t batch) {
    const auto repeats = std::clamp<std::int64_t>(kTimedBytes / (5 * batch * values()), 1, 20000);
    return seconds_of([&] {
             for (std::int64_t i = 0; i < repeats; ++i) next(batch);
           }) /
           static_cast<double>(repeats);
  }

  /// A copy of as many bytes as the gather moves, from and to places that go round as its do.
  double copy(std::int64_t batch, const std::byte* from) {
    const auto bytes = static_cast<std::size_t>(batch * values() * 5 / 2);
    const auto repeats = std::clamp<std::int64_t>(kTimedBytes / (5 * batch * values()), 1, 20000);
    return seconds_of([&] {
             for (std::int64_t i = 0; i < repeats; ++i) {
               if (offset_ + bytes > kOutputBytes) offset_ = 0;
               std::memcpy(out_ + offset_, from + offset_, bytes);
               offset_ += (bytes + 255) / 256 * 256;
             }
           }) /
           static_cast<double>(repeats);
  }

  /// The batch has the values of its rows, by plain arithmetic from the file.
  void check(const octavo::Split& split) {
    position_ = 0;
    offset_ = 0;
    next(2);
    std::vector<std::int8_t> codes(static_cast<std::size_t>(values()));
    for (std::size_t b = 0; b < 2; ++b) {
      split.read(rows_[b], 1, codes);
      for (std::size_t i = 0; i < codes.size(); i += 97) {
        float value;
        std::memcpy(&value, out_ + (b * codes.size() + i) * sizeof value, sizeof value);
        const double expected =
            (static_cast<double>(codes[i]) + 128.0 - octavo::pooled_mean(store_.statistics())) / 128.0;
        require(std::abs(value - expected) < 1e-5, to_string(store_.shape()));
      }
    }
  }

 private:
  std::int64_t values() const { return store_.shape().values(); }

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
    batches.check(split);
    for (const std::int64_t batch : kBatches) {
      if (!batches.fits(batch)) continue;
      const auto measured = measure(
          {{"memcpy of as many bytes", batches.moved_bytes(batch), [&] { return batches.copy(batch, from.get()); }},
           {std::string(shape.name) + " B=" + std::to_string(batch), batches.moved_bytes(batch),
            [&] { return batches.run(batch); }}},
          rounds);
      if (batch == kBatches[0]) results.section(std::string(shape.name) + ", of a copy of as many bytes on one thread");
      for (const Measurement& measurement : measured) results.add(measurement, measured[0].bytes_per_second());
    }
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "bench_batches: %s\n", error.what());
  return 1;
}
