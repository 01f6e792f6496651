// Completing a dataset file after its samples are stored: statistics, names, provenance, index and header.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "dataset_file/write/skeleton.hpp"
#include "dataset_file/write/split_writer.hpp"
#include "format/index/index.hpp"
#include "support/file.hpp"

namespace octavo::dataset_file {

/// Creates the group of a split and the datasets for its `sample_count` samples, and allocates their disk space: plain
/// images immediately, chunks one by one, and coded rows in the end.
class PayloadPlacing {
 public:
  /// `chunk_writer` is used for chunked images, and `spool` for all that are not plain; otherwise null.
  PayloadPlacing(Skeleton& skeleton, const File& file, ChunkWriter* chunk_writer, const Spool* spool,
                 const Codec& codec, int level)
      : skeleton_(skeleton), file_(file), chunk_writer_(chunk_writer), spool_(spool), codec_(codec), level_(level) {}
  PayloadPlace place(const SplitLayout& layout, std::size_t split_number, std::int64_t sample_count) const;

 private:
  Extent place_dataset(const std::string& path, StoredType element, const std::vector<std::int64_t>& axes,
                       std::int64_t bytes) const;

  Skeleton& skeleton_;
  const File& file_;
  ChunkWriter* chunk_writer_;
  const Spool* spool_;
  const Codec& codec_;
  int level_;
};

/// The steps, in file order. `file` is the file that `skeleton` creates.
class Completion {
 public:
  Completion(Skeleton& skeleton, const File& file, const Codec& codec, int thread_count)
      : skeleton_(skeleton), file_(file), thread_count_(thread_count) {
    index_.codec = &codec;
  }

  void add_split(SplitWriter& split, const Spool* spool);
  void add_class_names(const std::vector<std::string>& class_names);
  void add_provenance(const std::string& json);
  void add_identity(const std::string& uuid, const std::string& created, const std::string& writer);
  /// Writes the index, has HDF5 complete its part, and writes the header last.
  void finish();

 private:
  Extent add_small(const std::string& path, StoredType element, const std::vector<std::int64_t>& axes,
                   std::span<const std::byte> bytes, std::int64_t text_bytes = 0);
  void add_split_attributes(const SplitEntry& entry);
  void add_chunk_table(SplitEntry& entry);
  void add_coded_rows(SplitEntry& entry, const PayloadPlace& place);
  void add_columns(SplitEntry& entry, const std::string& columns);
  void add_names(SplitEntry& entry, const SplitWriter& split, const Spool& spool);

  Skeleton& skeleton_;
  const File& file_;
  int thread_count_;
  Index index_;
};

}  // namespace octavo::dataset_file
