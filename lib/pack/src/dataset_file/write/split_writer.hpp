// Writing the samples of one split: checks, counts, hashes and stores each row once.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include <octavo/writer.hpp>

#include "dataset_file/write/chunk_assembly.hpp"
#include "dataset_file/write/row_assembly.hpp"
#include "dataset_file/write/row_set.hpp"
#include "dataset_file/write/spool.hpp"
#include "format/index/index.hpp"
#include "format/statistics/sample_counter.hpp"
#include "support/file.hpp"

namespace octavo::dataset_file {

/// The location of the samples of a split.
struct PayloadPlace {
  Extent images;                           ///< empty if they are not plain
  std::unique_ptr<ChunkAssembly> chunks;   ///< makes the chunks of deflated images; else null
  std::unique_ptr<RowAssembly> rows;       ///< encodes images row by row; else null
  std::unique_ptr<RowAssembly> mask_rows;  ///< the same for masks; null if there are none
  Extent decoded_checksums;                ///< empty without `rows`
  Extent labels;                           ///< empty if the split has none
  Extent masks;                            ///< empty if the split has none, or they are encoded
  Extent checksums;
};

/// write() and skip() may be called from several threads; all other calls from one thread, afterwards.
class SplitWriter {
 public:
  /// `spool` may be null if the final location is known (place()) and there are no names. With `rows_wait`, samples go
  /// to the spool first.
  SplitWriter(SplitLayout layout, std::size_t split_number, std::size_t class_count, const Spool* spool,
              bool rows_wait);

  /// Sets the final location of samples. Call before write(), or with `rows_wait` before copy_waiting_rows().
  void place(const File& file, PayloadPlace place);
  const PayloadPlace& place() const { return place_; }
  /// Encodes images with these tables. Call before write().
  void use_tables(std::shared_ptr<const RowTables> tables);

  void write(std::int64_t first_row, std::span<std::uint8_t> values, std::span<const std::byte> labels,
             std::span<const std::string> names, std::span<const std::uint8_t> masks);
  void skip(std::int64_t row);
  /// JSON, as in columns.hpp.
  void set_columns(std::string columns) { columns_ = std::move(columns); }

  /// The preferred number of rows per write(), starting at a multiple of it: a chunk if rows go directly into chunks.
  std::int64_t rows_per_block() const { return place_.chunks ? place_.chunks->layout().samples_per_chunk : 1; }
  /// Throws InvalidArgument if rows are missing or all were skipped.
  void check_complete() const;
  /// Copies the rows that were not skipped from the spool to their final location, on the given number of threads.
  void copy_waiting_rows(int thread_count);
  /// The index entry for the split's current contents; the caller fills in the extents.
  SplitEntry entry() const;
  /// The counts over everything written.
  Statistics statistics();
  /// Sum modulo 2^64 over rows of XXH3-64 of the sample's uint8 values, seeded with its row.
  std::uint64_t source_digest() const { return source_digest_; }
  /// The same, seeded with its row in the dataset, if the layout has that.
  std::uint64_t dataset_digest() const { return dataset_digest_; }
  /// The metadata of the written rows, not checked; empty if there is none.
  const std::string& columns() const { return columns_; }
  /// The bytes of all names, including a zero byte after each.
  std::int64_t names_bytes() const { return name_bytes_ + sample_count(); }
  std::int64_t sample_count() const { return written_.size(); }
  std::size_t number() const { return split_number_; }
  const SplitLayout& layout() const { return layout_; }

  /// Calls visit(first, end) for each run of written rows, in order, with at most `most_rows` rows per run.
  template <typename Visit>
  void for_each_run(std::int64_t most_rows, const Visit& visit) const {
    for (std::int64_t row = 0; (row = written_.find(row, written_.capacity(), true)) < written_.capacity();) {
      const std::int64_t end = written_.find(row, std::min(row + most_rows, written_.capacity()), false);
      visit(row, end);
      row = end;
    }
  }

 private:
  std::int64_t mask_bytes() const { return layout_.has_masks ? layout_.shape.values_per_channel() : 0; }
  std::int64_t check_sizes(std::int64_t first_row, std::size_t value_count, std::size_t label_bytes,
                           std::size_t name_count, std::size_t mask_count) const;
  void check_labels(std::int64_t first_row, std::span<const std::byte> labels) const;
  void check_values(std::int64_t first_row, std::span<const std::uint8_t> values) const;
  void claim(std::int64_t first_row, std::int64_t count);
  void count(std::span<const std::uint8_t> values);
  void keep_names(std::int64_t first_row, std::span<const std::string> names);
  struct WaitingBlock;
  bool next_waiting_block(std::int64_t most_rows, WaitingBlock& block);
  /// Hashes, encodes and stores rows at their final location.
  void store(std::int64_t first_row, std::span<std::uint8_t> values, std::span<const std::byte> labels,
             std::span<const std::byte> masks);
  void store_codes(std::int64_t first_row, std::span<const std::byte> codes);
  std::string where(std::int64_t row) const;

  const SplitLayout layout_;
  const std::size_t split_number_;
  const std::size_t class_count_;
  const Spool* const spool_;
  const bool rows_wait_;
  const File* file_ = nullptr;
  PayloadPlace place_;
  std::shared_ptr<const RowTables> tables_;  ///< of use_tables(); or null

  std::string columns_;

  std::mutex rows_mutex_;
  RowSet written_;
  RowSet skipped_;
  std::int64_t next_waiting_row_ = 0;  ///< in the spool; rows before it are being copied
  std::int64_t next_final_row_ = 0;
  std::mutex counters_mutex_;
  std::vector<std::unique_ptr<statistics::SampleCounter>> idle_counters_;  ///< as many as concurrent writers so far
  std::atomic<std::uint64_t> source_digest_ = 0, dataset_digest_ = 0;
  std::atomic<std::int64_t> name_bytes_ = 0;
};

}  // namespace octavo::dataset_file
