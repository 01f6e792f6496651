// Loads resident samples onto a device. From a file, each thread reads, checks and copies one block at a time.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>

#include "dataset_file/split_data.hpp"
#include "store/staging/upload.hpp"
#include "store/stored_samples.hpp"
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

/// Reads consecutive samples to `to`.
void read_block(const Split& split, bool verify, const StoredSamples& samples, std::int64_t first, std::int64_t count,
                const dataset_file::RowTarget& to) {
  const RowLayout& layout = samples.layout;
  const auto block = [](std::byte* base, std::int64_t bytes) {
    return bytes == 0 ? std::span<std::byte>() : std::span(base, static_cast<std::size_t>(bytes));
  };
  const std::span<std::byte> rows = block(to.rows, samples.rows_in_source.bytes(first, count)),
                             labels = block(to.labels, layout.labels(count));
  std::span<std::byte> masks = block(to.masks, samples.masks_in_source.bytes(first, count));
  std::vector<std::byte> unwanted;  // a checksum also covers the mask
  if (verify && masks.empty() && split.has_masks()) {
    unwanted.resize(static_cast<std::size_t>(split.data()->description().mask_rows.bytes(first, count)));
    masks = unwanted;
  }
  const dataset_file::SplitData& data = *split.data();
  data.read_rows(first, count, rows);
  data.read_labels(first, count, labels);
  if (!masks.empty()) data.read_masks(first, count, masks);
  if (verify) data.check_samples(first, count, rows, labels, masks);
}

/// Where slot `slot` of the device is.
dataset_file::RowTarget slot_target(const StoredSamples& samples, std::int64_t slot) {
  const RowLayout& layout = samples.layout;
  return {samples.codes.as<std::byte>() + samples.resident_rows[slot],
          samples.masks.as<std::byte>() + samples.resident_masks[slot],
          samples.label_words.as<std::byte>() + layout.labels(slot)};
}

/// Samples that are read together: their rows in the split, and their slots on the device.
struct Block {
  std::int64_t first_row, first_slot, count;
};

/// The samples that this process loads.
std::vector<Block> blocks_of(const StoredSamples& samples, std::int64_t block_samples) {
  std::vector<Block> blocks;
  for (const RowRange& range : samples.loaded.ranges()) {
    std::int64_t slot = samples.resident.slot_of(range.first).value();
    for (std::int64_t done = 0; done < range.count; done += block_samples) {
      const std::int64_t count = std::min(block_samples, range.count - done);
      blocks.push_back({range.first + done, slot, count});
      slot += count;
    }
  }
  return blocks;
}

/// Calls work(thread, block) for all blocks.
template <typename Work>
void for_blocks(std::span<const Block> blocks, int thread_count, const Work& work) {
  std::atomic<std::size_t> next = 0;
  std::atomic<bool> failed = false;
  run_on_threads(thread_count, [&](int thread) {
    try {
      for (std::size_t at; !failed && (at = next.fetch_add(1)) < blocks.size();) work(thread, blocks[at]);
    } catch (...) {
      failed = true;
      throw;
    }
  });
}

void read_into_host(const Split& split, const LoadOptions& options, const StoredSamples& samples,
                    SharedProgress& progress) {
  const std::vector<Block> blocks = blocks_of(samples, split.data()->rows_per_block(kHostBlockBytes));
  for_blocks(blocks, resolve_thread_count(options.thread_count), [&](int, const Block& block) {
    read_block(split, options.verify_checksums, samples, block.first_row, block.count,
               slot_target(samples, block.first_slot));
    progress.add(block.count);
  });
}

/// Largest number of threads that read for a GPU: more do not help to saturate the link, and each needs pinned memory.
constexpr int kMostLanes = 16;

