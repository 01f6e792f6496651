// A dataset that is one file.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "dataset_file/split_data.hpp"
#include "format/reader.hpp"

namespace octavo::dataset_file {

/// A split of an open file. Keeps the file open.
class FileSplit final : public SplitData {
 public:
  /// `entry` belongs to the reader.
  FileSplit(std::shared_ptr<const Reader> reader, const SplitEntry& entry);

  const Reader& reader() const { return *reader_; }
  const SplitEntry& entry() const { return entry_; }

  const SplitDescription& description() const override { return description_; }
  Statistics statistics() const override { return reader_->statistics(entry_); }
  std::optional<std::string> sample_name(std::int64_t row) const override;
  std::string metadata() const override;
  void read_rows(std::int64_t first_row, std::int64_t count, std::span<std::byte> rows) const override {
    reader_->read_rows(entry_, first_row, count, rows);
  }
  void read_labels(std::int64_t first_row, std::int64_t count, std::span<std::byte> labels) const override {
    reader_->read_labels(entry_, first_row, count, labels);
  }
  void read_masks(std::int64_t first_row, std::int64_t count, std::span<std::byte> masks) const override {
    reader_->read_masks(entry_, first_row, count, masks);
  }
  void check_samples(std::int64_t first_row, std::int64_t count, std::span<const std::byte> rows,
                     std::span<const std::byte> labels, std::span<const std::byte> masks) const override {
    reader_->check_samples(entry_, first_row, count, rows, labels, masks);
  }
  std::int64_t rows_per_block(std::int64_t block_bytes) const override;
  std::unique_ptr<const RowSource> open_rows(const RowReading& reading) const override;
  void ensure_unchanged() const override { reader_->ensure_unchanged(); }

 private:
  std::shared_ptr<const Reader> reader_;
  const SplitEntry& entry_;
  SplitDescription description_;
};

class FileDataset final : public DatasetData {
 public:
  explicit FileDataset(std::shared_ptr<const Reader> reader);

  const std::vector<std::shared_ptr<const SplitData>>& splits() const override { return splits_; }
  const std::vector<std::string>& class_names() const override { return reader_->index().class_names; }
  std::string provenance() const override { return reader_->provenance(); }
  std::string digest() const override;
  const std::string& uuid() const override { return reader_->index().uuid; }
  const std::string& created() const override { return reader_->index().created; }
  const std::string& writer() const override { return reader_->index().writer; }
  std::int64_t format_version() const override { return reader_->header().version; }
  std::int64_t file_bytes() const override { return reader_->header().file_length; }
  const std::filesystem::path& path() const override { return reader_->path(); }

 private:
  std::shared_ptr<const Reader> reader_;
  std::vector<std::shared_ptr<const SplitData>> splits_;
};

}  // namespace octavo::dataset_file
