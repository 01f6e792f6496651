// A source whose values are rounded to multiples of a step, so that they compress better.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <octavo/compression.hpp>
#include <octavo/source.hpp>

namespace octavo::sources {

/// Counts what rounding changes.
class RoundedSource final : public Source {
 public:
  /// Rounds the values of each split to the nearest multiples of value_step(max_errors[split]), each of which is 0 to
  /// kMostMaxError. Borrows `source`.
  RoundedSource(Source& source, const std::vector<int>& max_errors);

  const std::vector<SourceSplit>& splits() const override { return splits_; }
  const std::vector<std::string>& class_names() const override { return source_.class_names(); }
  std::string format() const override { return source_.format(); }
  bool is_random_access() const override { return source_.is_random_access(); }
  std::string sample_name(std::size_t split, std::int64_t row) const override {
    return source_.sample_name(split, row);
  }
  std::optional<std::string> sample_path(std::size_t split, std::int64_t row) const override {
    return source_.sample_path(split, row);
  }
  bool has_sample_paths(std::size_t split) const override { return source_.has_sample_paths(split); }
  std::string sample_metadata(std::size_t split, std::int64_t row) const override {
    return source_.sample_metadata(split, row);
  }
  std::optional<std::int32_t> class_index(std::size_t split, std::int64_t row) const override {
    return source_.class_index(split, row);
  }
  std::vector<std::int32_t> class_indices(std::size_t split, std::int64_t row) const override {
    return source_.class_indices(split, row);
  }
  std::vector<SampleFailure> read(std::size_t split, std::int64_t first_row, std::int64_t count,
                                  std::span<std::uint8_t> values, std::span<std::byte> labels) override;
  std::vector<SampleFailure> read_masks(std::size_t split, std::int64_t first_row, std::int64_t count,
                                        std::span<std::uint8_t> masks) override {
    return source_.read_masks(split, first_row, count, masks);
  }
  std::vector<SampleFailure> left_out() const override { return source_.left_out(); }
  std::vector<std::string> files() const override { return source_.files(); }
  /// With the loss of rounding, in addition to that of the source.
  SourceNotes notes() const override;

 private:
  /// How many values of a channel changed by 0, 1, ... kMostMaxError.
  using ErrorCounts = std::array<std::int64_t, kMostMaxError + 1>;

  void round(std::size_t split, std::span<std::uint8_t> sample, std::vector<ErrorCounts>& counts) const;
  /// Adds the errors of rounding to those of `loss`, whose sum is a bound. Returns the mean square of rounding.
  double add_errors(std::size_t split, QuantizationNotes& loss) const;
  void add_loss(std::size_t split, SourceNotes& notes) const;

  Source& source_;
  std::vector<SourceSplit> splits_;
  /// [split][C]
  std::vector<std::vector<std::array<std::atomic<std::int64_t>, kMostMaxError + 1>>> counts_;
  std::vector<std::atomic<std::int64_t>> sample_counts_;  ///< [split] samples that were read
};

}  // namespace octavo::sources
