#include <octavo/content.hpp>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <numeric>
#include <span>

#include <octavo/label_outliers.hpp>

#include "statistics/codes.hpp"
#include "support/threads.hpp"

namespace octavo {
namespace {

constexpr std::int64_t kSurveyedBlockBytes = std::int64_t{1} << 20;
constexpr std::size_t kMostExtremeRows = 8;
/// In place of the brightness of a blank sample.
constexpr float kBlank = -1.0F;

bool is_blank(std::span<const std::uint8_t> values, const SampleShape& shape) {
  const auto plane = static_cast<std::size_t>(shape.values_per_channel());
  for (std::size_t first = 0; first < values.size(); first += plane) {
    const auto channel = values.subspan(first, plane);
    if (std::ranges::adjacent_find(channel, std::ranges::not_equal_to{}) != channel.end()) return false;
  }
  return true;
}

class ContentSurvey {
 public:
  ContentSurvey(const Split& split, const ProgressFunction& on_progress)
      : split_(split), on_progress_(on_progress), brightness_(static_cast<std::size_t>(split.sample_count())) {}

  SplitContent run() {
    content_.class_counts = count_classes(split_);
    run_on_threads(available_threads(), [this](int) { survey_blocks(); });
    choose_extremes();
    return std::move(content_);
  }

 private:
  void survey_blocks() {
    const std::int64_t rows = std::max<std::int64_t>(1, kSurveyedBlockBytes / split_.shape().values());
    std::vector<std::uint8_t> values;
    std::vector<std::byte> labels;
    for (std::int64_t first; (first = next_.fetch_add(rows)) < split_.sample_count();) {
      const std::int64_t count = std::min(rows, split_.sample_count() - first);
      values.resize(static_cast<std::size_t>(count * split_.shape().values()));
      labels.resize(static_cast<std::size_t>(count * split_.labels().bytes_per_sample()));
      split_.read_checked(first, count, {reinterpret_cast<std::int8_t*>(values.data()), values.size()}, labels);
      statistics::flip_top_bits(values);
      survey_rows(first, count, values);
    }
  }

  void survey_rows(std::int64_t first, std::int64_t count, std::span<const std::uint8_t> values) {
    const auto width = static_cast<std::size_t>(split_.shape().values());
    SplitContent found;
    for (std::int64_t row = first; row < first + count; ++row) {
      const auto sample = values.subspan(static_cast<std::size_t>(row - first) * width, width);
      const auto sum = std::accumulate(sample.begin(), sample.end(), std::int64_t{0});
      const double mean = static_cast<double>(sum) / static_cast<double>(width);
      ++found.brightness[static_cast<std::size_t>(mean) * SplitContent::kBins / 256];
      brightness_[static_cast<std::size_t>(row)] = static_cast<float>(mean);
      if (!is_blank(sample, split_.shape())) continue;
      ++found.blank_count;
      brightness_[static_cast<std::size_t>(row)] = kBlank;
    }
    const std::lock_guard lock(mutex_);
    for (std::size_t bin = 0; bin < SplitContent::kBins; ++bin) content_.brightness[bin] += found.brightness[bin];
    content_.blank_count += found.blank_count;
    done_ += count;
    if (!on_progress_) return;
    on_progress_({"looking at " + split_.name(), done_, split_.sample_count(), done_ * split_.shape().values(),
                  split_.packed_bytes()});
  }

  void choose_extremes() {
    std::vector<std::int64_t> rows;
    for (std::int64_t row = 0; row < split_.sample_count(); ++row) {
      if (mean_of(row) != kBlank) {
        rows.push_back(row);
      } else if (content_.first_blank.size() < kMostExtremeRows) {
        content_.first_blank.push_back(row);
      }
    }
    const auto end = rows.begin() + static_cast<std::ptrdiff_t>(std::min(kMostExtremeRows, rows.size()));
    const auto choose = [&](std::vector<SampleBrightness>& chosen, double sign) {
      std::partial_sort(rows.begin(), end, rows.end(), [&](std::int64_t a, std::int64_t b) {
        return std::pair(sign * mean_of(a), a) < std::pair(sign * mean_of(b), b);
      });
      for (auto row = rows.begin(); row != end; ++row) chosen.push_back({*row, mean_of(*row)});
    };
    choose(content_.darkest, 1.0);
    choose(content_.brightest, -1.0);
  }

  double mean_of(std::int64_t row) const { return brightness_[static_cast<std::size_t>(row)]; }

  const Split& split_;
  const ProgressFunction& on_progress_;
  std::vector<float> brightness_;
  std::atomic<std::int64_t> next_ = 0;
  std::mutex mutex_;
  std::int64_t done_ = 0;
  SplitContent content_;
};

}  // namespace

SplitContent survey_content(const Split& split, const ProgressFunction& on_progress) {
  return ContentSurvey(split, on_progress).run();
}

std::map<std::int32_t, std::vector<std::int64_t>> example_rows(const Split& split, std::int64_t count) {
  std::map<std::int32_t, std::vector<std::int64_t>> examples;
  if (split.labels().kind != LabelKind::class_index) {
    const std::int64_t shown = std::min(count, split.sample_count());
    for (std::int64_t i = 0; i < shown; ++i) examples[0].push_back(i * split.sample_count() / shown);
    return examples;
  }
  const auto class_counts = count_classes(split);
  std::map<std::int32_t, std::int64_t> seen;
  std::vector<std::int32_t> labels(static_cast<std::size_t>(split.sample_count()));
  split.read_labels(0, split.sample_count(), std::as_writable_bytes(std::span(labels)));
  for (std::int64_t row = 0; row < split.sample_count(); ++row) {
    const std::int32_t label = labels[static_cast<std::size_t>(row)];
    const std::int64_t total = class_counts.at(label), shown = std::min(count, total);
    const auto chosen = std::ssize(examples[label]);
    if (chosen < shown && seen[label] == chosen * total / shown) examples[label].push_back(row);
    ++seen[label];
  }
  return examples;
}

}  // namespace octavo
