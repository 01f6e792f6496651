// The files in an archive by name, as the folders that their names make.
#pragma once

#include <cstdint>
#include <map>
#include <set>
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
  bool add(const std::string& name, Member member);
  /// About what it takes in memory; names that are deep in folders take far more than they are long.
  std::int64_t held_bytes() const { return held_bytes_; }

  /// The member of that path, or null.
  const Member* find(const std::string& path) const;
  FolderEntries entries(const std::string& folder) const;
  std::vector<std::string> files_below(const std::string& folder) const;

 private:
  /// What is in one folder by name. In byte order, whatever the order in the archive.
  struct Folder {
    std::set<std::string> folders, files;
  };

  void insert(std::set<std::string>& names, const std::string& name);
  Folder& folder(const std::string& path);

  std::unordered_map<std::string, Member> members_;
  std::map<std::string, Folder> folders_ = {{"", {}}};  ///< by path
  std::int64_t held_bytes_ = 0;
};

}  // namespace octavo::files
