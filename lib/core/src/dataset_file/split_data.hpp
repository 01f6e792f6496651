// What stores and loaders see of a dataset and its splits, wherever their samples are.
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

#include "dataset_file/rows/row_source.hpp"
#include "format/row_offsets.hpp"

namespace octavo::dataset_file {

/// What is known of a split without reading its samples.
struct SplitDescription {
  std::string name;
  std::int64_t sample_count = 0;
  SampleShape shape;
  LabelLayout labels;
  bool has_masks = false;
  Color color{};
  std::string source_dtype;
  Compression compression{};
  int max_error = 0;
  std::int64_t packed_bytes = 0;  ///< of all samples, without masks
  std::int64_t stored_bytes = 0;  ///< the same as they are stored
  RowOffsets rows;                ///< [N] as read_rows() reads them, in their Codec::row_coding
  RowOffsets mask_rows;           ///< the same for read_masks(); without bytes if there are no masks
  std::vector<std::string> class_names;
  std::vector<std::string> columns;
  std::vector<ChannelQuantization> quantization;  ///< [C]
  std::uint64_t data_hash = 0;                    ///< equal for splits with equal samples and labels in the same order
};

/// How the rows of a split are read.
struct RowReading {
  bool verify_checksums = true;
  bool with_masks = true;
  int thread_count = 0;  ///< 0: one for each processor
};

/// A split: one file is one implementation. Thread-safe.
class SplitData {
 public:
  virtual ~SplitData() = default;

  virtual const SplitDescription& description() const = 0;
  virtual Statistics statistics() const = 0;
  /// Nothing if there are no names. `row` must exist.
  virtual std::optional<std::string> sample_name(std::int64_t row) const = 0;
  /// The metadata of all samples as JSON.
  virtual std::string metadata() const = 0;

  /// Read samples [first_row, first_row + count), as SplitDescription::rows and ::mask_rows. Throw InvalidArgument if a
  /// row does not exist or the memory has another size, and the errors of Split::read().
  virtual void read_rows(std::int64_t first_row, std::int64_t count, std::span<std::byte> rows) const = 0;
  virtual void read_labels(std::int64_t first_row, std::int64_t count, std::span<std::byte> labels) const = 0;
  virtual void read_masks(std::int64_t first_row, std::int64_t count, std::span<std::byte> masks) const = 0;
  /// Compares samples that were read with their checksums. Throws FormatError with the first damaged sample.
  virtual void check_samples(std::int64_t first_row, std::int64_t count, std::span<const std::byte> rows,
                             std::span<const std::byte> labels, std::span<const std::byte> masks) const = 0;

  /// The number of samples to read at once in a block of about `block_bytes`: at least one.
  virtual std::int64_t rows_per_block(std::int64_t block_bytes) const = 0;
  /// The source of single rows. Throws IoError.
  virtual std::unique_ptr<const RowSource> open_rows(const RowReading& reading) const = 0;
  /// Throws IoError if the samples may have changed since the dataset was opened.
  virtual void ensure_unchanged() const = 0;
};

/// A dataset: one file is one implementation. Thread-safe.
class DatasetData {
 public:
  virtual ~DatasetData() = default;

  /// In the order of the dataset.
  virtual const std::vector<std::shared_ptr<const SplitData>>& splits() const = 0;
  virtual const std::vector<std::string>& class_names() const = 0;
  virtual std::string provenance() const = 0;
  virtual std::string digest() const = 0;
  virtual const std::string& uuid() const = 0;
  virtual const std::string& created() const = 0;
  virtual const std::string& writer() const = 0;
  virtual std::int64_t format_version() const = 0;
  virtual std::int64_t file_bytes() const = 0;
  virtual const std::filesystem::path& path() const = 0;
};

}  // namespace octavo::dataset_file
