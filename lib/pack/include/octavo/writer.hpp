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

/// What a split will hold.
struct SplitLayout {
  std::string name;  ///< matches [A-Za-z0-9][A-Za-z0-9_.-]{0,63}
  SampleShape shape;
  LabelLayout labels;
  Color color = Color::other;
  std::int64_t row_capacity = 0;                       ///< N, or with `rows_may_be_skipped` the most there can be
  bool with_names = false;                             ///< store where each sample came from
  std::vector<ChannelQuantization> quantization = {};  ///< [C], what a value means; empty: scale 1, zero point 0
  std::string source_dtype = "uint8";                  ///< the type that the source had
};

/// How the file is to be made.
struct WriterOptions {
  // What changes the file.
  std::vector<SplitLayout> splits;
  std::vector<std::string> class_names;              ///< in label order; empty if unknown
  bool rows_may_be_skipped = false;                  ///< rows may be left out by skip(): pixels are spooled first
  bool reproducible = false;                         ///< fixed uuid and time: equal input gives equal bytes
  Compression compression = Compression::none;       ///< of images, on the threads that call write()
  int compression_level = kDefaultCompressionLevel;  ///< 1 to 12
  // What changes only what happens around it.
  bool replace_existing = false;  ///< finish() may replace the file; otherwise an existing one is an error
  int thread_count = 0;           ///< of finish() where rows may be skipped; 0: all that this process may use
};

/// Writes one dataset file. Nothing appears under its name until finish() has returned; a Writer destroyed before
/// that removes what it wrote. write() and skip() may be called from several threads at once; all else from one.
class Writer {
 public:
  /// Takes `<path>.lock`, reserves the disk space, and starts `<path>.partial`. Throws InvalidArgument for a layout
  /// that the format does not allow or if `path` exists and may not be replaced, IoError if the disk is full, the
  /// folder cannot be written, or another writer is at work on `path`.
  Writer(std::filesystem::path path, WriterOptions options);
  ~Writer();
  Writer(Writer&&) noexcept;
  Writer& operator=(Writer&&) noexcept;

  /// Stores samples in rows [first_row, first_row + count) of split number `split` (its place in options.splits).
  ///
  /// values  uint8 [count,C,H,W], stored as codes (code = value - 128, that is value ^ 0x80); scratch space afterwards
  /// labels  count * bytes_per_sample bytes, int32 or float32; empty if the split has none
  /// names   count names, or empty; cut at 255 bytes at a UTF-8 boundary
  /// Each row must be written once or skipped once, in any order. Statistics and checksums are taken on the way.
  /// Throws InvalidArgument if sizes do not match or a class number is negative or has no name; IoError if writing
  /// fails.
  void write(std::size_t split, std::int64_t first_row, std::span<std::uint8_t> values,
             std::span<const std::byte> labels, std::span<const std::string> names = {});
  /// Leaves row out; the rows behind it move up. Only with rows_may_be_skipped.
  void skip(std::size_t split, std::int64_t row);

  /// How many rows of a split are best written by one call that begins with a multiple of it: then nothing of them has
  /// to wait on disk for the rest of their chunk. 1: any number.
  std::int64_t rows_per_block(std::size_t split) const;

  /// Completes the file and moves it to its name: statistics, `provenance` (a JSON object), index, header, sync,
  /// rename, sync of the folder. Throws InvalidArgument if rows are missing or a split would be empty, IoError if
  /// anything fails; then nothing is left behind. Source digests are added to the provenance under "source_digests",
  /// unless it has some already (of a file that is taken over).
  void finish(const std::string& provenance);

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace octavo
