// The files in an archive, as a tree of folders made from their names.
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
  std::int64_t number = 0;  ///< its index among all entries of the archive
  std::int64_t bytes = 0;   ///< as declared; -1 if the archive does not declare it
};

class MemberList {
 public:
  /// Adds a member by its name in the archive; replaces an earlier one with the same path. Returns false, and adds
  /// nothing, if a part of the name is hidden or "..".
  bool add(const std::string& name, Member member);
  /// The approximate memory use; names deep in folders need far more than their length.
  std::int64_t held_bytes() const { return held_bytes_; }

  /// The member with that path, or null.
  const Member* find(const std::string& path) const;
  FolderEntries entries(const std::string& folder) const;
  std::vector<std::string> files_below(const std::string& folder) const;

 private:
  /// The entries of one folder, in byte order, whatever the order in the archive.
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
