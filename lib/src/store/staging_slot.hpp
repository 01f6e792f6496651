// Room for what a batch needs beside the resident samples, and how it gets there.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>

#include "backend/backend.hpp"
#include "row_selection.hpp"
#include "store/stored_samples.hpp"

namespace octavo::store {

/// A block of pinned host memory and its twin on the device (on the CPU one block is both). It holds the samples of a
/// batch that are not resident, packed, their labels, and the numbers by which a gather finds each sample of the batch:
///
///     codes of staged sample 0 | 1 | ... | labels of 0 | 1 | ... | row number of place 0 | 1 | ... of the batch
///
/// fill() reads and copies; then gathers on streams that have called begin_use() may use rows() and selection();
/// end_use() tells that they have been enqueued.
/// Not thread-safe.
class StagingSlot {
 public:
  /// Has room for batches of `most_rows` samples. Throws OutOfMemory.
  StagingSlot(std::shared_ptr<const StoredSamples> samples, std::int64_t most_rows);

  /// Reads the samples of `rows`, each in the split, and enqueues their copy on `stream`, when gathers that were
  /// enqueued before the last end_use() are done with what was there. Throws as RowSource::read() does.
  void fill(std::span<const std::int64_t> rows, StreamRef stream, const std::atomic<bool>& cancelled);
  /// Makes `stream` wait for the copy, and for those who used the slot before on other streams.
  void begin_use(StreamRef stream) const;
  /// Gathers that use this slot have been enqueued on `stream`.
  void end_use(StreamRef stream);

  kernels::PackedRows rows() const;
  /// The places of the batch, as numbers of rows().
  kernels::RowSelection selection() const;
  std::int64_t batch_count() const { return batch_count_; }

  std::int64_t device_bytes() const { return static_cast<std::int64_t>(on_device_.bytes()); }

 private:
  std::byte* host() const;
  std::byte* device() const;

  std::shared_ptr<const StoredSamples> samples_;
  backend::DeviceBuffer on_device_;
  backend::PinnedBuffer on_host_;  ///< empty on the CPU, where on_device_ is host memory
  backend::OwnedEvent copied_;     ///< on_host_ may be filled again
  backend::OwnedEvent used_;       ///< on_device_ may be written again
  std::int64_t batch_count_ = 0;
  std::int64_t staged_count_ = 0;
  std::int64_t labels_offset_ = 0;
  std::int64_t numbers_offset_ = 0;
};

}  // namespace octavo::store
