#include "sources/lists/folders/folder_listing.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <set>
#include <unordered_set>
#include <utility>

#include <octavo/byte_count.hpp>
#include <octavo/errors.hpp>
#include <octavo/text.hpp>

#include "files/unicode.hpp"
#include "images/image_codec.hpp"
#include "labels/text_labels.hpp"
#include "sources/combine/split_names.hpp"
#include "sources/lists/class_names.hpp"
#include "sources/lists/folders/class_folders.hpp"
#include "sources/lists/folders/shared_folders.hpp"
#include "sources/lists/masks/mask_evidence.hpp"
#include "sources/lists/masks/mask_folders.hpp"
#include "sources/lists/masks/mask_names.hpp"
#include "sources/lists/masks/mask_pattern.hpp"
#include "sources/lists/name_list.hpp"
#include "support/file.hpp"

namespace octavo::sources {
namespace {

namespace fs = std::filesystem;

/// A folder whose images are one split.
struct SplitFolder {
  std::string split;
  std::shared_ptr<const files::FileTree> tree;
  std::string path;   ///< in the tree
  std::string masks;  ///< the folder of the masks, in the tree; empty: none
};

/// Images by class name; images without a class have the empty name.
struct ClassImages {
  SplitFolder folder;
  std::map<std::string, std::vector<std::string>> paths_of;  ///< in the tree
  std::vector<std::string> masks = {};                       ///< by the pattern of the options, in the tree
};

/// Which files of folders are masks, by the options.
struct MaskRules {
  bool with_masks = true;
  std::optional<MaskPattern> pattern = {};

