// A source whose arrays are converted to another size or number of channels.
#pragma once

#include <memory>
#include <vector>

#include <octavo/pack.hpp>

#include "images/image_reader.hpp"

namespace octavo::sources {

/// Gray or RGB arrays, resized and converted to gray or RGB with the same formulas as image files.
class ConvertedSource final : public Source {
 public:
  /// Converts to options.size and options.channels. Throws InvalidArgument if a split has neither 1 nor 3 channels.
  ConvertedSource(std::unique_ptr<Source> source, const SourceOptions& options);

  const std::vector<SourceSplit>& splits() const override { return splits_; }
  const std::vector<std::string>& class_names() const override { return source_->class_names(); }
  std::string format() const override { return source_->format(); }
  bool is_random_access() const override { return source_->is_random_access(); }
  std::string sample_name(std::size_t split, std::int64_t row) const override {
    return source_->sample_name(split, row);
  }
  std::optional<std::string> sample_path(std::size_t split, std::int64_t row) const override {
    return source_->sample_path(split, row);
  }
  std::string sample_metadata(std::size_t split, std::int64_t row) const override {
    return source_->sample_metadata(split, row);
  }
  std::optional<std::int32_t> class_index(std::size_t split, std::int64_t row) const override {
    return source_->class_index(split, row);
  }
  std::vector<std::int32_t> class_indices(std::size_t split, std::int64_t row) const override {
    return source_->class_indices(split, row);
  }
  std::vector<SampleFailure> read(std::size_t split, std::int64_t first_row, std::int64_t count,
                                  std::span<std::uint8_t> values, std::span<std::byte> labels) override;
  std::vector<SampleFailure> read_masks(std::size_t split, std::int64_t first_row, std::int64_t count,
                                        std::span<std::uint8_t> masks) override;
  std::vector<SampleFailure> left_out() const override { return source_->left_out(); }
  std::vector<std::string> files() const override { return source_->files(); }
  SourceNotes notes() const override;

 private:
  std::unique_ptr<Source> source_;
  std::vector<SourceSplit> splits_;
  std::vector<images::Target> targets_;  ///< for each split
};

/// `source` converted to options.size and options.channels; `source` itself if no conversion is needed.
std::unique_ptr<Source> converted(std::unique_ptr<Source> source, const SourceOptions& options);

}  // namespace octavo::sources
