// Device memory for the samples of a batch that are not resident, and the upload into it.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "backend/backend.hpp"
#include "kernels/row_selection.hpp"
#include "store/staging/batch_rows.hpp"
#include "store/staging/placed_batch.hpp"
#include "store/staging/upload.hpp"
#include "store/stored_samples.hpp"

namespace octavo::store {

/// Where samples are read to, with what it points to.
struct StagedTarget {
  std::vector<std::uint64_t> row_offsets, mask_offsets;
  dataset_file::RowTarget places;
};

/// A block of device memory. It holds the samples of a batch that are not resident, packed, their labels, and the row
/// numbers by which a gather finds each sample of the batch:
///
///     rows of staged samples | their masks | their labels | where rows begin, and masks | BatchRows::numbers()
///
/// fill() reads and copies samples. use() runs gathers that read samples() and selection().
/// Not thread-safe.
class StagingSlot {
 public:
  /// Allocates memory for batches of up to `most_rows` samples. Throws OutOfMemory.
  StagingSlot(std::shared_ptr<const StoredSamples> samples, std::int64_t most_rows)
      : StagingSlot(samples, most_rows, most_rows * samples->rows_in_source.largest_bytes(),
                    most_rows * samples->masks_in_source.largest_bytes()) {}
  /// The same, for rows of up to `most_row_bytes`, and masks of up to `most_mask_bytes` together.
  StagingSlot(std::shared_ptr<const StoredSamples> samples, std::int64_t most_rows, std::int64_t most_row_bytes,
              std::int64_t most_mask_bytes);
  StagingSlot(const StagingSlot&) = delete;
  StagingSlot& operator=(const StagingSlot&) = delete;
  /// Waits for all uses of the slot.
  ~StagingSlot();

  /// Returns the upload for fill(): pinned memory of at most two blocks. Null on the CPU, which needs none. Throws
  /// OutOfMemory.
  std::unique_ptr<Upload> make_upload() const;

  /// Reads the samples of `rows`, which must exist, and enqueues their copies on `stream`, after the gathers of earlier
  /// use() calls. Throws like RowSource::read().
  void fill(const BatchRows& batch, Upload* upload, StreamRef stream, const std::atomic<bool>& cancelled);

  /// Writes staged samples to device memory; see fill_chosen().
  using Write = std::function<void(const dataset_file::RowTarget& target)>;
  /// The two halves of fill(), for samples that come from elsewhere. choose() places the samples of a batch. The
  /// samples to stage are then staged(): each once, in the order of the split.
  void choose(const BatchRows& batch);
  std::span<const std::int64_t> staged() const { return batch_.staged; }
  /// Calls write(), which writes these samples, or enqueues that on `stream`.
  void fill_chosen(const Write& write, Upload* upload, StreamRef stream);

  /// Makes `stream` wait for the copies and for earlier uses of the slot on other streams, then calls `enqueue`.
  template <typename Enqueue>
  void use(StreamRef stream, const Enqueue& enqueue) {
    begin_use(stream);
    try {
      enqueue();
    } catch (...) {
      end_use(stream);  // some of the work may be enqueued
      throw;
    }
    end_use(stream);
  }

  kernels::PackedSamples samples() const;
  /// The samples of the batch, which belongs to `epoch`, as rows of samples().
  kernels::RowSelection selection(std::int64_t epoch) const;
  std::int64_t batch_count() const { return batch_count_; }

  std::int64_t device_bytes() const { return static_cast<std::int64_t>(memory_.bytes()); }

 private:
  void begin_use(StreamRef stream) const;
  void end_use(StreamRef stream);
  void set_chosen(PlacedBatch batch);
  std::int64_t staged_count() const { return static_cast<std::int64_t>(batch_.staged.size()); }
  void fill_whole(Upload& upload, StreamRef stream, const std::atomic<bool>& cancelled);
  void fill_in_parts(Upload& upload, StreamRef stream, const std::atomic<bool>& cancelled);
  void copy_table(std::byte* to) const;
  void upload_table(Upload& upload, StreamRef stream) const;
  void read_all(std::byte* to, const std::atomic<bool>& cancelled) const;
  StagedTarget target_of(std::byte* block, std::int64_t first, std::int64_t count) const;
  std::int64_t samples_in(std::int64_t bytes, std::int64_t first) const;
  bool is_coded() const { return samples_->row_coding != kernels::RowCoding::plain; }
  std::int64_t table_offset() const {
    return samples_->layout.end_offset(rows_.total_bytes(), masks_.total_bytes(), staged_count());
  }
  std::int64_t filled_bytes() const;
  std::byte* memory() const { return memory_.as<std::byte>(); }

  std::shared_ptr<const StoredSamples> samples_;
  backend::DeviceBuffer memory_;
  backend::OwnedEvent copied_;             ///< the copies of fill() are done
  backend::OwnedEvent used_;               ///< memory_ may be written again
  PlacedBatch batch_;                      ///< its rows are those of samples()
  dataset_file::RowOffsets rows_, masks_;  ///< of the staged samples
  /// What follows the labels: where rows and masks begin, if they differ in size, then batch_.rows.numbers().
  std::vector<std::int64_t> table_;
  std::int64_t batch_count_ = 0;
};

}  // namespace octavo::store
