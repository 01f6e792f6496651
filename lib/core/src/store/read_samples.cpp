// Loads resident samples onto a device. From a file, each thread reads, checks and copies one block at a time.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>

#include "dataset_file/block_rows.hpp"
#include "dataset_file/split_access.hpp"
#include "store/stored_samples.hpp"
#include "store/upload.hpp"
#include "support/threads.hpp"

namespace octavo::store {
namespace {

/// Bytes per read into host memory: small enough to be checked while still in the cache.
constexpr std::int64_t kHostBlockBytes = std::int64_t{512} << 10;

/// Reports progress for all threads, serialized.
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
                std::span<std::byte> labels, std::span<std::uint8_t> masks = {}) {
  if (verify) return split.read_checked(first, count, codes, labels, masks);
  split.read(first, count, codes);
  if (!labels.empty()) split.read_labels(first, count, labels);
  if (!masks.empty()) split.read_masks(first, count, masks);
}

/// Reads the rows of samples, codes and then masks, to `rows`.
void read_rows(const Split& split, bool verify, const StoredSamples& samples, std::int64_t first, std::int64_t count,
               std::int8_t* rows, std::span<std::byte> labels) {
  const auto code_bytes = static_cast<std::size_t>(samples.shape.values());
  const auto mask_bytes = static_cast<std::size_t>(samples.mask_bytes());
  const auto row_count = static_cast<std::size_t>(count);
  if (mask_bytes == 0) return read_block(split, verify, first, count, {rows, row_count * code_bytes}, labels);
  // The file holds codes and masks in datasets of their own.
  std::vector<std::int8_t> codes(row_count * code_bytes);
  std::vector<std::uint8_t> masks(row_count * mask_bytes);
  read_block(split, verify, first, count, codes, labels, masks);
  for (std::size_t i = 0; i < row_count; ++i, rows += samples.row_stride_bytes) {
    std::memcpy(rows, codes.data() + i * code_bytes, code_bytes);
    std::memcpy(rows + code_bytes, masks.data() + i * mask_bytes, mask_bytes);
  }
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
  const std::int64_t block_samples =
      dataset_file::rows_per_block(dataset_file::SplitAccess::entry(split), kHostBlockBytes);
  for_blocks(samples.resident_count, block_samples, resolve_thread_count(options.thread_count),
             [&](int, std::int64_t first, std::int64_t count) {
               read_rows(split, options.verify_checksums, samples, first, count,
                         samples.codes.as<std::int8_t>() + first * samples.row_stride_bytes,
                         label_bytes(samples, samples.label_words.as<std::byte>(), first, count));
               progress.add(count);
             });
}

/// Largest number of threads that read for a GPU: more do not help to saturate the link, and each needs pinned memory.
constexpr int kMostLanes = 16;

/// The upload resources of one thread.
struct Lane {
  Lane(const std::shared_ptr<backend::Backend>& device, std::int64_t block_bytes)
      : backend(device), stream(device), upload(device, block_bytes) {}
  ~Lane() { backend::finish(*backend, StreamRef(stream.get())); }

  std::shared_ptr<backend::Backend> backend;
  backend::OwnedStream stream;
  Upload upload;
};

/// Reads the blocks of a split into pinned memory and copies them from there.
class StagedReading {
 public:
  StagedReading(const Split& split, const LoadOptions& options, const StoredSamples& samples, SharedProgress& progress)
      : split_(split),
        options_(options),
        samples_(samples),
        progress_(progress),
        block_samples_(
            std::min(samples.resident_count,
                     dataset_file::rows_per_block(dataset_file::SplitAccess::entry(split), kUploadBlockBytes))) {}

  void run() {
    const std::int64_t block_count = (samples_.resident_count + block_samples_ - 1) / block_samples_;
    const auto thread_count = static_cast<int>(
        std::min<std::int64_t>({block_count, resolve_thread_count(options_.thread_count), kMostLanes}));
    lanes_.resize(static_cast<std::size_t>(thread_count));
    for_blocks(samples_.resident_count, block_samples_, thread_count,
               [&](int thread, std::int64_t first, std::int64_t count) { copy_block(lane(thread), first, count); });
    for (const auto& one : lanes_) {
      if (one) samples_.backend->synchronize(StreamRef(one->stream.get()));
    }
  }

 private:
  /// Created by the thread that uses it, because pinning memory is slow.
  Lane& lane(int thread) {
    std::unique_ptr<Lane>& one = lanes_[static_cast<std::size_t>(thread)];
    if (!one)
      one = std::make_unique<Lane>(samples_.backend, labels_offset(block_samples_) + label_bytes(block_samples_));
    return *one;
  }
  std::int64_t row_bytes(std::int64_t count) const { return count * samples_.row_stride_bytes; }
  std::int64_t label_bytes(std::int64_t count) const { return count * samples_.label_bytes(); }
  std::int64_t labels_offset(std::int64_t count) const { return (row_bytes(count) + 15) / 16 * 16; }

  void copy_block(Lane& lane, std::int64_t first, std::int64_t count) const {
    const StreamRef stream(lane.stream.get());
    std::byte* block = lane.upload.begin_block();
    std::byte* labels = block + labels_offset(count);
    read_rows(split_, options_.verify_checksums, samples_, first, count, reinterpret_cast<std::int8_t*>(block),
              store::label_bytes(samples_, labels, 0, count));
    lane.upload.copy(samples_.codes.as<std::byte>() + row_bytes(first), block, row_bytes(count), stream);
    lane.upload.copy(samples_.label_words.as<std::byte>() + label_bytes(first), labels, label_bytes(count), stream);
    lane.upload.finish_block(stream);
    progress_.add(count);
  }

  const Split& split_;
  const LoadOptions& options_;
  const StoredSamples& samples_;
  SharedProgress& progress_;
  std::int64_t block_samples_;
  std::vector<std::unique_ptr<Lane>> lanes_;
};

}  // namespace

void copy_samples(const HostSamples& from, const StoredSamples& samples) {
  if (samples.resident_count == 0) return;
  backend::Backend& device = *samples.backend;
  const auto count = static_cast<std::size_t>(samples.resident_count);
  device.copy_to_device(samples.codes.data(), from.codes.data(),
                        count * static_cast<std::size_t>(samples.shape.values()), {});
  if (samples.label_bytes() != 0) {
    device.copy_to_device(samples.label_words.data(), from.label_bytes.data(),
                          count * static_cast<std::size_t>(samples.label_bytes()), {});
  }
}

void read_samples(const Split& split, const LoadOptions& options, const StoredSamples& samples) {
  if (samples.resident_count == 0) return;
  SharedProgress progress(split, samples.resident_count, options.on_progress);
  if (samples.backend->is_host())
    read_into_host(split, options, samples, progress);
  else
    StagedReading(split, options, samples, progress).run();
  split.ensure_unchanged();
}

}  // namespace octavo::store
