#include "sources/lists/decoding/listed_bytes.hpp"

#include <filesystem>

namespace octavo::sources {

std::size_t ListedFileNumbers::number_of(const std::string& path) {
  const auto [at, is_new] = numbers_.try_emplace(path, flags_->size());
  if (is_new) flags_->emplace_back(false);
  return at->second;
}

ListedBytes::ListedBytes(const ImageList& contents, ListedFileNumbers& numbers) : flags_(numbers.flags()) {
  const auto numbers_of = [&](const SplitImages& list, const std::vector<std::string>& paths) {
    std::vector<std::size_t> found;
    const auto folder = list.tree->disk_path("");
    if (!folder) return found;
    const std::string start = (std::filesystem::absolute(*folder) / "").lexically_normal().string();
    for (const std::string& path : paths) found.push_back(numbers.number_of(start + path));
    return found;
  };
  for (const SplitImages& list : contents.splits) {
    images_.push_back(numbers_of(list, list.paths));
    masks_.push_back(numbers_of(list, list.masks));
  }
}

void ListedBytes::add(std::size_t split, std::size_t at, bool is_mask, std::int64_t bytes) {
  const std::vector<std::size_t>& numbers = (is_mask ? masks_ : images_)[split];
  if (!numbers.empty() && !(*flags_)[numbers[at]].exchange(true)) total_ += bytes;
}

}  // namespace octavo::sources
