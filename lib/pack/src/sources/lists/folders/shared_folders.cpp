#include "sources/lists/folders/shared_folders.hpp"

#include <string_view>

#include <octavo/byte_count.hpp>
#include <octavo/text.hpp>

namespace octavo::sources {

void SharedFolders::add(const files::FileTree& tree, std::span<const std::string> paths) {
  std::optional<std::string_view> last;
  for (const std::string& path : paths) {
    const std::size_t slash = path.rfind('/');
    const std::string_view folder = std::string_view(path).substr(0, slash == std::string::npos ? 0 : slash);
    if (folder != last) add_folder(tree, std::string(folder));
    last = folder;
  }
}

void SharedFolders::add_folder(const files::FileTree& tree, const std::string& folder) {
  const auto [found, is_new] = path_of_.try_emplace({&tree, tree.folder_identity(folder)}, folder);
  if (is_new || found->second == folder) return;
  if (++shared_count_ == 1) first_ = tree.name_of(folder) + " is also " + tree.name_of(found->second);
}

std::optional<std::string> SharedFolders::remark() const {
  if (shared_count_ == 0) return std::nullopt;
  return counted(shared_count_, "folder") + " of images" + (shared_count_ == 1 ? " is" : " are") +
         " in several classes or splits, since links to folders are followed: " + first_;
}

}  // namespace octavo::sources
