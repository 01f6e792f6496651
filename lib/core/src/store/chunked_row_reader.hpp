// Reads single samples of a split with deflated images, in any order.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include <octavo/dataset.hpp>

#include "backend/thread_pool.hpp"
#include "dataset_file/reader.hpp"
#include "store/row_source.hpp"
#include "store/sample_companions.hpp"

namespace octavo::store {

/// Inflates each chunk with a requested row once, on several threads, and copies the rows from it. Recently used chunks
/// come from the cache of the open file. Thread-safe.
class ChunkedRowReader final : public RowSource {
 public:
  /// Reads labels and checksums. Throws IoError.
  ChunkedRowReader(const Split& split, bool verify_checksums, bool with_masks, int thread_count);

  /// Throws IoError if the file cannot be read or has changed since it was opened, FormatError with the sample or chunk
  /// if one is damaged.
  void read(std::span<const std::int64_t> rows, const RowTarget& target,
            const std::atomic<bool>& cancelled) const override;

 private:
  /// A requested row: its number in the split and its position in the list.
  struct Wanted {
    std::int64_t row;
    std::int64_t place;
  };
  /// Copies rows of one chunk, in ascending order.
  void read_from_chunk(std::span<const Wanted> rows, const RowTarget& target) const;

  Split split_;
  const dataset_file::Reader& reader_;     ///< of split_
  const dataset_file::SplitEntry& entry_;  ///< of split_
  dataset_file::ChunkLayout layout_;
  SampleCompanions companions_;
  mutable backend::ThreadPool pool_;
};

}  // namespace octavo::store
