// Reads single samples of a split with deflated images, in any order.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>

#include "backend/thread_pool.hpp"
#include "dataset_file/rows/row_plan.hpp"
#include "dataset_file/rows/row_source.hpp"
#include "dataset_file/rows/sample_companions.hpp"
#include "format/reader.hpp"

namespace octavo::dataset_file {

/// Inflates each chunk with a requested row once, on several threads, and copies the rows from it. Recently used chunks
/// come from the cache of the open file. Thread-safe.
class ChunkedRowReader final : public RowSource {
 public:
  /// `entry` belongs to the reader. Reads labels and checksums. Throws IoError.
  ChunkedRowReader(std::shared_ptr<const Reader> reader, const SplitEntry& entry, const RowReading& reading);

  /// Throws IoError if the file cannot be read or has changed since it was opened, FormatError with the sample or chunk
  /// if one is damaged.
  void read(std::span<const std::int64_t> rows, const RowTarget& target,
            const std::atomic<bool>& cancelled) const override;
  std::int64_t start(std::span<const std::int64_t> rows) const noexcept override;
  bool is_remote() const noexcept override { return reader_->source().read_cost().waits_for_network; }

 private:
  RowRuns chunks_of(std::span<const std::int64_t> rows) const;
  /// Copies rows of one chunk, in ascending order.
  void read_from_chunk(std::span<const WantedRow> rows, const RowTarget& target) const;

  std::shared_ptr<const Reader> reader_;
  const SplitEntry& entry_;
  ChunkLayout layout_;
  SampleCompanions companions_;
  mutable backend::ThreadPool pool_;
};

}  // namespace octavo::dataset_file
