#include "pack/folder_walk.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "support/file.hpp"

namespace octavo::sources {
namespace {

namespace fs = std::filesystem;

/// What tells one folder from another, whichever links lead to it.
using FolderIdentity = std::pair<dev_t, ino_t>;

FolderIdentity identity_of(const fs::path& folder) {
  struct stat status {};
  if (::stat(folder.c_str(), &status) != 0) throw_io_error("look at", folder, errno);
  return {status.st_dev, status.st_ino};
}

std::string joined(const std::string& folder, const std::string& name) {
  return folder.empty() ? name : folder + "/" + name;
}

}  // namespace

FolderEntries list_entries(const fs::path& folder) {
  FolderEntries entries;
  std::error_code error;
  fs::directory_iterator entry(folder, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with('.')) continue;
    std::error_code ignored;
    (entry->is_directory(ignored) ? entries.folders : entries.files).push_back(name);
  }
  if (error) throw_io_error("list the folder", folder, error.value());
  std::sort(entries.folders.begin(), entries.folders.end());
  std::sort(entries.files.begin(), entries.files.end());
  return entries;
}

bool has_image_name(const std::string& name) {
  std::string extension = fs::path(name).extension().string();
  for (char& c : extension) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return std::ranges::find(kImageExtensions, extension) != kImageExtensions.end();
}

std::vector<std::string> list_files_below(const fs::path& folder) {
  std::set<FolderIdentity> seen = {identity_of(folder)};
  std::map<std::string, std::vector<std::string>> files_of;
  std::vector<std::string> unlisted = {""};
  while (!unlisted.empty()) {
    const std::string below = unlisted.back();
    unlisted.pop_back();
    FolderEntries entries = list_entries(folder / below);
    files_of[below] = std::move(entries.files);
    // Backwards, because the last one put here is listed next.
    for (auto name = entries.folders.rbegin(); name != entries.folders.rend(); ++name) {
      const std::string path = joined(below, *name);
      if (seen.insert(identity_of(folder / path)).second) unlisted.push_back(path);
    }
  }
  std::vector<std::string> files;
  for (const auto& [below, names] : files_of) {
    for (const std::string& name : names) files.push_back(joined(below, name));
  }
  return files;
}

}  // namespace octavo::sources
