// How the images of a file are encoded. The encoding is independent of where the samples reside.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <octavo/compression.hpp>
#include <octavo/shapes.hpp>

#include "kernels/packed_rows.hpp"

namespace octavo::dataset_file {

/// Encodes chunks. Reusable, not thread-safe.
class ChunkEncoder {
 public:
  virtual ~ChunkEncoder() = default;
  /// Returns the encoded chunk, or nothing if it would not be at least 3 % smaller. Deterministic for a given input,
  /// level and version of the library.
  virtual std::optional<std::vector<std::byte>> encode(std::span<const std::byte> chunk) = 0;
};

/// Encodes rows of one shape. Reusable, not thread-safe.
class RowEncoder {
 public:
  virtual ~RowEncoder() = default;
  /// Appends the encoded row to `out`: a multiple of 4 bytes, at most that of the codes, rounded up. Deterministic.
  virtual void encode(std::span<const std::byte> codes, std::vector<std::byte>& out) = 0;
};

/// What rows are decoded with besides themselves.
struct RowTables {
  std::vector<std::byte> stored;       ///< as in a file
  std::vector<std::uint32_t> entries;  ///< as kernels read them: PackedRows::tables
};

/// An encoding.
struct Codec {
  Compression compression;
  const char* name_in_index;  ///< the value of "encoding" in the index
  bool rows_stand_alone;      ///< any row can be read without others; otherwise chunks of rows are encoded
  /// How a row that was read is in memory; kernels decode it if it is not plain.
  kernels::RowCoding row_coding = kernels::RowCoding::plain;
  // Of chunks:
  std::uint32_t hdf5_filter = 0;    ///< the number of the HDF5 filter that decodes a chunk
  int most_hdf5_level = 0;          ///< the highest level that this filter knows
  std::int64_t most_expansion = 1;  ///< decoded bytes per stored byte, at most
  /// Throws std::bad_alloc.
  std::unique_ptr<ChunkEncoder> (*make_encoder)(int level) = nullptr;
  /// Decodes `stored` into `out`. Returns false unless `stored` is one whole, undamaged encoded chunk of exactly
  /// out.size() bytes; the contents of `out` are then unspecified.
  bool (*decode)(std::span<const std::byte> stored, std::span<std::byte> out) = nullptr;
  // Of rows that are not plain, which differ in size:
  /// `tables` are null if the encoding has none.
  std::unique_ptr<RowEncoder> (*make_row_encoder)(const SampleShape& shape,
                                                  std::shared_ptr<const RowTables> tables) = nullptr;
  /// Whether a row may have `bytes` stored bytes. Its decoder then stays in bounds, whatever they contain.
  bool (*can_be_row)(const SampleShape& shape, std::int64_t bytes) = nullptr;
  // Of encodings with tables:
  std::shared_ptr<const RowTables> (*default_tables)(const SampleShape& shape) = nullptr;
  /// Those that encode samples like these, codes [count,C,H,W], in few bytes. Deterministic.
  std::shared_ptr<const RowTables> (*train_tables)(const SampleShape& shape,
                                                   std::span<const std::byte> codes) = nullptr;
  /// Throws FormatError (the message does not name the dataset).
  std::shared_ptr<const RowTables> (*read_tables)(std::span<const std::byte> stored) = nullptr;

  std::shared_ptr<const RowTables> tables_for(const SampleShape& shape) const {
    return default_tables == nullptr ? nullptr : default_tables(shape);
  }
};

/// An encoder with tables for rows like these, codes [count,C,H,W], or those of the encoding without any.
struct TrainedEncoder {
  std::shared_ptr<const RowTables> tables;
  std::unique_ptr<RowEncoder> encoder;

  TrainedEncoder(const Codec& codec, const SampleShape& shape, std::span<const std::byte> codes)
      : tables(codec.train_tables == nullptr || codes.empty() ? codec.tables_for(shape)
                                                              : codec.train_tables(shape, codes)),
        encoder(codec.make_row_encoder(shape, tables)) {}
};

/// How many of N samples of a split train its tables: enough for these, and few enough to keep them in memory.
inline std::int64_t training_samples(std::int64_t N, const SampleShape& shape) {
  constexpr std::int64_t kMostBytes = std::int64_t{8} << 20, kMostSamples = 1000;
  return std::min({N, kMostSamples, std::max<std::int64_t>(1, kMostBytes / shape.values())});
}

/// The row of training sample `i` of `count`: they are from all over the split, which may be sorted by class.
inline std::int64_t training_row(std::int64_t i, std::int64_t count, std::int64_t N) {
  return (2 * i + 1) * N / (2 * count);
}

const Codec& codec_of(Compression compression);

/// Null if there is none.
const Codec* find_codec(std::string_view name_in_index);

}  // namespace octavo::dataset_file