  /// Whether a file in a folder of images is an image to pack.
  bool is_image(const std::string& path) const { return images::has_image_name(path) && !is_mask(path); }
  bool is_mask(const std::string& path) const { return pattern && pattern->is_mask(path); }
  /// The folders of images and masks in `folder`. A pattern with a folder says itself where masks are.
  std::optional<MaskFolders> find_folders(const files::FileTree& tree, const std::string& folder) const {
    if (!with_masks || (pattern && pattern->has_folder())) return std::nullopt;
    return find_mask_folders(tree, folder);
  }
  const MaskPattern* pattern_or_null() const { return pattern ? &*pattern : nullptr; }
};

MaskRules mask_rules(const SourceOptions& options) {
  MaskRules rules{options.with_masks};
  if (!options.mask_pattern.empty()) rules.pattern.emplace(options.mask_pattern);
  return rules;
}

/// The split of a folder without split folders, by its own name or the archive's.
std::string split_of_root(const ImageRoot& root) {
  if (!root.tree->disk_path("")) {
    return split_of_file_name(root.tree->root().filename().string()).value_or("train");
  }
  const fs::path whole = fs::absolute(root.tree->root() / root.folder).lexically_normal();
  const std::string name = (whole.has_filename() ? whole : whole.parent_path()).filename().string();
  return split_of_folder_name(name).value_or("train");
}

/// The image files in a folder, by their paths below it.
std::vector<std::string> images_below(const files::FileTree& tree, const std::string& folder) {
  std::vector<std::string> files = tree.files_below(folder);
  std::erase_if(files, [](const std::string& file) { return !images::has_image_name(file); });
  return files;
}

/// The pattern that names a mask in `masks` for each image in `images`, two folders next to each other with no folders
/// inside.
std::optional<std::string> pattern_of_folders(const files::FileTree& tree, const std::string& images,
                                              const std::string& masks) {
  const std::vector<std::string> files = images_below(tree, images), others = images_below(tree, masks);
  const auto is_deep = [](const std::string& file) { return file.find('/') != std::string::npos; };
  if (std::ranges::any_of(files, is_deep)) return std::nullopt;
  const auto pattern = fitting_pattern(files, std::set(others.begin(), others.end()));
  const std::string name = fs::path(masks).filename().string();
  if (!pattern || !is_plain(name)) return std::nullopt;
  return pattern->text("../" + name + "/");
}

[[noreturn]] void refuse_unknown_split(const ImageRoot& root, const std::vector<SplitFolder>& known,
                                       const std::string& other) {
  const auto spelled = [&](const std::string& split, const std::string& folder) {
    return split + "=" + root.tree->name_of(folder);
  };
  std::string masks, splits;
  for (const SplitFolder& folder : known) {
    const auto pattern = pattern_of_folders(*root.tree, folder.path, files::join_path(root.folder, other));
    if (pattern && masks.empty())
      masks = "; if it holds the masks of " + folder.split + ", name them with " + masks_option(*pattern) + "; else";
  }
  for (const SplitFolder& folder : known) splits += spelled(folder.split, folder.path) + " ";
  throw DataError(root.tree->name_of(root.folder) + ": the subfolder " + quoted(fs::path(other)) +
                  " holds images, but is not a known split name, and " + quoted(fs::path(known[0].path).filename()) +
                  " is" + (masks.empty() ? ";" : masks) + " name the splits: " + splits +
                  spelled("other", files::join_path(root.folder, other)) +
                  ", or, if all are classes, the folder's own split: " + spelled("train", root.folder));
}

/// Next to split folders, other images must not be lost unnoticed. Images in other folders are an error, since these
/// are probably splits too; all other files are ignored.
void check_other_contents(const ImageRoot& root, const files::FolderEntries& entries,
                          const std::vector<SplitFolder>& splits, const MaskRules& rules, ImageList& contents) {
  for (const std::string& name : entries.folders) {
    if (split_of_folder_name(name)) continue;
    const auto files = root.tree->files_below(files::join_path(root.folder, name));
    const std::string folder = files::join_path(root.folder, name);
    const auto is_image = [&](const std::string& file) { return rules.is_image(files::join_path(folder, file)); };
    if (std::ranges::any_of(files, is_image)) refuse_unknown_split(root, splits, name);
    for (const std::string& file : files) {
      if (!rules.is_mask(files::join_path(folder, file))) ignore_file(contents, files::join_path(folder, file));
    }
  }
  for (const std::string& file : entries.files) ignore_file(contents, files::join_path(root.folder, file));
}

void remark_on_pair(const MaskFolders& pair, ImageList& contents) {
  contents.remarks.push_back("the images in " + quoted(fs::path(pair.masks)) + " are the masks of those in " +
                             quoted(fs::path(pair.images)) + "; `masks=off` makes both classes");
}

/// The folder of a split: its images, and its masks if there are folders for both.
SplitFolder split_folder(const std::string& split, const std::shared_ptr<const files::FileTree>& tree,
                         const std::string& path, const MaskRules& rules, ImageList& contents) {
  const auto pair = rules.find_folders(*tree, path);
  if (!pair) return {split, tree, path, {}};
  remark_on_pair(*pair, contents);
  return {split, tree, pair->images, pair->masks};
}

void sort_by_split(std::vector<SplitFolder>& folders) {
  std::stable_sort(folders.begin(), folders.end(), [](const SplitFolder& a, const SplitFolder& b) {
    return split_rank(a.split) < split_rank(b.split);
  });
}

/// The splits of a root whose folders of images and masks have subfolders for the splits.
std::vector<SplitFolder> paired_splits(const ImageRoot& root, const MaskFolders& pair) {
  std::vector<SplitFolder> folders;
  for (const std::string& name : root.tree->entries(pair.images).folders) {
    const auto split = split_of_folder_name(name);
    if (!split) return {};  // classes
    folders.push_back({*split, root.tree, files::join_path(pair.images, name), files::join_path(pair.masks, name)});
  }
  sort_by_split(folders);
  return folders;
}

/// The splits of one root; notes ignored files in `contents`.
std::vector<SplitFolder> split_folders(const ImageRoot& root, const MaskRules& rules, ImageList& contents) {
  if (!root.split.empty()) return {split_folder(root.split, root.tree, root.folder, rules, contents)};
  const files::FolderEntries entries = root.tree->entries(root.folder);
  if (const auto pair = rules.find_folders(*root.tree, root.folder)) {
    std::vector<SplitFolder> folders = paired_splits(root, *pair);
    if (!folders.empty()) {
      remark_on_pair(*pair, contents);
      return folders;
    }
  }
  std::vector<SplitFolder> folders;
  for (const std::string& name : entries.folders) {
    if (const auto split = split_of_folder_name(name)) {
      folders.push_back(split_folder(*split, root.tree, files::join_path(root.folder, name), rules, contents));
    }
  }
  if (folders.empty()) return {split_folder(split_of_root(root), root.tree, root.folder, rules, contents)};
  sort_by_split(folders);
  check_other_contents(root, entries, folders, rules, contents);
  return folders;
}

/// Sorts the files of one split folder into classes and masks; notes the others in `contents`.
class SplitFiles {
 public:
  SplitFiles(const SplitFolder& folder, const MaskRules& rules, ImageList& contents)
      : rules_(rules), contents_(contents), images_{folder, {}} {}

