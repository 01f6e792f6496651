// Opens a dataset file and reads its contents.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <octavo/byte_source.hpp>
#include <octavo/compression.hpp>
#include <octavo/sample.hpp>
#include <octavo/statistics.hpp>

namespace octavo {

namespace dataset_file {
class DatasetData;
class SplitData;
}  // namespace dataset_file

class Dataset;

/// One split of an open Dataset. A cheap handle that keeps the file open. Thread-safe.
class Split {
 public:
  /// Name of the split, such as "train".
  const std::string& name() const;
  /// N, at least 1.
  std::int64_t sample_count() const;
  /// C, H and W.
  SampleShape shape() const;
  /// Kind and width of the labels.
  LabelLayout labels() const;
  /// Whether each sample has a mask: one uint8 value, such as a class, for each of its pixels.
  bool has_masks() const;
  Color color() const;
  /// Data type of the source, such as "uint8".
  const std::string& source_dtype() const;
  /// N*C*H*W: bytes of all packed samples, without masks.
  std::int64_t packed_bytes() const;
  /// How the samples are compressed in the file.
  Compression compression() const;
  /// Values are multiples of value_step() of it: 0 to kMostMaxError. What packing lost in all is recorded_loss().
  int max_error() const;
  /// Bytes of the samples in the file, without masks; packed_bytes() if they are not compressed.
  std::int64_t stored_bytes() const;
  /// Bytes of the masks in the file; 0 if there are none.
  std::int64_t stored_mask_bytes() const;

  /// Class names in label order; empty if the file has none.
  const std::vector<std::string>& class_names() const;
  /// The source of sample `index`, or nothing if the file stores no sample names. Throws InvalidArgument if `index` is
  /// out of range, FormatError if the names are damaged.
  std::optional<std::string> sample_name(std::int64_t index) const;
  /// The names of the metadata that the file keeps for each sample.
  const std::vector<std::string>& columns() const;
  /// The metadata: a JSON object with a list of one value for each sample, by column. Throws FormatError if it is
  /// damaged.
  std::string metadata() const;

  /// Reads the statistics from the file and checks their hash. Throws FormatError if they are damaged.
  Statistics statistics() const;

  /// Reads the codes of samples [first_row, first_row + count) into `codes`, int8 [count,C,H,W]. Does not compare
  /// checksums; read_checked() does. Throws InvalidArgument if an index is out of range or `codes` has another size,
  /// IoError if the file cannot be read, FormatError if a deflated chunk cannot be decompressed.
  void read(std::int64_t first_row, std::int64_t count, std::span<std::int8_t> codes) const;
  /// Reads the labels of the same samples: count * labels().bytes_per_sample() bytes, little-endian as stored. Throws
  /// like read().
  void read_labels(std::int64_t first_row, std::int64_t count, std::span<std::byte> labels) const;
  /// Reads the masks of the same samples into `masks`, uint8 [count,H,W]. Throws like read(), and InvalidArgument if
  /// the split has no masks.
  void read_masks(std::int64_t first_row, std::int64_t count, std::span<std::uint8_t> masks) const;
  /// Reads codes, labels and masks, and compares every sample with its checksum. `labels` is empty if the split has
  /// none; `masks` may be empty if they are not needed. Throws FormatError with the file, the split and the first
  /// damaged sample.
  void read_checked(std::int64_t first_row, std::int64_t count, std::span<std::int8_t> codes,
                    std::span<std::byte> labels, std::span<std::uint8_t> masks = {}) const;

  /// Path of the dataset file; of one that is somewhere else, its URL.
  const std::filesystem::path& path() const;
  /// The dataset that contains this split.
  Dataset dataset() const;
  /// Throws IoError if the file has changed since it was opened. Call this after a long read.
  void ensure_unchanged() const;

  /// For the library: where the samples come from.
  const std::shared_ptr<const dataset_file::SplitData>& data() const { return data_; }

 private:
  friend class Dataset;
  Split(std::shared_ptr<const dataset_file::DatasetData> dataset, std::shared_ptr<const dataset_file::SplitData> data);
  std::shared_ptr<const dataset_file::DatasetData> dataset_;
  std::shared_ptr<const dataset_file::SplitData> data_;
};

/// Opens a file of a dataset of several files, by its name in the folder of the manifest.
using ShardOpener = std::function<std::shared_ptr<const ByteSource>(const std::string& name)>;

/// A dataset file, opened for reading.
class Dataset {
 public:
  /// Opens the file at `location` without HDF5. Reads only the header and the index, so the time does not depend on the
  /// number of samples. Throws IoError if the file cannot be read, or for a URL; FormatError if it is not an Octavo
  /// file, has a newer format version, is damaged, or was changed by another program (the message then suggests `octavo
  /// reindex`).
  static Dataset open(const std::string& location);
  /// Opens a file that is somewhere else. Throws the same errors.
  static Dataset open(std::shared_ptr<const ByteSource> source);
  /// Opens a dataset of several files, whose manifest is somewhere else, and whose files `open_shard` opens. Throws the
  /// same errors, and those of `open_shard`, which may be called by several threads at a time.
  static Dataset open_manifest(const std::shared_ptr<const ByteSource>& manifest, const ShardOpener& open_shard);
  /// For the library: a dataset that may be more than a file.
  explicit Dataset(std::shared_ptr<const dataset_file::DatasetData> data);

  /// Split names in file order.
  std::vector<std::string> split_names() const;
  bool has_split(std::string_view name) const;
  /// Returns the split with this name. Throws InvalidArgument, listing the existing names, if it does not exist.
  Split split(std::string_view name) const;
  /// Returns the split `train` if it exists, else the first split.
  Split training_split() const;

  /// Class names in label order; empty if unknown.
  const std::vector<std::string>& class_names() const;
  /// How the file was made, as JSON: command line, sources, resizing, skipped files and library versions.
  std::string provenance() const;
  const std::string& uuid() const;
  /// A digest of the contents, 16 hex digits: of the index, which has the hashes of all samples and labels, and also
  /// the time and the layout. Files with equal samples have equal `source_digests` in their provenance
  /// (docs/format.md).
  std::string digest() const;
  /// Creation time, ISO 8601, UTC.
  const std::string& created() const;
  /// Program that wrote the file, such as "octavo 0.1.0".
  const std::string& writer() const;
  std::int64_t format_version() const;
  /// Size of the whole file in bytes.
  std::int64_t file_bytes() const;
  const std::filesystem::path& path() const;

 private:
  std::shared_ptr<const dataset_file::DatasetData> data_;
};

}  // namespace octavo
