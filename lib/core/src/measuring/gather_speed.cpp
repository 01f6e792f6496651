// Times gathers and compares them with copies on the same device.
#include <algorithm>
#include <functional>
#include <iterator>
#include <vector>

#include <octavo/measurements.hpp>

#include "loader/packed_server.hpp"
#include "measuring/device_probe.hpp"
#include "measuring/timing.hpp"
#include "store/stored_samples.hpp"

namespace octavo {
namespace {

using measuring::CopyMethod;
using measuring::quantile;
using measuring::seconds_of;

/// Minimum bytes moved and minimum duration of one timing. On a slow device, a timing of `kEnoughSeconds` is long
/// enough, however few bytes it moves.
constexpr std::int64_t kTimedBytes = std::int64_t{64} << 20;
constexpr double kTimedSeconds = 0.005;
constexpr double kEnoughSeconds = 0.1;
/// Memory of this multiple of the last-level cache is read from memory, as larger memory is.
constexpr std::int64_t kCacheFactor = 4;
/// More rounds than the fewest are taken until the result is steady.
constexpr int kFewestRounds = 9;
constexpr int kMostRounds = 27;

/// Gathers the batches of shuffled epochs, one epoch after another, into one buffer, as a loader does.
class GatherSubject {
 public:
  GatherSubject(const Store& store, const BatchSpec& spec, std::int64_t batch_size)
      : server_(
            store.samples(),
            {.batch_size = batch_size, .shuffle = true, .drop_last = batch_size <= store.sample_count(), .spec = spec}),
        batch_count_(std::min(batch_size, store.sample_count())),
        images_(server_.backend(), static_cast<std::size_t>(batch_count_ * server_.shape().bytes()),
                "a batch of images"),
        labels_(server_.backend(), static_cast<std::size_t>(batch_count_ * server_.labels().bytes_per_sample()),
                "the labels of a batch"),
        finish_at_end_(server_.backend(), {}) {}

  std::int64_t batch_count() const { return batch_count_; }
  /// Bytes of codes read, values written, and labels read and written.
  std::int64_t moved_bytes() const {
    return batch_count_ *
           (server_.samples().shape.values() + server_.shape().bytes() + 2 * server_.labels().bytes_per_sample());
  }
  std::int64_t image_bytes() const { return static_cast<std::int64_t>(images_.bytes()); }
  std::int64_t touched_bytes() const {
    return server_.order().sample_count() * server_.samples().shape.values() + image_bytes();
  }

  /// Gathers the next `batches` batches.
  void run(std::int64_t batches) {
    const std::int64_t steps = server_.order().batches_per_epoch(0);
    for (std::int64_t i = 0; i < batches; ++i, ++step_) {
      server_.serve(step_ / steps, step_ % steps, {images_.data(), {labels_.data()}}, {});
    }
    server_.backend()->synchronize({});
  }

  /// Returns the number of batches that makes a timing long enough. Runs them first, so that memory is mapped and warm.
  std::int64_t batches_for_timing() {
    std::int64_t batches = std::max<std::int64_t>(1, kTimedBytes / 16 / moved_bytes());
    run(batches);
    for (;; batches *= 2) {
      const double seconds = seconds_of([&] { run(batches); });
      const bool moves_enough = batches * moved_bytes() >= kTimedBytes;
      if (seconds >= (moves_enough ? kTimedSeconds : kEnoughSeconds)) return batches;
    }
  }

 private:
  loader::PackedServer server_;
  std::int64_t batch_count_;
  backend::DeviceBuffer images_;
  backend::DeviceBuffer labels_;
  backend::FinishAtEnd finish_at_end_;
  std::int64_t step_ = 0;
};

/// Copies blocks as large as a batch from memory as large as the split, or far larger than the cache, into one buffer.
/// So the copies find the same in the caches as the gathers do.
class CopySubject {
 public:
  CopySubject(const std::shared_ptr<backend::Backend>& backend, std::int64_t source_bytes, std::int64_t batch_bytes)
      : from_(backend, static_cast<std::size_t>(std::max(batch_bytes, source_bytes)), "a copy to measure"),
        to_(backend, static_cast<std::size_t>(batch_bytes), "a copy to measure"),
        finish_at_end_(backend, {}) {
    backend->fill_zero(from_.data(), from_.bytes(), {});
    backend->fill_zero(to_.data(), to_.bytes(), {});
    backend->synchronize({});
  }

