// Lists all files below a folder, where links may lead to a folder several times.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "files/file_tree.hpp"

namespace octavo::files {

/// The files below a folder, as FileTree::files_below() lists them. All paths are relative to the folder, which is "".
///
/// entries_of(path)    the entries of a folder
/// identity_of(path)   what two paths to the same folder have in common; comparable
template <typename EntriesOf, typename IdentityOf>
std::vector<std::string> files_of_each_folder_once(const EntriesOf& entries_of, const IdentityOf& identity_of) {
  std::set<decltype(identity_of(std::string()))> seen = {identity_of("")};
  std::map<std::string, std::vector<std::string>> files_of;
  std::vector<std::string> unlisted = {""};
  while (!unlisted.empty()) {
    const std::string below = unlisted.back();
    unlisted.pop_back();
    FolderEntries found = entries_of(below);
    files_of[below] = std::move(found.files);
    for (const std::string& name : found.folders) {
      const std::string path = join_path(below, name);
      if (seen.insert(identity_of(path)).second) unlisted.push_back(path);
    }
  }
  std::vector<std::string> files;
  for (const auto& [below, names] : files_of) {
    for (const std::string& name : names) files.push_back(join_path(below, name));
  }
  return files;
}

}  // namespace octavo::files
