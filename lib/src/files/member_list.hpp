// The files in an archive by name, as the folders that their names make.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "files/file_tree.hpp"

namespace octavo::files {

/// One file in an archive.
struct Member {
  std::int64_t number = 0;  ///< its place among all entries of the archive
  std::int64_t bytes = 0;   ///< as declared; -1 if the archive does not tell
};

class MemberList {
 public:
  /// Takes a member by the name that it has in the archive; one of the same path before it is forgotten. Returns false,
  /// and takes nothing, if a part of its name is hidden or leads upwards.
  bool add(std::string name, Member member);

  /// The member of that path, or null.
  const Member* find(const std::string& path) const;
  FolderEntries entries(const std::string& folder) const;
  std::vector<std::string> files_below(const std::string& folder) const;

 private:
  std::unordered_map<std::string, Member> members_;
  /// The names in each folder, by the folder's path. In byte order.
  std::map<std::string, FolderEntries> folders_ = {{"", {}}};
};

}  // namespace octavo::files