  /// Makes the next `count` copies.
  void run(const CopyMethod& method, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i, ++step_) {
      const std::size_t block = static_cast<std::size_t>(step_) % (from_.bytes() / to_.bytes());
      method.copy(to_.data(), from_.as<std::byte>() + block * to_.bytes(), to_.bytes());
    }
  }
  /// Bytes that one copy reads and writes.
  std::int64_t moved_bytes() const { return 2 * static_cast<std::int64_t>(to_.bytes()); }

 private:
  backend::DeviceBuffer from_, to_;
  backend::FinishAtEnd finish_at_end_;
  std::int64_t step_ = 0;
};

/// Seconds per byte of each round, taken alternately, so that what disturbs one also disturbs the other.
struct Rounds {
  std::vector<double> gathers;
  std::vector<std::vector<double>> copies;  ///< of each method

  const std::vector<double>& fastest_copies() const {
    return *std::ranges::min_element(copies, {}, [](const auto& seconds) { return quantile(seconds, 0.5); });
  }
  /// The speed of the gathers, as a fraction of that of the copies.
  std::vector<double> fractions() const {
    std::vector<double> fractions;
    std::ranges::transform(fastest_copies(), gathers, std::back_inserter(fractions), std::divides());
    return fractions;
  }
};

double spread_of(const std::vector<double>& values) {
  return (quantile(values, 0.75) - quantile(values, 0.25)) / quantile(values, 0.5);
}

Rounds time_rounds(GatherSubject& gather, CopySubject& copy, const std::vector<CopyMethod>& methods) {
  const std::int64_t batches = gather.batches_for_timing();
  // Copies are fast even where gathers are slow, so that they need all of the bytes to take long enough.
  const std::int64_t bytes = std::max(kTimedBytes, batches * gather.moved_bytes());
  const std::int64_t copies = std::max<std::int64_t>(1, bytes / copy.moved_bytes());
  for (const CopyMethod& method : methods) copy.run(method, copies);  // maps and warms the memory
  Rounds rounds;
  rounds.copies.resize(methods.size());
  for (int round = 0; round < kMostRounds; ++round) {
    rounds.gathers.push_back(seconds_of([&] { gather.run(batches); }) /
                             static_cast<double>(batches * gather.moved_bytes()));
    for (std::size_t i = 0; i < methods.size(); ++i) {
      rounds.copies[i].push_back(seconds_of([&] { copy.run(methods[i], copies); }) /
                                 static_cast<double>(copies * copy.moved_bytes()));
    }
    if (round + 1 >= kFewestRounds && spread_of(rounds.fractions()) < GatherSpeed::kSteadySpread) break;
  }
  return rounds;
}

}  // namespace

bool can_time_gathers(const Store& store) {
  return store.sample_count() * store.shape().values() >= kSmallestTimedBytes;
}

GatherSpeed time_gathers(const Store& store, const BatchSpec& spec, std::int64_t batch_size) {
  const auto& backend = store.samples()->backend;
  const measuring::DeviceProbe device = measuring::probe(backend->device());
  GatherSubject gather(store, spec, batch_size);
  const std::int64_t split_bytes = store.sample_count() * store.shape().values();
  CopySubject copy(backend, std::min(split_bytes, kCacheFactor * device.cache_bytes), gather.image_bytes());
  const Rounds rounds = time_rounds(gather, copy, device.copies);
  const std::vector<double> fractions = rounds.fractions();

  GatherSpeed speed;
  speed.batch_size = gather.batch_count();
  speed.moved_bytes = gather.moved_bytes();
  speed.median_seconds = quantile(rounds.gathers, 0.5) * static_cast<double>(speed.moved_bytes);
  speed.spread = spread_of(rounds.gathers);
  speed.copy_bytes_per_second = 1.0 / quantile(rounds.fastest_copies(), 0.5);
  speed.fraction_of_copy = quantile(fractions, 0.5);
  speed.lowest_fraction = quantile(fractions, 0.25);
  speed.highest_fraction = quantile(fractions, 0.75);
  speed.fits_cache = gather.touched_bytes() <= device.cache_bytes;
  return speed;
}

}  // namespace octavo
