// Writing chunks to the file in a fixed order, whichever is ready first.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "dataset_file/write/chunked_dataset.hpp"
#include "dataset_file/write/spool.hpp"
#include "format/index/index.hpp"
#include "support/file.hpp"

namespace octavo::dataset_file {

/// A chunk in its stored form.
struct ReadyChunk {
  std::vector<std::byte> bytes;
  bool is_encoded = true;
};

/// Stores chunks in the order of datasets and rows, so that equal input gives equal bytes whatever the threads do. A
/// chunk that is ready too early waits in memory, up to a limit. Beyond the limit, its thread waits if others are being
/// written; otherwise the chunk goes to the spool. Call add() and close() from one thread, put() from any.
class ChunkWriter {
 public:
  /// `file` is the file with the datasets.
  ChunkWriter(const File& file, const Spool& spool) : file_(file), spool_(spool) {}

  /// Adds a dataset after the existing ones. Returns its index.
  std::size_t add(std::unique_ptr<ChunkedDataset> dataset, const ChunkLayout& layout);
  /// Writes a chunk and those that were waiting for it. Put each chunk once. Throws IoError.
  void put(std::size_t dataset, std::int64_t chunk, ReadyChunk ready);
  /// The written chunks of a dataset, in order.
  const std::vector<StoredChunk>& chunks(std::size_t dataset) const { return targets_[dataset].chunks; }
  /// Closes the datasets.
  void close();

 private:
  struct Target {
    std::unique_ptr<ChunkedDataset> dataset;
    ChunkLayout layout;
    std::int64_t first_number = 0;  ///< number of its first chunk among those of all datasets
    std::vector<StoredChunk> chunks;
  };
  struct Waiting {
    std::size_t dataset = 0;
    ReadyChunk ready;
    Extent in_spool;  ///< empty if `ready` holds the chunk
  };

  void keep(std::int64_t number, Waiting waiting);
  void write_those_in_turn(std::unique_lock<std::mutex>& lock);
  void write(Waiting waiting);
  Extent find_written(const Target& target, std::int64_t first_row, std::span<const std::byte> bytes);

  const File& file_;
  const Spool& spool_;
  std::vector<Target> targets_;
  std::int64_t file_length_ = 0;  ///< after the last written chunk; used by the writing thread

  std::mutex mutex_;
  std::condition_variable progress_;
  std::map<std::int64_t, Waiting> waiting_;  ///< by chunk number
  std::int64_t waiting_bytes_ = 0;           ///< in memory
  std::int64_t next_number_ = 0;
  bool is_writing_ = false;
  bool has_failed_ = false;
};

}  // namespace octavo::dataset_file