  ClassImages sorted() {
    const files::FolderEntries entries = folder().tree->entries(folder().path);
    for (const std::string& name : entries.folders) add_folder(name);
    if (has_folder_of_masks_ && images_.paths_of.size() == 1) unname_only_class();
    for (const std::string& file : entries.files) add_file(file);
    return std::move(images_);
  }

 private:
  const SplitFolder& folder() const { return images_.folder; }
  /// Next to a folder of masks, all images are images.
  bool is_mask(const std::string& path) const { return folder().masks.empty() && rules_.is_mask(path); }

  void add_folder(const std::string& name) {
    auto& paths = images_.paths_of[name];
    const std::size_t masks_before = images_.masks.size();
    const std::string class_folder = files::join_path(folder().path, name);
    for (const std::string& file : folder().tree->files_below(class_folder)) {
      add(files::join_path(class_folder, file), true, paths);
    }
    has_classes_ = has_classes_ || !paths.empty();
    if (!paths.empty() || images_.masks.size() == masks_before) return;
    images_.paths_of.erase(name);
    has_folder_of_masks_ = true;
  }

  void add(const std::string& path, bool may_be_image, std::vector<std::string>& paths) {
    if (is_mask(path) && may_be_image) {
      images_.masks.push_back(path);
    } else if (images::has_image_name(path) && may_be_image) {
      paths.push_back(path);
    } else {
      ignore_file(contents_, path);
    }
  }

  /// The folder of images next to a folder of masks is not a class.
  void unname_only_class() {
    auto only = images_.paths_of.extract(images_.paths_of.begin());
    only.key() = "";
    images_.paths_of.insert(std::move(only));
  }

  /// A file next to the class folders.
  void add_file(const std::string& file) {
    std::vector<std::string> paths;
    add(files::join_path(folder().path, file), !has_classes_, paths);
    if (!paths.empty()) images_.paths_of[""].push_back(std::move(paths[0]));
  }

