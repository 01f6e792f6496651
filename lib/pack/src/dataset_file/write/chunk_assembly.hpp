// Assembling chunks from the samples of a split, which arrive in any order and number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "dataset_file/write/chunk_writer.hpp"
#include "dataset_file/write/spool.hpp"
#include "format/chunks/chunk_layout.hpp"
#include "format/codec.hpp"

namespace octavo::dataset_file {

/// Encodes on the calling threads. Whole chunks are encoded directly; parts of a chunk wait in the spool, at the
/// offset of their rows, until the rest has arrived. Uses two chunks of memory per thread. Thread-safe.
class ChunkAssembly {
 public:
  /// `dataset` and `split` are the indices of the split's images in `writer` and in `spool`.
  ChunkAssembly(const ChunkLayout& layout, const Codec& codec, int level, ChunkWriter& writer, std::size_t dataset,
                const Spool& spool, std::size_t split);

  /// Adds the codes of rows from `first_row` on. Add each row once. Throws IoError.
  void add(std::int64_t first_row, std::span<const std::byte> codes);

  const ChunkLayout& layout() const { return layout_; }
  const Codec& codec() const { return codec_; }
  /// Call after adding all rows.
  const std::vector<StoredChunk>& chunks() const { return writer_.chunks(dataset_); }

 private:
  void add_part(std::int64_t chunk, std::int64_t first_row, std::span<const std::byte> codes);
  void finish(std::int64_t chunk, std::span<const std::byte> codes);
  ReadyChunk encode(std::span<const std::byte> codes);

  const ChunkLayout layout_;
  const Codec& codec_;
  const int level_;
  ChunkWriter& writer_;
  const std::size_t dataset_;
  const Spool& spool_;
  const std::size_t split_;

  std::mutex mutex_;
  std::vector<std::int64_t> missing_rows_;                    ///< per chunk; used for chunks that arrive in parts
  std::vector<std::unique_ptr<ChunkEncoder>> idle_encoders_;  ///< as many as the most concurrent users so far
};

}  // namespace octavo::dataset_file
