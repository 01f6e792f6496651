// Reads every sample of a dataset once, and shows it to visitors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <octavo/dataset.hpp>
#include <octavo/duplicates.hpp>
#include <octavo/progress.hpp>

namespace octavo::doctor {

/// The samples of all splits, numbered in file order.
class SampleSet {
 public:
  explicit SampleSet(const Dataset& dataset);

  std::int64_t sample_count() const { return sample_count_; }
  const std::vector<Split>& splits() const { return splits_; }
  /// The number of the split's first sample.
  std::int64_t first_number(std::size_t split) const { return first_numbers_[split]; }
  std::size_t split_of(std::int64_t number) const;
  std::int64_t row_of(std::int64_t number) const { return number - first_numbers_[split_of(number)]; }
  /// With the sample's name, if the file has names.
  SamplePlace place_of(std::int64_t number) const;
  /// The bytes of the sample's label; empty if the split has no labels.
  std::vector<std::byte> label_of(std::int64_t number) const;

 private:
  std::vector<Split> splits_;
  std::vector<std::int64_t> first_numbers_;  ///< of each split
  std::int64_t sample_count_ = 0;
};

/// Consecutive samples of a split. All spans are valid during the visit.
struct SampleBlock {
  std::size_t split = 0;
  const SampleShape& shape;
  std::int64_t first_number = 0;
  std::int64_t first_row = 0;
  std::int64_t count = 0;
  std::span<const std::uint8_t> values;  ///< [count,C,H,W]
  std::span<const std::byte> labels;     ///< count labels

  std::span<const std::uint8_t> sample(std::int64_t index) const {
    const auto width = static_cast<std::size_t>(shape.values());
    return values.subspan(static_cast<std::size_t>(index) * width, width);
  }
};

class SampleVisitor {
 public:
  virtual ~SampleVisitor() = default;
  /// Called once for each block, in any order, concurrently from several threads.
  virtual void visit(const SampleBlock& block) = 0;
};

/// Reads and checks all samples and shows them to the visitors. `stage` begins the names of the stages of progress,
/// such as "looking at". Throws FormatError if a sample is damaged; IoError if the file cannot be read.
void visit_samples(const SampleSet& samples, std::span<SampleVisitor* const> visitors, int thread_count,
                   const std::string& stage, const ProgressFunction& on_progress);

}  // namespace octavo::doctor
