#include "sources/lists/folders/folder_images.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include <octavo/errors.hpp>

#include "images/image_codec.hpp"
#include "support/text/ascii.hpp"

namespace octavo::sources {
namespace {

std::string reversed_key(std::string_view stem) {
  std::string key = lower_case(std::string(stem));
  std::ranges::reverse(key);
  return key;
}

}  // namespace

std::string_view without_image_extension(std::string_view path) {
  if (!images::has_image_name(std::string(path))) return path;
  return path.substr(0, path.rfind('.'));
}

void FolderImages::list(const files::FileTree& tree, const std::string& folder) {
  if (std::exchange(is_listed_, true)) return;
  try {
    for (std::string& file : tree.files_below(folder)) {
      if (!images::has_image_name(file)) continue;
      entries_.push_back({reversed_key(without_image_extension(file)), paths_.size()});
      paths_.push_back(std::move(file));
    }
  } catch (const IoError&) {  // a folder that cannot be listed holds nothing that can be read
  }
  std::ranges::sort(entries_, {}, [](const Entry& entry) { return std::tie(entry.reversed, entry.place); });
}

void FolderImages::add_range(const std::string& reversed, bool is_start, std::vector<std::size_t>& places) const {
  for (auto entry = std::ranges::lower_bound(entries_, reversed, {}, &Entry::reversed); entry != entries_.end();
       ++entry) {
    if (is_start ? !entry->reversed.starts_with(reversed) : entry->reversed != reversed) return;
    places.push_back(entry->place);
  }
}

std::vector<std::size_t> FolderImages::with_path(std::string_view stem) const {
  std::vector<std::size_t> places;
  add_range(reversed_key(stem), false, places);
  return places;
}

std::vector<std::size_t> FolderImages::ending_with(std::string_view stem) const {
  std::vector<std::size_t> places = with_path(stem);
  add_range(reversed_key(stem) + "/", true, places);
  std::ranges::sort(places);
  return places;
}

}  // namespace octavo::sources
