#include "sources/lists/listed_bytes.hpp"

#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

namespace octavo::sources {

ListedBytes::ListedBytes(const ImageList& contents) {
  std::unordered_set<std::string_view> seen;
  const auto first_of_each = [&](const SplitImages& list, const std::vector<std::string>& paths) {
    std::vector<std::uint8_t> flags;
    const bool are_on_disk = list.tree->disk_path("").has_value();
    for (const std::string& path : paths) flags.push_back(are_on_disk && seen.insert(path).second ? 1 : 0);
    return flags;
  };
  for (const SplitImages& list : contents.splits) {
    images_.push_back(first_of_each(list, list.paths));
    masks_.push_back(first_of_each(list, list.masks));
  }
}

void ListedBytes::add(std::size_t split, std::size_t at, bool is_mask, std::int64_t bytes) {
  if (std::exchange((is_mask ? masks_ : images_)[split][at], std::uint8_t{0}) != 0) total_ += bytes;
}

}  // namespace octavo::sources
