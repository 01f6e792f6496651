// Writing chunks into the file in one order, whichever of them is ready first.
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
#include "dataset_file/index.hpp"
#include "dataset_file/write/spool.hpp"
#include "support/file.hpp"

namespace octavo::dataset_file {

/// A chunk as it is to be stored.
struct ReadyChunk {
  std::vector<std::byte> bytes;
  bool is_deflated = true;
};

/// Chunks lie in the file in the order of datasets and of their rows, so that equal input gives equal bytes whatever
/// the threads do. One that is ready before those in front of it waits: in memory, up to a limit; else, while others
/// are being written, its thread waits; else in the spool. add() and close() are for one thread, put() is for several.
class ChunkWriter {
 public:
  /// `file` is the file that the datasets are in.
  ChunkWriter(const File& file, const Spool& spool) : file_(file), spool_(spool) {}

  /// Another dataset, behind those before it. Returns its number.
  std::size_t add(std::unique_ptr<ChunkedDataset> dataset, const ChunkLayout& layout);
  /// Writes a chunk, and those that were waiting for it. Each chunk is put once. Throws IoError.
  void put(std::size_t dataset, std::int64_t chunk, ReadyChunk ready);
  /// The chunks of a dataset that are written, in order.
  const std::vector<StoredChunk>& chunks(std::size_t dataset) const { return targets_[dataset].chunks; }
  /// Lets go of the datasets.
  void close();

 private:
  struct Target {
    std::unique_ptr<ChunkedDataset> dataset;
    ChunkLayout layout;
    std::int64_t first_number = 0;  ///< of its chunks among those of all datasets
    std::vector<StoredChunk> chunks;
  };
  struct Waiting {
    std::size_t dataset = 0;
    ReadyChunk ready;
    Extent in_spool;  ///< no bytes if `ready` has them
  };

  void keep(std::int64_t number, Waiting waiting);
  void write_those_in_turn(std::unique_lock<std::mutex>& lock);
  void write(Waiting waiting);
  Extent find_written(const Target& target, std::int64_t first_row, std::span<const std::byte> bytes);

  const File& file_;
  const Spool& spool_;
  std::vector<Target> targets_;
  std::int64_t file_length_ = 0;  ///< after the last chunk that was written; of the thread that writes

  std::mutex mutex_;
  std::condition_variable progress_;
  std::map<std::int64_t, Waiting> waiting_;  ///< by number
  std::int64_t waiting_bytes_ = 0;           ///< in memory
  std::int64_t next_number_ = 0;
  bool is_writing_ = false;
  bool has_failed_ = false;
};

}  // namespace octavo::dataset_file
