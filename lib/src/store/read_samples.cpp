// Bringing resident samples to a device. From a file: read, check and copy, a block at a time on each thread.
#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>

#include "archive/block_rows.hpp"
#include "archive/split_access.hpp"
#include "store/stored_samples.hpp"
#include "support/threads.hpp"

namespace octavo::store {
namespace {

/// What is read at once on the way into host memory: it is checked while it is still in the cache.
constexpr std::int64_t kHostBlockBytes = std::int64_t{512} << 10;
/// What is staged at once on the way to a GPU: large enough for the full rate of the link.
constexpr std::int64_t kStagedBlockBytes = std::int64_t{4} << 20;

/// Reports progress for all threads, one at a time.
class SharedProgress {
 public:
  SharedProgress(const Split& split, std::int64_t total_samples, const ProgressFunction& report)
      : stage_("loading " + split.name()),
        report_(report),
        sample_bytes_(split.shape().values()),
        total_samples_(total_samples) {}

  void add(std::int64_t sample_count) {
    if (!report_) return;
    const std::lock_guard lock(mutex_);
    done_samples_ += sample_count;
    report_({stage_, done_samples_, total_samples_, done_samples_ * sample_bytes_, total_samples_ * sample_bytes_});
  }

 private:
  std::string stage_;
  const ProgressFunction& report_;
  std::int64_t sample_bytes_;
  std::int64_t total_samples_;
  std::int64_t done_samples_ = 0;
  std::mutex mutex_;
};

void read_block(const Split& split, bool verify, std::int64_t first, std::int64_t count, std::span<std::int8_t> codes,
                std::span<std::byte> labels) {
  if (verify) return split.read_checked(first, count, codes, labels);
  split.read(first, count, codes);
  if (!labels.empty()) split.read_labels(first, count, labels);
}

/// Calls work(thread, first, count) for blocks of `block_samples` samples until all are done.
template <typename Work>
void for_blocks(std::int64_t sample_count, std::int64_t block_samples, int thread_count, const Work& work) {
  std::atomic<std::int64_t> next = 0;
  std::atomic<bool> failed = false;
  run_on_threads(thread_count, [&](int thread) {
    try {
      for (std::int64_t first; !failed && (first = next.fetch_add(block_samples)) < sample_count;) {
        work(thread, first, std::min(block_samples, sample_count - first));
      }
    } catch (...) {
      failed = true;
      throw;
    }
  });
}

std::span<std::byte> label_bytes(const StoredSamples& samples, std::byte* base, std::int64_t first,
                                 std::int64_t count) {
  const std::int64_t each = samples.labels.bytes_per_sample();
  return each == 0 ? std::span<std::byte>() : std::span(base + first * each, static_cast<std::size_t>(count * each));
}

void read_into_host(const Split& split, const LoadOptions& options, const StoredSamples& samples,
                    SharedProgress& progress) {
  const std::int64_t values = samples.shape.values();
  const std::int64_t block_samples = archive::rows_per_block(archive::SplitAccess::entry(split), kHostBlockBytes);
  for_blocks(samples.resident_count, block_samples, resolve_thread_count(options.thread_count),
             [&](int, std::int64_t first, std::int64_t count) {
               read_block(split, options.verify_checksums, first, count,
                          {samples.codes.as<std::int8_t>() + first * values, static_cast<std::size_t>(count * values)},
                          label_bytes(samples, samples.label_words.as<std::byte>(), first, count));
               progress.add(count);
             });
}

/// What one thread stages with: two pinned blocks, of which one is filled while the other is copied.
struct StagingLane {
  struct Block {
    backend::PinnedBuffer codes;
    backend::PinnedBuffer labels;
    backend::OwnedEvent copied;
  };
  backend::OwnedStream stream;
  Block blocks[2];
  int turn = 0;
};

StagingLane make_lane(const StoredSamples& samples, std::int64_t block_samples) {
  StagingLane lane;
  lane.stream = backend::OwnedStream(samples.backend);
  for (StagingLane::Block& block : lane.blocks) {
    block.codes =
        backend::PinnedBuffer(samples.backend, static_cast<std::size_t>(block_samples * samples.shape.values()));
    block.labels = backend::PinnedBuffer(samples.backend, static_cast<std::size_t>(std::max<std::int64_t>(
                                                              4, block_samples * samples.labels.bytes_per_sample())));
    block.copied = backend::OwnedEvent(samples.backend);
  }
  return lane;
}

void read_through_staging(const Split& split, const LoadOptions& options, const StoredSamples& samples,
                          SharedProgress& progress) {
  const std::int64_t values = samples.shape.values();
  const std::int64_t label_size = samples.labels.bytes_per_sample();
  const std::int64_t block_samples =
      std::min(samples.resident_count, archive::rows_per_block(archive::SplitAccess::entry(split), kStagedBlockBytes));
  const std::int64_t block_count = (samples.resident_count + block_samples - 1) / block_samples;
  const int thread_count =
      static_cast<int>(std::min<std::int64_t>(block_count, resolve_thread_count(options.thread_count)));
  std::vector<StagingLane> lanes;
  for (int thread = 0; thread < thread_count; ++thread) lanes.push_back(make_lane(samples, block_samples));
  backend::Backend& device = *samples.backend;
  for_blocks(
      samples.resident_count, block_samples, thread_count, [&](int thread, std::int64_t first, std::int64_t count) {
        StagingLane& lane = lanes[static_cast<std::size_t>(thread)];
        const StagingLane::Block& block = lane.blocks[lane.turn];
        const StreamRef stream(lane.stream.get());
        device.synchronize_event(block.copied.get());
        const std::span<std::byte> labels = label_bytes(samples, block.labels.data(), 0, count);
        read_block(split, options.verify_checksums, first, count,
                   {reinterpret_cast<std::int8_t*>(block.codes.data()), static_cast<std::size_t>(count * values)},
                   labels);
        device.copy_rows_to_device(samples.codes.as<std::byte>() + first * samples.row_stride_bytes,
                                   static_cast<std::size_t>(samples.row_stride_bytes), block.codes.data(),
                                   static_cast<std::size_t>(values), static_cast<std::size_t>(count), stream);
        if (label_size != 0) {
          device.copy_rows_to_device(samples.label_words.as<std::byte>() + first * label_size,
                                     static_cast<std::size_t>(label_size), block.labels.data(),
                                     static_cast<std::size_t>(label_size), static_cast<std::size_t>(count), stream);
        }
        device.record(block.copied.get(), stream);
        lane.turn = 1 - lane.turn;
        progress.add(count);
      });
  for (const StagingLane& lane : lanes) device.synchronize(StreamRef(lane.stream.get()));
}

}  // namespace

std::int64_t row_stride_bytes(std::int64_t values_per_sample, bool is_host) {
  const std::int64_t padded = (values_per_sample + 15) / 16 * 16;
  return !is_host && (padded - values_per_sample) * 50 < values_per_sample ? padded : values_per_sample;
}

void copy_samples(const HostSamples& from, const StoredSamples& samples) {
  backend::Backend& device = *samples.backend;
  const auto values = static_cast<std::size_t>(samples.shape.values());
  const auto count = static_cast<std::size_t>(samples.resident_count);
  const auto label_bytes = static_cast<std::size_t>(samples.label_bytes());
  if (count == 0) return;
  device.copy_rows_to_device(samples.codes.data(), static_cast<std::size_t>(samples.row_stride_bytes),
                             from.codes.data(), values, count, {});
  if (label_bytes != 0) {
    device.copy_to_device(samples.label_words.data(), from.label_bytes.data(), count * label_bytes, {});
  }
  device.synchronize({});
}

void read_samples(const Split& split, const LoadOptions& options, const StoredSamples& samples) {
  if (samples.resident_count == 0) return;
  SharedProgress progress(split, samples.resident_count, options.on_progress);
  if (samples.backend->is_host())
    read_into_host(split, options, samples, progress);
  else
    read_through_staging(split, options, samples, progress);
  split.ensure_unchanged();
}

}  // namespace octavo::store
