// Finding the files that an image list names.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "files/file_tree.hpp"
#include "sources/lists/folders/folder_images.hpp"

namespace octavo::sources {

/// What a list names: images or masks, and the folder next to the list that usually holds them.
struct ListedKind {
  const char* noun;
  const char* usual_folder;
};
inline constexpr ListedKind kListedImages = {"image", "images"};
inline constexpr ListedKind kListedMasks = {"mask", "masks"};

/// A file that a list names.
struct ListedFile {
  std::string path;               ///< in the tree
  bool is_found_by_name = false;  ///< it is in none of the usual folders
  bool differs_in_case = false;   ///< from the name in the list
  bool is_from_above = false;     ///< the name begins with the list's own folder
};

/// The files that one list names.
///
/// A name is a path relative to the list's folder, to the usual folder there, or to the folder named like the list
/// (without extension, and with "_" and the usual folder appended). The extension of an image may be omitted, but a
/// file with exactly that name is found whatever its extension. On disk, the path may be absolute. If there is no such
/// file, backslashes are read as separators, then a single image in these folders whose name differs only in case is
/// found. A name may also start at a folder above that of the list, with the names of all folders between:
/// "CheXpert/train/1.jpg" in CheXpert/train.csv. Files outside the list's folder are not found: a list from elsewhere
/// must not name any file of this computer. If the user names a folder of images, it takes the place of the list's
/// folder; paths with ".." then begin at the list's folder, and must lead into it. Not thread-safe.
class ListedFiles {
 public:
  /// `list` is the path of the list in `tree`, which must outlive this. Lists in one folder share `images`.
  ListedFiles(const files::FileTree& tree, std::string list, const ListedKind& kind,
              std::shared_ptr<FolderImages> images = std::make_shared<FolderImages>())
      : tree_(tree), list_(std::move(list)), kind_(kind), images_(std::move(images)) {}
  /// The user names the root of `tree` as the folder of images of a list of this name, which is in `own_folder`.
  ListedFiles(const files::FileTree& tree, std::string list, const ListedKind& kind,
              std::shared_ptr<FolderImages> images, std::filesystem::path own_folder)
      : ListedFiles(tree, std::move(list), kind, std::move(images)) {
    own_folder_ = std::move(own_folder);
  }

  /// Also finds images in any other folder below the list's folder, if there is only one with that name.
  void search_everywhere() { searches_everywhere_ = true; }
  bool searches_everywhere() const { return searches_everywhere_; }

  /// Nothing if there is no such file, or several.
  std::optional<ListedFile> find(const std::string& named) const;
  /// Why find() finds nothing, and what may have been meant, for a message.
  std::string why_not_found(const std::string& named) const;
  /// The folder of the list, quoted, for messages.
  std::string folder() const;

 private:
  std::optional<std::string> find_in_usual_folders(const std::string& named) const;
  std::optional<std::string> find_exactly(const std::string& named) const;
  std::optional<ListedFile> find_from_above(const std::string& named, bool exactly) const;
  std::optional<std::filesystem::path> path_below(const std::string& named) const;
  std::string where() const;
  std::optional<std::string> why_outside(const std::string& named) const;
  std::string way_to_file(const std::filesystem::path& file, const std::filesystem::path& common) const;
  std::string way_to_reach(const std::string& named) const;
  std::vector<ListedFile> similar(const std::string& named, bool everywhere) const;
  std::vector<ListedFile> search(const std::string& path, bool everywhere) const;
  const FolderImages& images() const;

  const files::FileTree& tree_;
  const std::string list_;
  const ListedKind kind_;
  const std::shared_ptr<FolderImages> images_;
  std::optional<std::filesystem::path> own_folder_;  ///< of the list, if the images are in another one
  bool searches_everywhere_ = false;
  /// What search() found everywhere: names that many images have would be slow to find again and again.
  mutable std::unordered_map<std::string, std::vector<ListedFile>> found_everywhere_;
};

}  // namespace octavo::sources
