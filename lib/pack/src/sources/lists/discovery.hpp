// Finding out what a path holds: which files to read, in which format, and which split each becomes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <octavo/pack.hpp>

#include "files/open_archives.hpp"

namespace octavo::sources {

/// One thing to open: a file of a format, or a folder of images, on disk or in an archive.
struct Finding {
  SourceFormat format = SourceFormat::automatic;  ///< never automatic; `folder` for images wherever they are
  std::string split;                              ///< empty where what is found may hold several splits
  std::shared_ptr<const files::FileTree> tree;
  std::string path;    ///< in `tree`
  std::string images;  ///< as in SourceSpec
  std::string labels;
  std::shared_ptr<const files::FileTree> archive = {};  ///< of an .npz file: the arrays in it

  /// In quotes, for messages.
  std::string name() const { return tree->name_of(path); }
};

/// What `spec` names: one file, a folder or archive with files of one format, or with images, or numbered files,
/// "shard-{000..099}.tar". Formats are found by content, splits by convention unless the spec names one; splits come in
/// the order train, val, test. Only `wanted` is looked for unless that is automatic. Throws InvalidArgument,
/// FormatError or IoError, naming the path and what to do.
std::vector<Finding> discover(const SourceSpec& spec, SourceFormat wanted, files::OpenArchives& archives);

}  // namespace octavo::sources
