// Reading single samples of a split whose images are deflated, in any order.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include <octavo/dataset.hpp>

#include "dataset_file/reader.hpp"
#include "backend/thread_pool.hpp"
#include "store/row_source.hpp"
#include "store/sample_companions.hpp"

namespace octavo::store {

/// Inflates each chunk that has a wanted row once, on several threads, and copies the rows out of it. Chunks of the
/// last batches are found in the cache of the open file. Safe to use from several threads.
class ChunkedRowReader final : public RowSource {
 public:
  /// Reads labels and checksums. Throws IoError.
  ChunkedRowReader(const Split& split, bool verify_checksums, int thread_count);

  /// Throws IoError if the file cannot be read or was changed since it was opened, FormatError naming a sample or a
  /// chunk that is damaged.
  void read(std::span<const std::int64_t> rows, const RowTarget& target,
            const std::atomic<bool>& cancelled) const override;

 private:
  /// A row of the list: its number in the split, and its place in the list.
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