/// The rows of a block, whose masks and labels need room too.
std::int64_t row_bytes_per_block(const StoredSamples& samples) {
  const std::int64_t N = samples.sample_count, row_bytes = samples.rows_in_source.mean_bytes();
  const std::int64_t mask_bytes = (samples.masks_in_source.total_bytes() + N - 1) / N;
  return kUploadBlockBytes * row_bytes / (row_bytes + mask_bytes + samples.layout.label_bytes);
}

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
        block_samples_(std::min(samples.loaded.count(), split.data()->rows_per_block(row_bytes_per_block(samples)))),
        blocks_(blocks_of(samples, block_samples_)) {}

  void run() {
    const auto thread_count = static_cast<int>(std::min<std::int64_t>(
        {std::ssize(blocks_), std::int64_t{resolve_thread_count(options_.thread_count)}, kMostLanes}));
    lanes_.resize(static_cast<std::size_t>(thread_count));
    for_blocks(blocks_, thread_count, [&](int thread, const Block& block) { copy_block(lane(thread), block); });
    for (const auto& one : lanes_) {
      if (one) samples_.backend->synchronize(StreamRef(one->stream.get()));
    }
  }

 private:
  /// Created by the thread that uses it, because pinning memory is slow.
  Lane& lane(int thread) {
    std::unique_ptr<Lane>& one = lanes_[static_cast<std::size_t>(thread)];
    if (!one) one = std::make_unique<Lane>(samples_.backend, most_bytes());
    return *one;
  }
  /// Of a block.
  std::int64_t most_bytes() const {
    std::int64_t most = 0;
    for (const Block& block : blocks_) {
      most = std::max(
          most, samples_.layout.end_offset(samples_.rows_in_source.bytes(block.first_row, block.count),
                                           samples_.masks_in_source.bytes(block.first_row, block.count), block.count));
    }
    return most;
  }

  void copy_block(Lane& lane, const Block& block) const {
    const RowLayout& layout = samples_.layout;
    const StreamRef stream(lane.stream.get());
    std::byte* const begin = lane.upload.begin_block();
    const std::int64_t row_bytes = samples_.rows_in_source.bytes(block.first_row, block.count);
    const std::int64_t mask_bytes = samples_.masks_in_source.bytes(block.first_row, block.count);
    const dataset_file::RowTarget from{begin, begin + layout.masks_offset(row_bytes),
                                       begin + layout.labels_offset(row_bytes, mask_bytes)};
    read_block(split_, options_.verify_checksums, samples_, block.first_row, block.count, from);
    const dataset_file::RowTarget to = slot_target(samples_, block.first_slot);
    lane.upload.copy(to.rows, from.rows, row_bytes, stream);
    lane.upload.copy(to.masks, from.masks, mask_bytes, stream);
    lane.upload.copy(to.labels, from.labels, layout.labels(block.count), stream);
    lane.upload.finish_block(stream);
    progress_.add(block.count);
  }

  const Split& split_;
  const LoadOptions& options_;
  const StoredSamples& samples_;
  SharedProgress& progress_;
  std::int64_t block_samples_;
  std::vector<Block> blocks_;
  std::vector<std::unique_ptr<Lane>> lanes_;
};

}  // namespace

void copy_samples(const HostSamples& from, const StoredSamples& samples) {
  const RowLayout& layout = samples.layout;
  std::int64_t slot = 0;
  for (const RowRange& range : samples.resident.ranges()) {
    const dataset_file::RowOffsets& rows = samples.rows_in_source;
    samples.backend->copy_to_device(samples.codes.as<std::byte>() + samples.resident_rows[slot],
                                    from.codes.data() + rows[range.first],
                                    static_cast<std::size_t>(rows.bytes(range.first, range.count)), {});
    if (layout.label_bytes != 0) {
      samples.backend->copy_to_device(samples.label_words.as<std::byte>() + layout.labels(slot),
                                      from.label_bytes.data() + layout.labels(range.first),
                                      static_cast<std::size_t>(layout.labels(range.count)), {});
    }
    slot += range.count;
  }
}

void read_samples(const Split& split, const LoadOptions& options, const StoredSamples& samples) {
  if (samples.loaded.count() == 0) return;
  SharedProgress progress(split, samples.loaded.count(), options.on_progress);
  if (samples.backend->is_host())
    read_into_host(split, options, samples, progress);
  else
    StagedReading(split, options, samples, progress).run();
  split.ensure_unchanged();
}

}  // namespace octavo::store
