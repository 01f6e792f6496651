// What discovery finds in a source: files and folders to open.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <octavo/dataset.hpp>

#include "files/file_tree.hpp"

namespace octavo::sources {

struct SourceReader;

/// One thing to open: a file of a format, or a folder of images, on disk or in an archive.
struct SourceEntry {
  const SourceReader* reader = nullptr;  ///< of the format; of folders, for images in folders or archives
  std::string split;                     ///< empty if the entry may hold several splits
  std::shared_ptr<const files::FileTree> tree;
  std::string path;         ///< in `tree`
  std::string images = {};  ///< as in SourceSpec
  std::string labels = {};
  std::shared_ptr<const files::FileTree> archive = {};  ///< for an .npz file: the arrays in it
  std::shared_ptr<files::ByteStream> stream = {};       ///< the file, if detection has opened it
  bool is_named = false;                                ///< the user named this file, not its folder or archive
  bool is_split_named = false;                          ///< the user named the split
  bool has_labels = true;                               ///< false: of several image lists, one without labels
  std::vector<std::string> remarks = {};                ///< on surprising decisions
  std::string list_problem = {};                        ///< for images in folders: as in ImageRoot
  std::string format_without_list = "folder";           ///< the same
  /// A file of labels for the images: one that the user names, whose array is `labels`; or one with a name for it,
  /// which is used if the images have no labels in their own file.
  std::shared_ptr<SourceEntry> label_file = {};
  bool is_label_file_named = false;      ///< by the user
  std::optional<Dataset> dataset = {};   ///< that of a URL
  std::vector<std::string> others = {};  ///< files next to it that hold neither images nor their labels

  /// The quoted name, for messages.
  std::string name() const { return tree->name_of(path); }
  /// The file: handed over if it is open, else opened.
  std::shared_ptr<files::ByteStream> take_stream() {
    return stream ? std::move(stream) : std::shared_ptr<files::ByteStream>(tree->open(path));
  }
};

}  // namespace octavo::sources