  const MaskRules& rules_;
  ImageList& contents_;
  ClassImages images_;
  bool has_classes_ = false, has_folder_of_masks_ = false;
};

/// A name such as "train_images" is probably not a class.
bool is_called_as_split(const std::string& name) {
  const auto end = std::find_if_not(name.begin(), name.end(), [](unsigned char c) { return std::isalpha(c) != 0; });
  return split_of_folder_name(std::string(name.begin(), end)).has_value();
}

/// Adds remarks about splits that may have been treated as classes, or as parts of classes.
void remark_on_splits(const std::vector<ClassImages>& all, ImageList& contents) {
  std::set<std::string> classes, parts;
  for (const ClassImages& images : all) {
    for (const auto& [name, paths] : images.paths_of) {
      if (!paths.empty() && is_called_as_split(name)) classes.insert(name);
      const std::size_t depth = files::join_path(images.folder.path, name).size() + 1;
      for (const std::string& path : paths) {
        const std::size_t end = name.empty() ? std::string::npos : path.find('/', depth);
        if (end == std::string::npos) continue;
        std::string part = path.substr(depth, end - depth);
        if (split_of_folder_name(part)) parts.insert(std::move(part));
      }
    }
  }
  const auto remark = [&](const std::set<std::string>& names, const std::string& what) {
    if (names.empty()) return;
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + quoted(fs::path(name));
    contents.remarks.push_back(text + what + "; if these are splits, name them: train=FOLDER test=FOLDER");
  };
  remark(classes, " became classes");
  remark(parts, " within classes were not treated as splits");
}

/// Masks that nothing recognized are classes, or samples. Says how to pack them as masks.
void remark_on_masks(const std::vector<ClassImages>& all, const MaskRules& rules, ImageList& contents) {
  if (!rules.with_masks || rules.pattern) return;
  NamedMasks named;
  for (const ClassImages& images : all) {
    if (!images.folder.masks.empty() || !images.folder.tree->disk_path("")) continue;
    for (const auto& [name, paths] : images.paths_of) {
      const auto found = find_named_masks(paths);
      if (!found) continue;
      const std::int64_t count = named.count + found->count;
      if (named.count == 0) named = *found;
      named.count = count;
    }
  }
  if (named.count == 0) return;
  const auto name = [](const std::string& path) { return printable(fs::path(path).filename().string()); };
  contents.remarks.push_back(counted(named.count, "file") + (named.count == 1 ? " is" : " are") +
                             " named like masks of others (" + name(named.mask) + " next to " + name(named.image) +
                             ") but packed as images; pack them as masks with " + masks_option(named.pattern));
}

/// Files with the names of the images next to them, such as 000.png and 000.jpg, if they look like masks.
void remark_on_twin_files(const std::vector<ClassImages>& all, const MaskRules& rules, ImageList& contents) {
  if (!rules.with_masks || rules.pattern) return;
  for (const ClassImages& images : all) {
    if (!images.folder.masks.empty() || !images.folder.tree->disk_path("")) continue;
    for (const auto& [name, paths] : images.paths_of) {
      const auto twins = find_twin_files(paths);
      if (!twins) continue;
      std::vector<ImageAndMask> pairs;
      for (const auto& [image, mask] : twins->pairs) pairs.push_back({image, mask});
      if (!look_like_masks(*images.folder.tree, pairs)) continue;
      const std::string mask = printable(fs::path(pairs[0].mask).filename().string());
      contents.remarks.push_back("the " + printable(twins->extension) + " files, such as " + mask + " next to " +
                                 printable(fs::path(pairs[0].image).filename().string()) +
                                 ", look like masks (the same names and sizes, few colors), but are packed as images; "
                                 "pack them as masks with " +
                                 masks_option("{stem}" + twins->extension));
      return;
    }
  }
}

/// Two class folders of a split, in the tree: the second may hold the masks of the images in the first.
struct FolderPair {
  std::string images, masks;
};

/// The only two class folders of a split, in both orders; empty if there are others.
std::vector<FolderPair> possible_pairs(const ClassImages& images) {
  std::vector<const std::string*> names;
  for (const auto& [name, paths] : images.paths_of) {
    if (!paths.empty()) names.push_back(&name);
  }
  if (names.size() != 2 || names[0]->empty()) return {};
  const std::string first = files::join_path(images.folder.path, *names[0]);
  const std::string second = files::join_path(images.folder.path, *names[1]);
  return {{first, second}, {second, first}};
}

/// Class folders whose files are images and masks, whatever their names: as classes, each image would be in both.
[[noreturn]] void refuse_mask_class(const files::FileTree& tree, const FolderPair& pair) {
  const auto pattern = pattern_of_folders(tree, pair.images, pair.masks);
  throw DataError("list the class folders: the files in " + tree.name_of(pair.masks) + " look like masks of those in " +
                  tree.name_of(pair.images) + " (the same names and sizes, few colors); pack them as masks with " +
                  (pattern ? masks_option(*pattern) : "the folders named images and masks") +
                  ", or as a class with `masks=off`");
}

/// On class folders with names of images and masks; nothing if they have others, or their files do.
std::optional<std::string> remark_on_pair_names(const files::FileTree& tree, const FolderPair& pair) {
  const fs::path images = fs::path(pair.images).filename(), masks = fs::path(pair.masks).filename();
  if (!are_called_as_pair(images.string(), masks.string())) return std::nullopt;
  const auto pattern = pattern_of_folders(tree, pair.images, pair.masks);
  if (!pattern) return std::nullopt;
  if (is_called_as_masks(masks.string())) {
    return "the files in " + quoted(masks) + " are named like masks of those in " + quoted(images) +
           ", but both became classes; pack them as masks with " + masks_option(*pattern);
  }
  return quoted(images) + " and " + quoted(masks) + ", whose files have the same names, became classes; if " +
         quoted(masks) + " holds masks, pack them with " + masks_option(*pattern);
}

/// On two class folders: one holds masks with other names, perhaps in folders that both have, as in
/// Cityscapes: leftImg8bit/train/ulm/1_leftImg8bit.png and gtFine/train/ulm/1_gtFine_labelIds.png. Nothing if the files
/// in `masks` do not look like masks, or if there is only one image, whose name has a part in common with many others.
std::optional<std::string> remark_on_pair_contents(const files::FileTree& tree, const FolderPair& pair) {
  const std::vector<std::string> images = images_below(tree, pair.images), files = images_below(tree, pair.masks);
  const auto paired = paired_names(images, std::set(files.begin(), files.end()));
  if (!paired || images.size() < 2) return std::nullopt;
  std::vector<ImageAndMask> pairs;
  for (std::size_t i = 0; i < images.size(); ++i) {
    pairs.push_back({files::join_path(pair.images, images[i]), files::join_path(pair.masks, paired->masks[i])});
  }
  if (!look_like_masks(tree, pairs)) return std::nullopt;
  const auto pattern = pattern_of_folders(tree, pair.images, pair.masks);
  return "the files in " + quoted(fs::path(pair.masks).filename()) + " look like masks of those in " +
         quoted(fs::path(pair.images).filename()) + ", but both became classes; " +
         (pattern ? "pack them as masks with " + masks_option(*pattern)
                  : "to pack them as masks, name both files of each pair in a list with the columns image, mask and "
                    "split, or rename the folders to masks and images and use " +
                        masks_option(paired->pattern.text()));
}

/// Of two classes, one may hold the masks of the other.
void check_mask_classes(const std::vector<ClassImages>& all, const MaskRules& rules, ImageList& contents) {
  if (!rules.with_masks || rules.pattern) return;
  for (const ClassImages& images : all) {
    const files::FileTree& tree = *images.folder.tree;
    if (!tree.disk_path("")) continue;
    for (const FolderPair& pair : possible_pairs(images)) {
      if (look_like_masks(tree, pair.images, pair.masks)) refuse_mask_class(tree, pair);
      auto remark = remark_on_pair_names(tree, pair);
      if (!remark) remark = remark_on_pair_contents(tree, pair);
      if (!remark) continue;
      contents.remarks.push_back(std::move(*remark));
      return;
    }
  }
}

/// The first folders below a class folder that hold its images, in all splits.
struct InnerFolders {
  std::set<std::string> names;
  bool has_other_images = false;  ///< images directly in the class folder
};

void add_inner_folders(const std::vector<std::string>& paths, std::size_t depth, InnerFolders& inner) {
  std::string_view last;
  for (const std::string& path : paths) {
    const std::size_t end = path.find('/', depth);
    inner.has_other_images = inner.has_other_images || end == std::string::npos;
    if (end == std::string::npos) continue;
    const std::string_view name = std::string_view(path).substr(depth, end - depth);
    if (name != last) inner.names.emplace(name);
    last = name;
  }
}

/// The folders in each class folder with images.
std::map<std::string, InnerFolders> inner_folders_of_classes(const std::vector<ClassImages>& all) {
  std::map<std::string, InnerFolders> inner;
  for (const ClassImages& images : all) {
    for (const auto& [name, paths] : images.paths_of) {
      if (name.empty() || paths.empty()) continue;
      add_inner_folders(paths, files::join_path(images.folder.path, name).size() + 1, inner[name]);
    }
  }
  return inner;
}

/// Only the first few of many.
std::string first_folders(const std::set<std::string>& names) {
  constexpr std::size_t kMostNamed = 3;
  std::string text;
  std::size_t count = 0;
  for (const std::string& name : names) {
    if (count++ == kMostNamed) return text + ", ...";
    text += (text.empty() ? "" : ", ") + quoted(fs::path(name));
  }
  return text;
}

/// The folders that all classes have, other than splits; empty if images are next to them.
std::set<std::string> common_inner_folders(const std::map<std::string, InnerFolders>& inner) {
  std::set<std::string> common = inner.begin()->second.names;
  for (const auto& [name, own] : inner) {
    if (own.has_other_images) return {};
    std::erase_if(common, [&names = own.names](const std::string& one) {
      return !names.contains(one) || split_of_folder_name(one);
    });
  }
  return common;
}

/// Adds a remark if images are in folders inside the class folders, which may be the classes: "cam1/crab",
/// "cam2/crab". A single folder that all have, such as "images", or folders of splits, are not classes.
void remark_on_inner_folders(const std::vector<ClassImages>& all, ImageList& contents) {
  const auto inner = inner_folders_of_classes(all);
  if (inner.size() < 2) return;
  std::set<std::string> outer, names;
  for (const auto& [name, own] : inner) {
    outer.insert(name);
    for (const std::string& one : own.names) {
      if (!split_of_folder_name(one) && !is_named_for_images(one)) names.insert(one);
    }
  }
  const std::set<std::string> common = common_inner_folders(inner);
  if (names.empty() || (names.size() == 1 && common == names)) return;
  const std::string inside =
      common.empty() ? "; folders inside them, such as " + first_folders(names) + ", are not classes"
                     : ", which all have the " + std::string(common.size() == 1 ? "subfolder " : "subfolders ") +
                           first_folders(common);
  contents.remarks.push_back("the classes are the outer folders " + first_folders(outer) + inside +
                             "; if the inner ones are the classes, make them the outer folders");
}

void remark_on_shared_folders(const std::vector<ClassImages>& all, ImageList& contents) {
  SharedFolders shared;
  for (const ClassImages& images : all) {
    for (const auto& [name, paths] : images.paths_of) shared.add(*images.folder.tree, paths);
  }
  if (auto remark = shared.remark()) contents.remarks.push_back(std::move(*remark));
}

[[noreturn]] void refuse_name(const SplitFolder& folder, const std::string& name) {
  const bool is_on_disk = folder.tree->disk_path("").has_value();
  throw DataError("list the class folders: the name of " + folder.tree->name_of(files::join_path(folder.path, name)) +
                  " is not UTF-8" +
                  (is_on_disk ? "; rename the folder"
                              : "; unpack the archive with the encoding of its names, such as `unzip -O GBK`, "
                                "and pack the folder"));
}

/// The classes with images in any split, in order; notes the others in `contents`.
void find_classes(const std::vector<ClassImages>& all, ClassOrder order, ImageList& contents) {
  std::map<std::string, bool> has_images;
  for (const ClassImages& images : all) {
    for (const auto& [name, paths] : images.paths_of) {
      if (name.empty()) continue;
      has_images[name] |= !paths.empty();
      if (!paths.empty() && !is_clean_utf8(name)) refuse_name(images.folder, name);
    }
  }
  for (const auto& [name, is_class] : has_images) {
    (is_class ? contents.class_names : contents.empty_folders).push_back(name);
  }
  sort_class_names(contents.class_names, order);
}

/// Folders are numbered in their order, like torchvision's, even if their names are numbers.
void remark_on_numbers(ImageList& contents) {
  const auto& names = contents.class_names;
  const auto is_number = [](const std::string& name) { return labels::number_in(name).has_value(); };
  if (names.empty() || !std::ranges::all_of(names, is_number)) return;
  for (std::size_t label = 0; label < names.size(); ++label) {
    if (*labels::number_in(names[label]) == static_cast<double>(label)) continue;
    contents.remarks.push_back(
        "the class folders are numbers, but classes are numbered in the order of the folders: \"" + names[label] +
        "\" is class " + std::to_string(label));
    return;
  }
}

void use_given_names(const std::vector<std::string>& given_names, ImageList& contents) {
  if (given_names.empty()) return;
  const std::unordered_set<std::string> known(given_names.begin(), given_names.end());
  for (const std::string& name : contents.class_names) {
    if (known.contains(name)) continue;
    const bool looks_equal =
        std::ranges::find(given_names, files::normalized(name), &files::normalized) != given_names.end();
    throw DataError("number the classes: the folder " + quoted(fs::path(name)) +
                    (looks_equal ? " and its given class name differ in Unicode normalization (NFC, NFD); rename "
                                   "the folder"
                                 : " is not among the given class names; add it to them"));
  }
  contents.class_names = given_names;
  contents.are_classes_sorted = false;
}

/// Masks by the pattern that no image has are errors, or left out.
void check_masks_have_images(const ClassImages& images, bool may_skip, const SplitImages& list, ImageList& contents) {
  const std::unordered_set<std::string> used(list.masks.begin(), list.masks.end());
  for (const std::string& mask : images.masks) {
    if (used.contains(mask)) continue;
    if (!may_skip) {
      throw DataError("pair images with masks: " + images.folder.tree->name_of(mask) +
                      " has no image; add it, or skip such files with `on_error=skip`");
    }
    contents.left_out.push_back({0, mask, "it has no image"});
  }
}

void find_masks_of(const ClassImages& images, const MaskRules& rules, bool may_skip, SplitImages& list,
                   ImageList& contents) {
  if (!images.folder.masks.empty()) {
    pair_with_masks({images.folder.path, images.folder.masks}, rules.pattern_or_null(), may_skip, list,
                    contents.left_out);
  } else if (rules.pattern) {
    pair_by_pattern(*rules.pattern, may_skip, list, contents.left_out);
    check_masks_have_images(images, may_skip, list, contents);
  }
}

SplitImages list_of(ClassImages& images, const MaskRules& rules, bool may_skip, ImageList& contents) {
  SplitImages list = {images.folder.split, images.folder.tree, {}, {}, {}};
  for (std::size_t label = 0; label < contents.class_names.size(); ++label) {
    for (std::string& path : images.paths_of[contents.class_names[label]]) {
      list.paths.push_back(std::move(path));
      append_label(list.labels, static_cast<std::int32_t>(label));
    }
  }
  if (!list.paths.empty()) list.layout = {LabelKind::class_index, 1};
  for (std::string& path : images.paths_of[""]) list.paths.push_back(std::move(path));
  find_masks_of(images, rules, may_skip, list, contents);
  order_for_reading(list);
  return list;
}

/// Adds a list to the split of its name, or as a new split.
void add_list(SplitImages list, ImageList& contents) {
  if (list.paths.empty()) return;
  for (const SplitImages& other : contents.splits) {
    if (other.split != list.split) continue;
    // Name the first images: two folders of one root, such as val and valid, differ only below it.
    throw DataError("list the images: both " + other.name(0) + " and " + list.name(0) + " belong to split \"" +
                    list.split +
                    "\"; give each its own split with SPLIT=PATH, or put the images of both below one folder");
  }
  contents.splits.push_back(std::move(list));
}

/// A pattern that fits the images, too, would leave nothing to pack.
void check_not_all_masks(const std::vector<ImageRoot>& roots, const std::vector<ClassImages>& all) {
  const auto has_images = [](const ClassImages& images) {
    return std::ranges::any_of(images.paths_of, [](const auto& of_class) { return !of_class.second.empty(); });
  };
  const auto has_masks = [](const ClassImages& images) { return !images.masks.empty(); };
  if (std::ranges::any_of(all, has_images) || std::ranges::none_of(all, has_masks)) return;
  throw DataError("list the images in " + roots[0].tree->name_of(roots[0].folder) +
                  ": all image files have names of masks by the pattern of `masks`; correct it");
}

/// Images whose masks are missing were skipped; perhaps all were.
void check_not_all_skipped(const std::vector<ImageRoot>& roots, const ImageList& contents) {
  if (contents.left_out.empty()) return;
  const SampleFailure& first = contents.left_out[0];
  throw DataError("list the images in " + roots[0].tree->name_of(roots[0].folder) + ": no image with a mask is left, " +
                  "because " + counted(std::ssize(contents.left_out), "file") +
                  (contents.left_out.size() == 1 ? " was" : " were") + " skipped, the first, " +
                  quoted(fs::path(first.name)) + ": " + first.reason +
                  "; give images and masks the same names, or name the masks with `masks`");
}

/// Whether folders are the classes: several, unless all are named like "train_images".
bool has_class_folders(const ImageList& contents) {
  return contents.class_names.size() > 1 && !std::ranges::all_of(contents.class_names, &is_named_for_images);
}

/// Without classes or masks, a list that is not used probably holds the labels.
void check_list_problems(const std::vector<ImageRoot>& roots, const ImageList& contents) {
  const auto has_masks = [](const SplitImages& list) { return !list.masks.empty(); };
  if (has_class_folders(contents) || std::ranges::any_of(contents.splits, has_masks)) return;
  for (const ImageRoot& root : roots) {
    if (root.list_problem.empty()) continue;
    throw FormatError("list the images in " + root.tree->name_of(root.folder) + ": " + root.list_problem +
                      ", or pack the images without it with `format=" + root.format_without_list + "`");
  }
}

}  // namespace

ImageList list_image_folders(const std::vector<ImageRoot>& roots, const SourceOptions& options) {
  const MaskRules rules = mask_rules(options);
  ImageList contents;
  std::vector<ClassImages> all;
  for (const ImageRoot& root : roots) {
    contents.remarks.insert(contents.remarks.end(), root.remarks.begin(), root.remarks.end());
    for (const fs::path& path : root.tree->roots()) contents.roots.push_back(path / root.folder);
    for (const SplitFolder& folder : split_folders(root, rules, contents)) {
      all.push_back(SplitFiles(folder, rules, contents).sorted());
    }
  }
  find_classes(all, options.class_order, contents);
  remark_on_splits(all, contents);
  remark_on_masks(all, rules, contents);
  remark_on_twin_files(all, rules, contents);
  check_mask_classes(all, rules, contents);
  remark_on_inner_folders(all, contents);
  remark_on_shared_folders(all, contents);
  use_given_names(options.class_names, contents);
  remark_on_numbers(contents);
  check_not_all_masks(roots, all);
  for (ClassImages& images : all) {
    add_list(list_of(images, rules, options.skip_unreadable, contents), contents);
  }
  if (contents.splits.empty()) {
    check_not_all_skipped(roots, contents);
    const std::string& problem = roots[0].list_problem;
    throw DataError("list the images in " + roots[0].tree->name_of(roots[0].folder) +
                    ": found no image files (.jpg, .png, .webp, .tif, .gif, .bmp, .ppm and similar); " +
                    (problem.empty() ? "check the path" : problem));
  }
  check_list_problems(roots, contents);
  return contents;
}

}  // namespace octavo::sources
