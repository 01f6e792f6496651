#include <octavo/target_summary.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <vector>

namespace octavo {
namespace {

constexpr std::int64_t kValuesAtOnce = 1 << 16;

/// Calls `use(column, value)` with all targets.
void for_each_target(const Split& split, const std::function<void(std::size_t, double)>& use) {
  const auto width = static_cast<std::size_t>(split.labels().width);
  const std::int64_t rows = std::max<std::int64_t>(1, kValuesAtOnce / split.labels().width);
  std::vector<float> targets;
  for (std::int64_t first = 0; first < split.sample_count(); first += rows) {
    const std::int64_t count = std::min(rows, split.sample_count() - first);
    targets.resize(static_cast<std::size_t>(count) * width);
    split.read_labels(first, count, std::as_writable_bytes(std::span(targets)));
    for (std::size_t i = 0; i < targets.size(); ++i) use(i % width, static_cast<double>(targets[i]));
  }
}

std::size_t bin_of(double value, const TargetSummary& column) {
  if (column.min == column.max) return 0;
  const double at = (value - column.min) / (column.max - column.min) * static_cast<double>(TargetSummary::kBins);
  return std::min(static_cast<std::size_t>(at), TargetSummary::kBins - 1);
}

}  // namespace

std::vector<TargetSummary> summarize_targets(const Split& split) {
  if (split.labels().kind != LabelKind::target) return {};
  std::vector<TargetSummary> columns(static_cast<std::size_t>(split.labels().width));
  for_each_target(split, [&](std::size_t at, double value) {
    TargetSummary& column = columns[at];
    if (!std::isfinite(value)) {
      ++column.not_finite;
      return;
    }
    column.min = column.count == 0 ? value : std::min(column.min, value);
    column.max = column.count == 0 ? value : std::max(column.max, value);
    ++column.count;
    // The running mean: a sum of large numbers would lose digits.
    column.mean += (value - column.mean) / static_cast<double>(column.count);
  });
  for_each_target(split, [&](std::size_t at, double value) {
    if (std::isfinite(value)) ++columns[at].histogram[bin_of(value, columns[at])];
  });
  return columns;
}

}  // namespace octavo
