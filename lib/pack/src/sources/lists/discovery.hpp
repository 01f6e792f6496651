// Discovering what a path holds: the files to read, their formats, and their splits.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <octavo/pack.hpp>

#include "files/open_archives.hpp"

namespace octavo::sources {

/// One thing to open: a file of a format, or a folder of images, on disk or in an archive.
struct Finding {
  SourceFormat format = SourceFormat::automatic;  ///< never automatic; `folder` for images in folders or archives
  std::string split;                              ///< empty if the finding may hold several splits
  std::shared_ptr<const files::FileTree> tree;
  std::string path;    ///< in `tree`
  std::string images;  ///< as in SourceSpec
  std::string labels;
  std::shared_ptr<const files::FileTree> archive = {};  ///< for an .npz file: the arrays in it

  /// The quoted name, for messages.
  std::string name() const { return tree->name_of(path); }
};

/// Finds what `spec` names: one file, a folder or archive with images or files of one format, or numbered files,
/// "shard-{000..099}.tar". Detects formats by content, and splits by convention unless the spec names one. Splits come
/// in the order train, val, test. Unless `wanted` is automatic, looks only for that format. Throws InvalidArgument,
/// FormatError or IoError, naming the path and what to do.
std::vector<Finding> discover(const SourceSpec& spec, SourceFormat wanted, files::OpenArchives& archives);

}  // namespace octavo::sources
