// Room on a device for what a batch needs in addition to the resident samples, and how it gets there.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "backend/backend.hpp"
#include "kernels/row_selection.hpp"
#include "store/stored_samples.hpp"
#include "store/upload.hpp"

namespace octavo::store {

/// A block of device memory. It holds the samples of a batch that are not resident, packed, their labels, and the
/// numbers by which a gather finds each sample of the batch:
///
///     codes of staged sample 0 | 1 | ... | labels of 0 | 1 | ... | row number of place 0 | 1 | ... of the batch
///
/// fill() reads and copies; use() is for the gathers that read rows() and selection().
/// Not thread-safe.
class StagingSlot {
 public:
  /// Has room for batches of `most_rows` samples. Throws OutOfMemory.
  StagingSlot(std::shared_ptr<const StoredSamples> samples, std::int64_t most_rows);
  StagingSlot(const StagingSlot&) = delete;
  StagingSlot& operator=(const StagingSlot&) = delete;
  /// Waits for those who use the slot.
  ~StagingSlot();

  /// What fill() copies through: pinned memory of at most two blocks. Null on the CPU, which needs none. Throws
  /// OutOfMemory.
  std::unique_ptr<Upload> make_upload() const;

  /// Reads the samples of `rows`, each in the split, and enqueues their copies on `stream`, when gathers of earlier
  /// use() are done with what was there. Throws as RowSource::read() does.
  void fill(std::span<const std::int64_t> rows, Upload* upload, StreamRef stream, const std::atomic<bool>& cancelled);

  /// Calls `enqueue`, after `stream` waits for the copies and for those who used the slot before on other streams.
  template <typename Enqueue>
  void use(StreamRef stream, const Enqueue& enqueue) {
    begin_use(stream);
    try {
      enqueue();
    } catch (...) {
      end_use(stream);  // part of it may be enqueued
      throw;
    }
    end_use(stream);
  }

  kernels::PackedRows rows() const;
  /// The places of the batch, as numbers of rows().
  kernels::RowSelection selection() const;
  std::int64_t batch_count() const { return batch_count_; }

  std::int64_t device_bytes() const { return static_cast<std::int64_t>(memory_.bytes()); }

 private:
  void begin_use(StreamRef stream) const;
  void end_use(StreamRef stream);
  void choose_staged(std::span<const std::int64_t> rows);
  void fill_whole(Upload& upload, StreamRef stream, const std::atomic<bool>& cancelled);
  void fill_in_parts(Upload& upload, StreamRef stream, const std::atomic<bool>& cancelled);
  void read_all(std::byte* to, const std::atomic<bool>& cancelled) const;
  std::int64_t filled_bytes() const;
  std::byte* memory() const { return memory_.as<std::byte>(); }

  std::shared_ptr<const StoredSamples> samples_;
  backend::DeviceBuffer memory_;
  backend::OwnedEvent copied_;        ///< what was enqueued by fill() is there
  backend::OwnedEvent used_;          ///< memory_ may be written again
  std::vector<std::int64_t> staged_;  ///< samples of the batch that are not resident
  std::vector<std::int64_t> numbers_; ///< of each place of the batch, as a number of rows()
  std::int64_t batch_count_ = 0;
  std::int64_t labels_offset_ = 0;
  std::int64_t numbers_offset_ = 0;
};

}  // namespace octavo::store
