// A source that shows only some samples of another source.
#pragma once

#include <memory>
#include <vector>

#include <octavo/source.hpp>

#include "sources/choice/row_choice.hpp"

namespace octavo::sources {

/// The chosen splits of another source. Reads its rows in ascending order with gaps and, for a second split from the
/// same source split, again from the start. All sources of this library support this, even sequential ones.
class ChosenSource final : public Source {
 public:
  ChosenSource(std::unique_ptr<Source> source, RowChoice choice, const SourceOptions& options);

  const std::vector<SourceSplit>& splits() const override { return splits_; }
  const std::vector<std::string>& class_names() const override { return source_->class_names(); }
  std::string format() const override { return source_->format(); }
  bool is_random_access() const override { return source_->is_random_access(); }
  std::string sample_name(std::size_t split, std::int64_t row) const override;
  std::optional<std::string> sample_path(std::size_t split, std::int64_t row) const override;
  bool has_sample_paths(std::size_t split) const override;
  std::optional<std::int32_t> class_index(std::size_t split, std::int64_t row) const override;
  std::vector<std::int32_t> class_indices(std::size_t split, std::int64_t row) const override;
  std::vector<SampleFailure> read(std::size_t split, std::int64_t first_row, std::int64_t count,
                                  std::span<std::uint8_t> values, std::span<std::byte> labels) override;
  std::vector<SampleFailure> read_masks(std::size_t split, std::int64_t first_row, std::int64_t count,
                                        std::span<std::uint8_t> masks) override;
  std::string sample_metadata(std::size_t split, std::int64_t row) const override;
  std::vector<SampleFailure> left_out() const override { return source_->left_out(); }
  std::vector<std::string> files() const override { return source_->files(); }
  SourceNotes notes() const override;

 private:
  std::int64_t source_row(std::size_t split, std::int64_t row) const {
    return chosen_[split].rows[static_cast<std::size_t>(row)];
  }
  void drop_other_sizes(SourceNotes& notes) const;
  void assign_losses(SourceNotes& notes) const;
  /// Calls read_run(first row in the source, rows, position, rows) for each run of rows.
  template <typename ReadRun>
  std::vector<SampleFailure> read_runs(std::size_t split, std::int64_t first_row, std::int64_t count,
                                       const ReadRun& read_run);
  std::int64_t run_length(std::size_t split, std::int64_t first_row, std::int64_t most) const;

  std::unique_ptr<Source> source_;
  std::vector<ChosenSplit> chosen_;
  std::vector<std::string> remarks_;  ///< on the choice
  std::vector<SourceSplit> splits_;
  SourceOptions options_;
};

}  // namespace octavo::sources
