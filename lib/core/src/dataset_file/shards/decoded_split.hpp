// A split with coded rows, seen as one with plain rows.
#pragma once

#include <memory>

#include "dataset_file/split_data.hpp"

namespace octavo::dataset_file {

/// Decodes what it reads, and checks it first, because checksums are those of the rows as they are stored. Thread-safe.
class DecodedSplit final : public SplitData {
 public:
  explicit DecodedSplit(std::shared_ptr<const SplitData> coded);

  const SplitDescription& description() const override { return description_; }
  Statistics statistics() const override { return coded_->statistics(); }
  std::optional<std::string> sample_name(std::int64_t row) const override { return coded_->sample_name(row); }
  std::string metadata() const override { return coded_->metadata(); }
  void read_rows(std::int64_t first_row, std::int64_t count, std::span<std::byte> rows) const override;
  void read_labels(std::int64_t first_row, std::int64_t count, std::span<std::byte> labels) const override {
    coded_->read_labels(first_row, count, labels);
  }
  void read_masks(std::int64_t first_row, std::int64_t count, std::span<std::byte> masks) const override;
  /// The stored samples; what was decoded from them is not needed.
  void check_samples(std::int64_t first_row, std::int64_t count, std::span<const std::byte> rows,
                     std::span<const std::byte> labels, std::span<const std::byte> masks) const override;
  std::int64_t rows_per_block(std::int64_t block_bytes) const override { return coded_->rows_per_block(block_bytes); }
  std::unique_ptr<const RowSource> open_rows(const RowReading& reading) const override;
  void ensure_unchanged() const override { coded_->ensure_unchanged(); }

 private:
  std::shared_ptr<const SplitData> coded_;
  SplitDescription description_;
};

}  // namespace octavo::dataset_file
