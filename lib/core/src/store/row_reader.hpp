// Reads single samples of a split, in any order.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <octavo/dataset.hpp>

#include "backend/thread_pool.hpp"
#include "dataset_file/reader.hpp"
#include "store/row_source.hpp"
#include "store/sample_companions.hpp"
#include "support/hash.hpp"

namespace octavo::store {

/// Reads at the samples' offsets in the file, on several threads. Neighbors, and rows with a small gap between them,
/// share one call. Requests all data that is not in the page cache before waiting for any of it, so that a disk always
/// has many requests. Never maps the file: a truncated file is an error and does not kill the process.
///
/// Thread-safe.
class RowReader final : public RowSource {
 public:
  /// For plain images. Reads labels and checksums. Throws IoError.
  RowReader(const Split& split, bool verify_checksums, bool with_masks, int thread_count);

  /// Throws IoError if the file cannot be read or has changed since it was opened, FormatError with the sample if one
  /// is damaged.
  void read(std::span<const std::int64_t> rows, const RowTarget& target,
            const std::atomic<bool>& cancelled) const override;

 private:
  /// A requested row: its number in the split and its position in the list.
  struct Wanted {
    std::int64_t row;
    std::int64_t place;
  };
  class Runs;

  std::vector<Wanted> in_reading_order(std::span<const std::int64_t> rows) const;
  void read_runs(const Runs& runs, std::int64_t first, std::int64_t last, const RowTarget& target,
                 const std::atomic<bool>& cancelled) const;
  void finish_run(std::span<const Wanted> run, const RowTarget& target, StreamingHash& hash) const;

  Split split_;
  const dataset_file::Reader& reader_;     ///< of split_
  const dataset_file::SplitEntry& entry_;  ///< of split_
  std::int64_t sample_bytes_;
  SampleCompanions companions_;
  mutable backend::ThreadPool pool_;
};

}  // namespace octavo::store
