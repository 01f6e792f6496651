#include "measuring/gather_speed.hpp"

#include <algorithm>

#include "loader/packed_server.hpp"
#include "measuring/device_probe.hpp"
#include "measuring/timing.hpp"
#include "store/store_access.hpp"

namespace octavo::measuring {
namespace {

/// Minimum bytes moved and minimum duration of one timing.
constexpr std::int64_t kTimedBytes = std::int64_t{64} << 20;
constexpr double kTimedSeconds = 0.005;
/// Minimum size of a copy; larger on a GPU, where a small copy is too fast to time.
constexpr std::int64_t kHostCopyBytes = std::int64_t{256} << 20;
constexpr std::int64_t kDeviceCopyBytes = std::int64_t{1} << 30;
constexpr int kRounds = 9;

/// Gathers the batches of shuffled epochs, one epoch after another, into one buffer, as a loader does.
class GatherSubject {
 public:
  GatherSubject(const Store& store, const BatchSpec& spec, std::int64_t batch_size)
      : server_(
            store::StoreAccess::samples(store),
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
  std::int64_t touched_bytes() const {
    return server_.order().sample_count() * server_.samples().shape.values() +
           static_cast<std::int64_t>(images_.bytes());
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
    std::int64_t batches = (kTimedBytes + moved_bytes() - 1) / moved_bytes();
    run(batches);
    while (seconds_of([&] { run(batches); }) < kTimedSeconds) batches *= 2;
    return batches;
  }

 private:
  loader::PackedServer server_;
  std::int64_t batch_count_;
  backend::DeviceBuffer images_;
  backend::DeviceBuffer labels_;
  backend::FinishAtEnd finish_at_end_;
  std::int64_t step_ = 0;
};

std::int64_t copy_bytes(const backend::Backend& backend, std::int64_t cache_bytes) {
  const std::int64_t wanted = std::max(backend.is_host() ? kHostCopyBytes : kDeviceCopyBytes, 2 * cache_bytes);
  return std::min(wanted, backend.memory().free_bytes / 4 / 4096 * 4096);
}

}  // namespace

/// Copies between two mapped blocks that are much larger than the cache.
class CopyReference {
 public:
  CopyReference(const std::shared_ptr<backend::Backend>& backend, DeviceProbe device, std::size_t bytes)
      : device_(std::move(device)),
        from_(backend, bytes, "a copy to measure"),
        to_(backend, bytes, "a copy to measure"),
        finish_at_end_(backend, {}) {
    backend->fill_zero(from_.data(), bytes, {});
    backend->fill_zero(to_.data(), bytes, {});
    backend->synchronize({});
  }
  const DeviceProbe& device() const { return device_; }
  void run(const CopyMethod& method) { method.copy(to_.data(), from_.data(), from_.bytes()); }
  /// Bytes read and written.
  double moved_bytes() const { return 2.0 * static_cast<double>(from_.bytes()); }

 private:
  DeviceProbe device_;
  backend::DeviceBuffer from_, to_;
  backend::FinishAtEnd finish_at_end_;
};

GatherTimer::GatherTimer(const Store& store) : store_(store) {
  const auto& backend = store::StoreAccess::samples(store)->backend;
  DeviceProbe device = probe(backend->device());
  const std::int64_t copied = copy_bytes(*backend, device.cache_bytes);
  if (store.sample_count() * store.shape().values() < kSmallestTimedBytes || copied <= device.cache_bytes) return;
  reference_ = std::make_unique<CopyReference>(backend, std::move(device), static_cast<std::size_t>(copied));
}

GatherTimer::~GatherTimer() = default;

GatherSpeed GatherTimer::measure(const BatchSpec& spec, std::int64_t batch_size) {
  GatherSubject gather(store_, spec, batch_size);
  const std::int64_t batches = gather.batches_for_timing();
  const DeviceProbe& device = reference_->device();
  std::vector<double> gather_seconds;
  std::vector<std::vector<double>> copy_seconds(device.copies.size());
  for (int round = 0; round < kRounds; ++round) {
    gather_seconds.push_back(seconds_of([&] { gather.run(batches); }) / static_cast<double>(batches));
    for (std::size_t i = 0; i < device.copies.size(); ++i) {
      copy_seconds[i].push_back(seconds_of([&] { reference_->run(device.copies[i]); }));
    }
  }

  GatherSpeed speed;
  speed.batch_size = gather.batch_count();
  speed.moved_bytes = gather.moved_bytes();
  speed.median_seconds = quantile(gather_seconds, 0.5);
  speed.spread = (quantile(gather_seconds, 0.75) - quantile(gather_seconds, 0.25)) / speed.median_seconds;
  for (const auto& seconds : copy_seconds) {
    speed.copy_bytes_per_second =
        std::max(speed.copy_bytes_per_second, reference_->moved_bytes() / quantile(seconds, 0.5));
  }
  speed.fits_cache = gather.touched_bytes() <= device.cache_bytes;
  return speed;
}

}  // namespace octavo::measuring
