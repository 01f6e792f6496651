// The samples of a shard.
#pragma once

#include <string>
#include <vector>

#include <octavo/source.hpp>

#include "sharding/shard_record.hpp"

namespace octavo::sharding {

/// Ranges of a source that it borrows, without those that are empty.
class ShardSource final : public Source {
 public:
  /// Those of a record.
  ShardSource(Source& source, const ShardRecord& record)
      : ShardSource(source, record.ranges, source, record.number == 0) {}
  /// The ranges are in the order of splits. What is known of the samples together is that of `described`, which it
  /// borrows, too; what that has left out is named only if `names_left_out`.
  ShardSource(Source& source, const std::vector<ShardRange>& ranges, const Source& described, bool names_left_out);

  /// Where each split begins in the source.
  std::vector<std::int64_t> first_rows() const;

  const std::vector<SourceSplit>& splits() const override { return splits_; }
  const std::vector<std::string>& class_names() const override { return source_.class_names(); }
  std::string format() const override { return described_.format(); }
  bool is_random_access() const override { return source_.is_random_access(); }
  std::string sample_name(std::size_t split, std::int64_t row) const override {
    return source_.sample_name(parts_[split].split, parts_[split].first_row + row);
  }
  std::optional<std::string> sample_path(std::size_t split, std::int64_t row) const override {
    return source_.sample_path(parts_[split].split, parts_[split].first_row + row);
  }
  bool has_sample_paths(std::size_t split) const override { return source_.has_sample_paths(parts_[split].split); }
  std::optional<std::int32_t> class_index(std::size_t split, std::int64_t row) const override {
    return source_.class_index(parts_[split].split, parts_[split].first_row + row);
  }
  std::vector<std::int32_t> class_indices(std::size_t split, std::int64_t row) const override {
    return source_.class_indices(parts_[split].split, parts_[split].first_row + row);
  }
  std::vector<SampleFailure> read(std::size_t split, std::int64_t first_row, std::int64_t count,
                                  std::span<std::uint8_t> values, std::span<std::byte> labels) override;
  std::vector<SampleFailure> read_masks(std::size_t split, std::int64_t first_row, std::int64_t count,
                                        std::span<std::uint8_t> masks) override;
  std::string sample_metadata(std::size_t split, std::int64_t row) const override {
    return source_.sample_metadata(parts_[split].split, parts_[split].first_row + row);
  }
  /// The first shard of a source names them for all.
  std::vector<SampleFailure> left_out() const override {
    return names_left_out_ ? described_.left_out() : std::vector<SampleFailure>();
  }
  std::vector<std::string> files() const override { return described_.files(); }
  SourceNotes notes() const override;

 private:
  struct Part {
    std::size_t split;       ///< of the source
    std::int64_t first_row;  ///< of it
  };

  Source& source_;
  const Source& described_;
  bool names_left_out_;
  std::vector<Part> parts_;
  std::vector<SourceSplit> splits_;
};

}  // namespace octavo::sharding
