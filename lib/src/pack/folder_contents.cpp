#include "pack/folder_contents.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace octavo::sources {

void append_label(std::vector<std::byte>& labels, std::int32_t label) {
  const auto* const bytes = reinterpret_cast<const std::byte*>(&label);
  labels.insert(labels.end(), bytes, bytes + sizeof label);
}

void order_for_reading(ImageList& list) {
  std::vector<std::int64_t> ranks;
  for (const std::string& path : list.paths) ranks.push_back(list.tree->reading_rank(path));
  if (std::is_sorted(ranks.begin(), ranks.end())) return;
  std::vector<std::size_t> order(ranks.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return ranks[a] < ranks[b]; });
  std::vector<std::string> paths;
  std::vector<std::byte> labels(list.labels.size());
  const auto width = static_cast<std::size_t>(list.layout.bytes_per_sample());
  for (std::size_t to = 0; to < order.size(); ++to) {
    paths.push_back(std::move(list.paths[order[to]]));
    std::memcpy(labels.data() + to * width, list.labels.data() + order[to] * width, width);
  }
  list.paths = std::move(paths);
  list.labels = std::move(labels);
}

}  // namespace octavo::sources
