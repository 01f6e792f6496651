// Finding the object that a path names in an HDF5 file of any origin, across its links. Use it in a child process,
// inside an hdf5::Session.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "hdf5/handles.hpp"

namespace octavo::dataset_file {

/// An open file.
struct ForeignFile {
  std::filesystem::path path;  ///< as the user names it; of a file that a link leads to, without links
  hdf5::FileHandle handle;
  std::int64_t file_bytes = 0;
};

/// Where a path ends: a hard link in a group.
struct FoundMember {
  std::shared_ptr<const ForeignFile> file;
  hdf5::GroupHandle group;
  std::string name;  ///< in `group`; "." if the path is that of a group that was reached through a link
};

/// Follows soft links, and external links to files in the folder of the first file and below it. Every step is taken
/// here, because HDF5 itself follows links to any file, and in circles.
class ForeignLinks {
 public:
  /// Opens the file.
  explicit ForeignLinks(const std::filesystem::path& path);

  const std::shared_ptr<const ForeignFile>& file() const { return file_; }
  /// The member with this path below `group` of `file`, or below the root if the path begins with '/'. Throws
  /// FormatError, with the reason only, if it is missing; if links lead in a circle, or more than 16 follow each other;
  /// or if one leads to a file that is missing, not in the folder, or not HDF5.
  FoundMember find(const std::shared_ptr<const ForeignFile>& file, hid_t group, const std::string& path);

 private:
  std::shared_ptr<const ForeignFile> open_neighbor(const ForeignFile& from, const std::string& name);

  std::shared_ptr<const ForeignFile> file_;
  std::map<std::filesystem::path, std::shared_ptr<const ForeignFile>> neighbors_;
};

/// "a soft link to /a/b", "an external link to /x in b.h5": what a link of a group says, for messages. The link is not
/// a hard link.
std::string describe_link(hid_t group, const std::string& name);

}  // namespace octavo::dataset_file
