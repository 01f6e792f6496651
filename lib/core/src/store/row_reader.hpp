// Reading single samples of a split, in any order.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <octavo/dataset.hpp>

#include "dataset_file/reader.hpp"
#include "backend/thread_pool.hpp"
#include "store/row_source.hpp"
#include "store/sample_companions.hpp"
#include "support/hash.hpp"

namespace octavo::store {

/// Reads on several threads at the samples' offsets in the file: neighbors, and those with a small gap between them,
/// by one call. What is not in the page cache is asked for all at once before it is waited for, so that a disk always
/// has many requests. Never maps the file: a file that is cut short is an error and not the end of the process.
///
/// Safe to use from several threads.
class RowReader final : public RowSource {
 public:
  /// Of plain images. Reads labels and checksums. Throws IoError.
  RowReader(const Split& split, bool verify_checksums, int thread_count);

  /// Throws IoError if the file cannot be read or was changed since it was opened, FormatError naming a sample that
  /// is damaged.
  void read(std::span<const std::int64_t> rows, const RowTarget& target,
            const std::atomic<bool>& cancelled) const override;

 private:
  /// A row of the list: its number in the split, and its place in the list.
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
