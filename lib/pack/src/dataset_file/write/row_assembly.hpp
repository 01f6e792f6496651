// Encoding rows of a split one by one, and collecting them until their sizes are known.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include <octavo/shapes.hpp>

#include "dataset_file/write/spool.hpp"
#include "format/codec.hpp"
#include "support/file.hpp"

namespace octavo::dataset_file {

/// Rows as they are stored, one after the other, and the size of each.
struct EncodedRows {
  std::vector<std::byte> bytes;
  std::vector<std::uint32_t> sizes;
};

/// Encodes on the calling threads. Encoded rows wait in the spool, because the place of a row depends on the sizes of
/// those before it. Thread-safe.
class RowAssembly {
 public:
  /// `tables` are null if the codec has none. Rows have value_step(max_error).
  RowAssembly(const Codec& codec, std::shared_ptr<const RowTables> tables, const SampleShape& shape, int max_error,
              std::int64_t row_count, const Spool& spool);

  /// Encodes with these tables instead. Call before add().
  void use(std::shared_ptr<const RowTables> tables) { tables_ = std::move(tables); }

  /// Encodes rows from `first_row` on and keeps them. Add each row once. Throws IoError.
  EncodedRows add(std::int64_t first_row, std::span<const std::byte> codes);

  const Codec& codec() const { return codec_; }
  const std::shared_ptr<const RowTables>& tables() const { return tables_; }
  /// Call the following after adding all rows. The bytes of each row.
  const std::vector<std::uint32_t>& sizes() const { return sizes_; }
  std::int64_t total_bytes() const;
  /// Writes all rows to `file` from `offset` on. Throws IoError.
  void write(const File& file, std::int64_t offset, int thread_count) const;

 private:
  std::unique_ptr<RowEncoder> take_encoder();

  const Codec& codec_;
  std::shared_ptr<const RowTables> tables_;
  const SampleShape shape_;
  const int max_error_;
  const Spool& spool_;
  std::vector<std::uint32_t> sizes_;
  std::vector<std::int64_t> in_spool_;  ///< where each row is
  std::mutex mutex_;
  std::vector<std::unique_ptr<RowEncoder>> idle_encoders_;  ///< as many as the most concurrent users so far
};

}  // namespace octavo::dataset_file
