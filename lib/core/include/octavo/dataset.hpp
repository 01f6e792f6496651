// Opening a dataset file and reading what is in it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <octavo/compression.hpp>
#include <octavo/sample.hpp>
#include <octavo/statistics.hpp>

namespace octavo {

namespace dataset_file {
class Reader;
struct SplitAccess;
struct SplitEntry;
}  // namespace dataset_file

class Dataset;

/// One split of an open Dataset: a cheap handle that keeps the file open. Safe to use from several threads.
class Split {
 public:
  /// Its name, such as "train".
  const std::string& name() const;
  /// N, at least 1.
  std::int64_t sample_count() const;
  /// C, H and W.
  SampleShape shape() const;
  /// What each sample's label is.
  LabelLayout labels() const;
  Color color() const;
  /// The type the source had, such as "uint8".
  const std::string& source_dtype() const;
  /// N*C*H*W: bytes of all packed samples.
  std::int64_t packed_bytes() const;
  /// Whether they are deflated in the file, and what they take there: packed_bytes() if they are not.
  Compression compression() const;
  std::int64_t stored_bytes() const;

  /// Class names in label order; empty if the file has none.
  const std::vector<std::string>& class_names() const;
  /// Where sample `row` came from, or nothing if the file was packed without --names. Throws InvalidArgument for a
  /// row out of range, FormatError if the names are damaged.
  std::optional<std::string> sample_name(std::int64_t row) const;

  /// Reads the statistics from the file and checks their hash. Throws FormatError if they are damaged.
  Statistics statistics() const;

  /// Reads the codes of samples [first_row, first_row + count) into `codes`, int8 [count,C,H,W], straight from the
  /// file and without checking them; read_checked() does both. Throws InvalidArgument for rows out of range or a
  /// span of another size, IoError if the file cannot be read, FormatError if a deflated chunk does not inflate.
  void read(std::int64_t first_row, std::int64_t count, std::span<std::int8_t> codes) const;
  /// Likewise the labels: count * labels().bytes_per_sample() bytes, little-endian as stored.
  void read_labels(std::int64_t first_row, std::int64_t count, std::span<std::byte> labels) const;
  /// Reads codes and labels (an empty `labels` span if the split has none), and compares every sample with its
  /// checksum. Throws FormatError naming the file, the split and the first sample that is damaged.
  void read_checked(std::int64_t first_row, std::int64_t count, std::span<std::int8_t> codes,
                    std::span<std::byte> labels) const;

  /// The file that this split is in.
  const std::filesystem::path& path() const;
  /// The dataset that this split is of.
  Dataset dataset() const;
  /// Throws IoError if the file was changed since it was opened. To be called after reading much of it.
  void ensure_unchanged() const;

 private:
  friend class Dataset;
  friend struct dataset_file::SplitAccess;
  Split(std::shared_ptr<const dataset_file::Reader> reader, const dataset_file::SplitEntry* entry);
  std::shared_ptr<const dataset_file::Reader> reader_;
  const dataset_file::SplitEntry* entry_;
};

/// A dataset file, opened for reading.
class Dataset {
 public:
  /// Opens `path` by its header and index, in time that does not depend on the number of samples, without HDF5.
  /// Throws IoError if it cannot be read, FormatError if it is no Octavo file, of a newer version, damaged, or was
  /// changed by another program (the message then names `octavo reindex`).
  static Dataset open(const std::filesystem::path& path);

  /// Split names in the order of the file.
  std::vector<std::string> split_names() const;
  bool has_split(std::string_view name) const;
  /// The split of that name. Throws InvalidArgument, listing the names there are, if there is none.
  Split split(std::string_view name) const;
  /// `train` if there is one, else the first split.
  Split training_split() const;

  /// Class names in label order; empty if unknown.
  const std::vector<std::string>& class_names() const;
  /// How the file was made, as JSON: command line, sources, resizing, skipped files, library versions.
  std::string provenance() const;
  const std::string& uuid() const;
  /// When the file was made, ISO 8601, UTC.
  const std::string& created() const;
  /// What made it, such as "octavo 0.1.0".
  const std::string& writer() const;
  std::int64_t format_version() const;
  /// Bytes of the whole file.
  std::int64_t file_bytes() const;
  const std::filesystem::path& path() const;

 private:
  friend class Split;
  explicit Dataset(std::shared_ptr<const dataset_file::Reader> reader);
  std::shared_ptr<const dataset_file::Reader> reader_;
};

}  // namespace octavo
