#include "exporting/stored_labels.hpp"

#include <algorithm>
#include <vector>

namespace octavo::exporting {
namespace {

constexpr std::int64_t kLabelsAtOnce = 1 << 16;

}  // namespace

std::set<std::int32_t> classes_in(const Split& split) {
  if (split.labels().kind != LabelKind::class_index) return {0};
  std::set<std::int32_t> classes;
  std::vector<std::byte> labels;
  for (std::int64_t first = 0; first < split.sample_count(); first += kLabelsAtOnce) {
    const std::int64_t count = std::min(kLabelsAtOnce, split.sample_count() - first);
    labels.resize(static_cast<std::size_t>(count * split.labels().bytes_per_sample()));
    split.read_labels(first, count, labels);
    for (std::int64_t i = 0; i < count; ++i) {
      classes.insert(label_number<std::int32_t>(labels, static_cast<std::size_t>(i)));
    }
  }
  return classes;
}

}  // namespace octavo::exporting
