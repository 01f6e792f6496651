#include <octavo/content.hpp>

#include <algorithm>
#include <span>

#include <octavo/label_outliers.hpp>

namespace octavo {

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
