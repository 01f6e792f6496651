// Making chunks of the samples of a split, in whatever order and pieces they come.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "dataset_file/chunk_layout.hpp"
#include "dataset_file/write/chunk_writer.hpp"
#include "dataset_file/deflate_codec.hpp"
#include "dataset_file/write/spool.hpp"

namespace octavo::dataset_file {

/// Deflates on the threads that bring the samples. Whole chunks are deflated where they are; parts of one wait in the
/// spool, at the place of their rows there, until the rest has come. Memory is two chunks a thread. Safe to use from
/// several threads.
class ChunkAssembly {
 public:
  /// `dataset` and `split` are the numbers of the split's images in `writer` and in `spool`.
  ChunkAssembly(const ChunkLayout& layout, int level, ChunkWriter& writer, std::size_t dataset, const Spool& spool,
                std::size_t split);

  /// Takes the codes of rows from `first_row` on. Each row comes once. Throws IoError.
  void add(std::int64_t first_row, std::span<const std::byte> codes);

  const ChunkLayout& layout() const { return layout_; }
  /// Once all rows have come.
  const std::vector<StoredChunk>& chunks() const { return writer_.chunks(dataset_); }

 private:
  void add_part(std::int64_t chunk, std::int64_t first_row, std::span<const std::byte> codes);
  void finish(std::int64_t chunk, std::span<const std::byte> codes);
  ReadyChunk compress(std::span<const std::byte> codes);

  const ChunkLayout layout_;
  const int level_;
  ChunkWriter& writer_;
  const std::size_t dataset_;
  const Spool& spool_;
  const std::size_t split_;

  std::mutex mutex_;
  std::vector<std::int64_t> missing_rows_;                 ///< of each chunk; of those that come in parts
  std::vector<std::unique_ptr<Deflater>> idle_deflaters_;  ///< as many as ever worked at once
};

}  // namespace octavo::dataset_file
