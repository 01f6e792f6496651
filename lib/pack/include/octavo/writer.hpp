// Writing a dataset file sample by sample.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <octavo/compression.hpp>
#include <octavo/sample.hpp>
#include <octavo/statistics.hpp>

namespace octavo {

/// The layout of one split.
struct SplitLayout {
  std::string name;  ///< matches [A-Za-z0-9][A-Za-z0-9_.-]{0,63}
  SampleShape shape;
  LabelLayout labels;
  Color color = Color::other;
  std::int64_t row_capacity = 0;                       ///< N; with `rows_may_be_skipped`, an upper bound
  bool with_names = false;                             ///< store where each sample came from
  std::vector<ChannelQuantization> quantization = {};  ///< [C], meaning of a value; empty: scale 1, zero point 0
  std::string source_dtype = "uint8";                  ///< the element type of the source
  bool has_masks = false;                              ///< each sample has a mask, uint8 [H,W]; needs format version 2
  /// 0 to kMostMaxError: values are multiples of value_step() of it, which lp8 and lc8 store divided.
  int max_error = 0;
  /// Of a shard: the row of its first sample in the dataset. The provenance then has digests of the samples at these
  /// rows as `dataset_digests`: those of all shards add up to the source digest of the dataset.
  std::optional<std::int64_t> dataset_row = {};
};

/// How to write the file.
struct WriterOptions {
  // What changes the file.
  std::vector<SplitLayout> splits;
  std::vector<std::string> class_names;              ///< in label order; empty if unknown
  bool rows_may_be_skipped = false;                  ///< allow skip(); pixels are then spooled to disk first
  bool reproducible = false;                         ///< fixed uuid and time: equal input gives equal bytes
  Compression compression = Compression::none;       ///< of images, on the threads that call write()
  int compression_level = kDefaultCompressionLevel;  ///< 1 to 12
  // What does not change the file.
  bool replace_existing = false;  ///< finish() may replace the file; otherwise an existing file is an error
  int thread_count = 0;           ///< of finish(), if it has samples to move; 0: all that this process may use
};

/// Writes one dataset file. The file does not appear under its name until finish() completes; a Writer that is
/// destroyed earlier removes what it wrote. Several threads may call write() and skip() concurrently; all other calls
/// are for one thread.
class Writer {
 public:
  /// Locks `<path>.lock`, reserves the disk space, and creates `<path>.partial`. Throws InvalidArgument if the format
  /// does not allow the layout, or if `path` exists and replace_existing is off; IoError if the disk is full, the
  /// folder is not writable, or another writer holds the lock.
  Writer(std::filesystem::path path, WriterOptions options);
  ~Writer();
  Writer(Writer&&) noexcept;
  Writer& operator=(Writer&&) noexcept;

  /// Fits the encoding of a split to typical samples, uint8 [count,C,H,W]: lc8 makes its tables from them, all other
  /// encodings ignore them. Without this call, lc8 uses general tables. Throws InvalidArgument if the values are not
  /// whole samples, or if a sample of the split is already written.
  void train(std::size_t split, std::span<const std::uint8_t> values);

  /// Stores samples in rows [first_row, first_row + count) of options.splits[split].
  ///
  /// values  uint8 [count,C,H,W], stored as codes (code = value - 128, that is value ^ 0x80); overwritten
  /// labels  count * bytes_per_sample bytes, int32 or float32; empty if the split has none
  /// names   count names, or empty; truncated to 255 bytes at a UTF-8 boundary
  /// masks   uint8 [count,H,W]; empty if the split has none
  /// Each row must be written once or skipped once, in any order. Statistics and checksums are computed along the way.
  /// Throws InvalidArgument if sizes do not match, if a class number is negative or has no name, or if a value is not a
  /// multiple of the split's step; IoError if writing fails.
  void write(std::size_t split, std::int64_t first_row, std::span<std::uint8_t> values,
             std::span<const std::byte> labels, std::span<const std::string> names = {},
             std::span<const std::uint8_t> masks = {});
  /// Leaves the row out; later rows move up by one. Only with rows_may_be_skipped.
  void skip(std::size_t split, std::int64_t row);

  /// Keeps metadata with the samples of a split: `columns` is a JSON object with a list of one value for each row that
  /// is written, in order, by column. Throws InvalidArgument if it is not, once rows are known: in finish().
  void set_columns(std::size_t split, std::string columns);

  /// The preferred number of rows per write() call, starting at a multiple of it: no row then waits on disk for the
  /// rest of its chunk. 1 means that any number is fine.
  std::int64_t rows_per_block(std::size_t split) const;

  /// Completes the file: writes statistics, `provenance` (a JSON object), index and header, syncs, renames the file
  /// to its final name, and syncs the folder. Adds source digests to the provenance under "source_digests" unless it
  /// has them already (as in reindex()). Throws InvalidArgument if rows are missing or a split would be empty; IoError
  /// if anything else fails. On failure, removes what it wrote.
  void finish(const std::string& provenance);

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace octavo
