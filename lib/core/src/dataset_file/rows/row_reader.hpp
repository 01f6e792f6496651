// Reads single samples of a split, in any order.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "backend/thread_pool.hpp"
#include "dataset_file/rows/row_plan.hpp"
#include "dataset_file/rows/row_source.hpp"
#include "dataset_file/rows/sample_companions.hpp"
#include "format/reader.hpp"
#include "support/hash.hpp"

namespace octavo::dataset_file {

/// Reads at the samples' offsets in the file, on several threads. Neighbors, and rows with a small gap between them,
/// share one call. Requests all data that is not at hand before waiting for any of it, so that a disk always has many
/// requests. Never maps the file: a truncated file is an error and does not kill the process.
///
/// Thread-safe.
class RowReader final : public RowSource {
 public:
  /// For rows that stand alone. `entry` belongs to the reader. Reads labels and checksums. Throws IoError.
  RowReader(std::shared_ptr<const Reader> reader, const SplitEntry& entry, const RowReading& reading);

  /// Throws IoError if the file cannot be read or has changed since it was opened, FormatError with the sample if one
  /// is damaged.
  void read(std::span<const std::int64_t> rows, const RowTarget& target,
            const std::atomic<bool>& cancelled) const override;
  std::int64_t start(std::span<const std::int64_t> rows) const noexcept override;
  bool is_remote() const noexcept override { return cost_.waits_for_network; }

 private:
  RowRuns runs_of(std::span<const std::int64_t> rows) const;
  void start_run(std::span<const WantedRow> run) const;
  void read_runs(const RowRuns& runs, std::int64_t first, std::int64_t last, const RowTarget& target,
                 const std::atomic<bool>& cancelled) const;

  std::shared_ptr<const Reader> reader_;
  const SplitEntry& entry_;
  ReadCost cost_;            ///< of the source
  std::int64_t mean_bytes_;  ///< of a row
  SampleCompanions companions_;
  mutable backend::ThreadPool pool_;
};

}  // namespace octavo::dataset_file
