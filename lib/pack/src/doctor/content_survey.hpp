// Surveys the content of each split: brightness, contrast, blank and truncated images.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include <octavo/content.hpp>

#include "doctor/sample_pass.hpp"

namespace octavo::doctor {

/// A visitor; 4 bytes of memory per sample.
class ContentSurvey final : public SampleVisitor {
 public:
  /// Lists at most `most_listed` rows of a kind, in addition to the darkest and brightest.
  ContentSurvey(const SampleSet& samples, std::size_t most_listed);
  void visit(const SampleBlock& block) override;

  /// The content of each split, after all samples were visited.
  std::vector<SplitContent> contents() const;
  /// The mean of each sample by number, 0 to 255; kBlank for blank ones.
  const std::vector<float>& brightness() const { return brightness_; }
  static constexpr float kBlank = -1.0F;

 private:
  /// Sums over samples. Integers, so that the order of the blocks does not matter.
  struct Sum {
    std::int64_t values = 0, squares = 0;
    void add(double figure);
    Spread spread(std::int64_t count) const;
  };
  struct Counts {
    SplitContent content;
    std::vector<std::int64_t> blank_rows, truncated_rows;
    std::vector<Sum> means, contrasts;  ///< [C]
  };

  void look_at(const SampleBlock& block, std::int64_t index, Counts& found);
  void choose_extremes(std::size_t split, SplitContent& content) const;
  void find_far_brightness(std::size_t split, SplitContent& content) const;

  /// Adds rows, and keeps the first ones: blocks arrive in any order.
  void keep_first_rows(std::vector<std::int64_t>& rows, const std::vector<std::int64_t>& more) const;

  const SampleSet& samples_;
  std::size_t most_listed_;
  std::vector<float> brightness_;
  std::mutex mutex_;
  std::vector<Counts> counts_;  ///< of each split
};

}  // namespace octavo::doctor
