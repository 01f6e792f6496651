#include "sources/lists/image_list.hpp"

#include <algorithm>
#include <numeric>

namespace octavo::sources {

void ignore_file(ImageList& contents, const std::string& path) {
  ++contents.ignored_file_count;
  if (contents.ignored_files.size() < kMostIgnoredFileNames) contents.ignored_files.push_back(path);
}

void append_label(std::vector<std::byte>& labels, std::int32_t label) {
  const auto* const bytes = reinterpret_cast<const std::byte*>(&label);
  labels.insert(labels.end(), bytes, bytes + sizeof label);
}

void append_label(SplitImages& list, double number) {
  if (list.layout.kind != LabelKind::target) return append_label(list.labels, static_cast<std::int32_t>(number));
  const auto target = static_cast<float>(number);
  const auto* const bytes = reinterpret_cast<const std::byte*>(&target);
  list.labels.insert(list.labels.end(), bytes, bytes + sizeof target);
}

void keep_images(SplitImages& list, const std::vector<std::size_t>& order) {
  std::vector<std::string> paths, masks, metadata;
  std::vector<std::byte> labels;
  const auto width = list.layout.bytes_per_sample();
  for (const std::size_t from : order) {
    paths.push_back(std::move(list.paths[from]));
    if (!list.masks.empty()) masks.push_back(std::move(list.masks[from]));
    if (!list.metadata.empty()) metadata.push_back(std::move(list.metadata[from]));
    const auto label = list.labels.begin() + static_cast<std::ptrdiff_t>(from) * width;
    labels.insert(labels.end(), label, label + width);
  }
  list.paths = std::move(paths);
  list.labels = std::move(labels);
  list.masks = std::move(masks);
  list.metadata = std::move(metadata);
}

void order_for_reading(SplitImages& list) {
  std::vector<std::int64_t> ranks;
  for (const std::string& path : list.paths) ranks.push_back(list.tree->reading_rank(path));
  if (std::is_sorted(ranks.begin(), ranks.end())) return;
  std::vector<std::size_t> order(ranks.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return ranks[a] < ranks[b]; });
  keep_images(list, order);
}

}  // namespace octavo::sources
