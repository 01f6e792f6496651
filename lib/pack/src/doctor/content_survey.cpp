#include "doctor/content_survey.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include <octavo/label_outliers.hpp>

#include "doctor/truncation.hpp"

namespace octavo::doctor {
namespace {

constexpr std::size_t kMostExtremes = 8;
/// Means and deviations are summed in steps of 1/256, so that the sums are exact.
constexpr double kFigureSteps = 256.0;

/// The values of one channel of a sample.
struct PlaneFigures {
  std::int64_t sum = 0, squares = 0;
  int low = 255, high = 0;
};

PlaneFigures figures_of(std::span<const std::uint8_t> plane) {
  PlaneFigures figures;
  // Short pieces fit 32-bit sums, which the compiler vectorizes.
  constexpr std::size_t kPiece = 1 << 14;
  for (std::size_t first = 0; first < plane.size(); first += kPiece) {
    std::uint32_t sum = 0, squares = 0;
    std::uint8_t low = 255, high = 0;
    for (const std::uint8_t value : plane.subspan(first, std::min(kPiece, plane.size() - first))) {
      sum += value;
      squares += static_cast<std::uint32_t>(value) * value;
      low = std::min(low, value);
      high = std::max(high, value);
    }
    figures.sum += sum;
    figures.squares += squares;
    figures.low = std::min<int>(figures.low, low);
    figures.high = std::max<int>(figures.high, high);
  }
  return figures;
}

}  // namespace

void ContentSurvey::Sum::add(double figure) {
  const auto steps = static_cast<std::int64_t>(std::lround(figure * kFigureSteps));
  values += steps;
  squares += steps * steps;
}

Spread ContentSurvey::Sum::spread(std::int64_t count) const {
  const double n = static_cast<double>(count);
  const double mean = static_cast<double>(values) / n;
  const double variance = std::max(0.0, static_cast<double>(squares) / n - mean * mean);
  return {mean / kFigureSteps, std::sqrt(variance) / kFigureSteps};
}

ContentSurvey::ContentSurvey(const SampleSet& samples, std::size_t most_listed)
    : samples_(samples),
      most_listed_(most_listed),
      brightness_(static_cast<std::size_t>(samples.sample_count())),
      counts_(samples.splits().size()) {
  for (std::size_t split = 0; split < counts_.size(); ++split) {
    const auto channels = static_cast<std::size_t>(samples.splits()[split].shape().channels);
    counts_[split].means.resize(channels);
    counts_[split].contrasts.resize(channels);
  }
}

void ContentSurvey::keep_first_rows(std::vector<std::int64_t>& rows, const std::vector<std::int64_t>& more) const {
  rows.insert(rows.end(), more.begin(), more.end());
  std::sort(rows.begin(), rows.end());
  if (rows.size() > most_listed_) rows.resize(most_listed_);
}

void ContentSurvey::visit(const SampleBlock& block) {
  Counts found;
  found.means.resize(static_cast<std::size_t>(block.shape.channels));
  found.contrasts.resize(found.means.size());
  for (std::int64_t i = 0; i < block.count; ++i) look_at(block, i, found);
  const std::lock_guard lock(mutex_);
  Counts& all = counts_[block.split];
  for (std::size_t bin = 0; bin < SplitContent::kBins; ++bin) {
    all.content.brightness[bin] += found.content.brightness[bin];
  }
  all.content.blank_count += found.content.blank_count;
  all.content.faint_count += found.content.faint_count;
  all.content.truncated_count += found.content.truncated_count;
  keep_first_rows(all.blank_rows, found.blank_rows);
  keep_first_rows(all.truncated_rows, found.truncated_rows);
  for (std::size_t c = 0; c < found.means.size(); ++c) {
    all.means[c].values += found.means[c].values;
    all.means[c].squares += found.means[c].squares;
    all.contrasts[c].values += found.contrasts[c].values;
    all.contrasts[c].squares += found.contrasts[c].squares;
  }
}

void ContentSurvey::look_at(const SampleBlock& block, std::int64_t index, Counts& found) {
  const auto sample = block.sample(index);
  const auto plane = static_cast<std::size_t>(block.shape.values_per_channel());
  std::int64_t sum = 0;
  int range = 0;
  for (std::size_t c = 0; c < found.means.size(); ++c) {
    const PlaneFigures figures = figures_of(sample.subspan(c * plane, plane));
    const double mean = static_cast<double>(figures.sum) / static_cast<double>(plane);
    const double variance = static_cast<double>(figures.squares) / static_cast<double>(plane) - mean * mean;
    found.means[c].add(mean);
    found.contrasts[c].add(std::sqrt(std::max(0.0, variance)));
    sum += figures.sum;
    range = std::max(range, figures.high - figures.low);
  }
  const double mean = static_cast<double>(sum) / static_cast<double>(sample.size());
  ++found.content.brightness[static_cast<std::size_t>(mean) * SplitContent::kBins / 256];
  const auto number = static_cast<std::size_t>(block.first_number + index);
  brightness_[number] = range == 0 ? kBlank : static_cast<float>(mean);
  found.content.blank_count += range == 0 ? 1 : 0;
  found.content.faint_count += range > 0 && range <= SplitContent::kFaintRange ? 1 : 0;
  if (range <= SplitContent::kFaintRange) found.blank_rows.push_back(block.first_row + index);
  if (range > SplitContent::kFaintRange && looks_truncated(sample, block.shape)) {
    ++found.content.truncated_count;
    found.truncated_rows.push_back(block.first_row + index);
  }
}

std::vector<SplitContent> ContentSurvey::contents() const {
  std::vector<SplitContent> contents;
  for (std::size_t split = 0; split < counts_.size(); ++split) {
    const Counts& counts = counts_[split];
    SplitContent& content = contents.emplace_back(counts.content);
    const std::int64_t sample_count = samples_.splits()[split].sample_count();
    content.class_counts = count_classes(samples_.splits()[split]);
    content.first_blank = counts.blank_rows;
    content.first_truncated = counts.truncated_rows;
    for (const Sum& sum : counts.means) content.means.push_back(sum.spread(sample_count));
    for (const Sum& sum : counts.contrasts) content.contrasts.push_back(sum.spread(sample_count));
    choose_extremes(split, content);
    find_far_brightness(split, content);
  }
  return contents;
}

void ContentSurvey::choose_extremes(std::size_t split, SplitContent& content) const {
  const auto first = static_cast<std::size_t>(samples_.first_number(split));
  const auto mean_of = [&](std::int64_t row) { return double{brightness_[first + static_cast<std::size_t>(row)]}; };
  std::vector<std::int64_t> rows;
  for (std::int64_t row = 0; row < samples_.splits()[split].sample_count(); ++row) {
    if (mean_of(row) != kBlank) rows.push_back(row);
  }
  const auto end = rows.begin() + static_cast<std::ptrdiff_t>(std::min(kMostExtremes, rows.size()));
  const auto choose = [&](std::vector<SampleBrightness>& chosen, double sign) {
    std::partial_sort(rows.begin(), end, rows.end(), [&](std::int64_t a, std::int64_t b) {
      return std::pair(sign * mean_of(a), a) < std::pair(sign * mean_of(b), b);
    });
    for (auto row = rows.begin(); row != end; ++row) chosen.push_back({*row, mean_of(*row)});
  };
  choose(content.darkest, 1.0);
  choose(content.brightest, -1.0);
}

void ContentSurvey::find_far_brightness(std::size_t split, SplitContent& content) const {
  const auto first = brightness_.begin() + samples_.first_number(split);
  const auto end = first + samples_.splits()[split].sample_count();
  std::vector<float> sorted;
  std::copy_if(first, end, std::back_inserter(sorted), [](float mean) { return mean != kBlank; });
  if (sorted.empty()) return;
  std::sort(sorted.begin(), sorted.end());
  const float lower = sorted[(sorted.size() - 1) / 4], upper = sorted[(sorted.size() - 1) * 3 / 4];
  // Without a spread, there is nothing to measure by.
  if (lower == upper) return;
  const float low = lower - 3.0F * (upper - lower), high = upper + 3.0F * (upper - lower);
  for (auto mean = first; mean != end; ++mean) {
    if (*mean == kBlank || (low <= *mean && *mean <= high)) continue;
    ++content.far_brightness_count;
    if (content.first_far_brightness.size() < most_listed_)
      content.first_far_brightness.push_back({mean - first, *mean});
  }
}

}  // namespace octavo::doctor
