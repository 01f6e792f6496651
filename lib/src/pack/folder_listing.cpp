#include "pack/folder_listing.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <octavo/errors.hpp>

#include "pack/folder_walk.hpp"
#include "pack/name_list.hpp"
#include "pack/natural_order.hpp"
#include "pack/split_names.hpp"
#include "support/file.hpp"

namespace octavo::sources {
namespace {

namespace fs = std::filesystem;

/// A folder whose images are one split.
struct SplitFolder {
  std::string split;
  fs::path root;
  std::string below;  ///< its path below the root: "train", or empty if it is the root
};

/// Images by class name; those of no class under the empty name.
struct ClassImages {
  SplitFolder folder;
  std::map<std::string, std::vector<std::string>> paths_of;  ///< below the root
};

std::string name_of(const fs::path& folder) {
  const fs::path whole = fs::absolute(folder).lexically_normal();
  return (whole.has_filename() ? whole : whole.parent_path()).filename().string();
}

std::string spelled(const std::string& split, const fs::path& folder) { return split + "=" + quoted(folder); }

[[noreturn]] void refuse_unknown_split(const fs::path& root, const std::vector<SplitFolder>& known,
                                       const std::string& other) {
  std::string splits;
  for (const SplitFolder& folder : known) splits += spelled(folder.split, root / folder.below) + " ";
  throw InvalidArgument(quoted(root) + ": the subfolder " + quoted(fs::path(other)) +
                        " holds images, but is no split that is known, and " + quoted(fs::path(known[0].below)) +
                        " is; name the splits: " + splits + spelled("other", root / other) +
                        ", or, if all are classes, the folder's own split: " + spelled("train", root));
}

/// Beside folders that are splits, images elsewhere would be lost unnoticed: images in other folders are an error, as
/// they are likely a split too; all other files are counted as left out.
void check_beside_splits(const fs::path& root, const FolderEntries& entries, const std::vector<SplitFolder>& splits,
                         FolderContents& contents) {
  for (const std::string& name : entries.folders) {
    if (split_of_folder_name(name)) continue;
    const auto files = list_files_below(root / name);
    if (std::any_of(files.begin(), files.end(), &has_image_name)) refuse_unknown_split(root, splits, name);
    contents.ignored_file_count += std::ssize(files);
  }
  contents.ignored_file_count += std::ssize(entries.files);
}

/// The splits of one spec; counts in `contents` what is left out beside them.
std::vector<SplitFolder> split_folders(const SourceSpec& spec, FolderContents& contents) {
  if (!spec.split.empty()) return {{spec.split, spec.path, ""}};
  const FolderEntries entries = list_entries(spec.path);
  std::vector<SplitFolder> folders;
  for (const std::string& name : entries.folders) {
    if (const auto split = split_of_folder_name(name)) folders.push_back({*split, spec.path, name});
  }
  if (folders.empty()) return {{split_of_folder_name(name_of(spec.path)).value_or("train"), spec.path, ""}};
  std::stable_sort(folders.begin(), folders.end(), [](const SplitFolder& a, const SplitFolder& b) {
    return split_rank(a.split) < split_rank(b.split);
  });
  check_beside_splits(spec.path, entries, folders, contents);
  return folders;
}

std::string below(const SplitFolder& folder, const std::string& path) {
  return folder.below.empty() ? path : folder.below + "/" + path;
}

/// The images of one split folder; counts in `contents` what is left out.
ClassImages images_in(const SplitFolder& folder, FolderContents& contents) {
  ClassImages images = {folder, {}};
  const FolderEntries entries = list_entries(folder.root / folder.below);
  bool has_classes = false;
  for (const std::string& name : entries.folders) {
    auto& paths = images.paths_of[name];
    for (const std::string& file : list_files_below(folder.root / below(folder, name))) {
      if (has_image_name(file)) {
        paths.push_back(below(folder, name + "/" + file));
      } else {
        ++contents.ignored_file_count;
      }
    }
    has_classes = has_classes || !paths.empty();
  }
  for (const std::string& file : entries.files) {
    if (has_image_name(file) && !has_classes) {
      images.paths_of[""].push_back(below(folder, file));
    } else {
      ++contents.ignored_file_count;
    }
  }
  return images;
}

void sort_names(std::vector<std::string>& names, ClassOrder order) {
  if (order == ClassOrder::bytes) {
    std::sort(names.begin(), names.end());
  } else {
    std::sort(names.begin(), names.end(), &is_naturally_before);
  }
}

/// The classes that have images anywhere, in order; the others are noted in `contents`.
void find_classes(const std::vector<ClassImages>& all, ClassOrder order, FolderContents& contents) {
  std::map<std::string, bool> has_images;
  for (const ClassImages& images : all) {
    for (const auto& [name, paths] : images.paths_of) {
      if (!name.empty()) has_images[name] |= !paths.empty();
    }
  }
  for (const auto& [name, is_class] : has_images) {
    (is_class ? contents.class_names : contents.empty_folders).push_back(name);
    if (is_class && !is_clean_utf8(name)) {
      throw InvalidArgument("list the class folders: the name " + quoted(fs::path(name)) +
                            " is not UTF-8; rename the folder");
    }
  }
  sort_names(contents.class_names, order);
}

void use_given_names(const std::vector<std::string>& given_names, FolderContents& contents) {
  if (given_names.empty()) return;
  for (const std::string& name : contents.class_names) {
    if (std::find(given_names.begin(), given_names.end(), name) == given_names.end()) {
      throw InvalidArgument("number the classes: the folder " + quoted(fs::path(name)) +
                            " is not among the given class names; add it to them");
    }
  }
  contents.class_names = given_names;
}

ImageList list_of(ClassImages& images, const std::vector<std::string>& class_names) {
  ImageList list = {images.folder.split, images.folder.root, {}, {}, {}};
  for (std::size_t label = 0; label < class_names.size(); ++label) {
    for (std::string& path : images.paths_of[class_names[label]]) {
      list.paths.push_back(std::move(path));
      append_label(list.labels, static_cast<std::int32_t>(label));
    }
  }
  if (!list.paths.empty()) list.layout = {LabelKind::class_index, 1};
  for (std::string& path : images.paths_of[""]) list.paths.push_back(std::move(path));
  return list;
}

/// Adds a list to the split of its name, or as a new split.
void add_list(ImageList list, FolderContents& contents) {
  if (list.paths.empty()) return;
  for (const ImageList& other : contents.splits) {
    if (other.split != list.split) continue;
    // The first images, because two folders of one root, as val and valid, differ only below it.
    throw InvalidArgument("list the images: both " + quoted(other.file(0)) + " and " + quoted(list.file(0)) +
                          " are of a split \"" + list.split + "\"; name the folders' splits by SPLIT=PATH");
  }
  contents.splits.push_back(std::move(list));
}

}  // namespace

FolderContents list_image_folders(const std::vector<SourceSpec>& specs, ClassOrder order,
                                  const std::vector<std::string>& given_names) {
  FolderContents contents;
  std::vector<ClassImages> all;
  for (const SourceSpec& spec : specs) {
    contents.roots.push_back(spec.path);
    for (const SplitFolder& folder : split_folders(spec, contents)) all.push_back(images_in(folder, contents));
  }
  find_classes(all, order, contents);
  use_given_names(given_names, contents);
  for (ClassImages& images : all) add_list(list_of(images, contents.class_names), contents);
  if (contents.splits.empty()) {
    throw InvalidArgument(
        "list the images in " + quoted(specs[0].path) +
        ": there is no file named as images are (.jpg, .png, .webp, .tif, .gif, .bmp, .ppm and alike); check the "
        "path");
  }
  return contents;
}

}  // namespace octavo::sources
