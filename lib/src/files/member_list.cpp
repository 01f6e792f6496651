#include "files/member_list.hpp"

#include <algorithm>
#include <optional>

namespace octavo::files {
namespace {

/// The parts of a name between slashes, without "." and empty ones; nothing if one is hidden or leads upwards, or is of
/// the folder in which macOS keeps what belongs to files.
std::optional<std::vector<std::string>> parts_of(const std::string& name) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= name.size();) {
    const std::size_t end = std::min(name.find('/', begin), name.size());
    std::string part = name.substr(begin, end - begin);
    begin = end + 1;
    if (part.empty() || part == ".") continue;
    if (part.starts_with('.') || part == "__MACOSX") return std::nullopt;
    parts.push_back(std::move(part));
  }
  if (parts.empty()) return std::nullopt;
  return parts;
}

void insert_sorted(std::vector<std::string>& names, const std::string& name) {
  // Archives mostly list names in order.
  if (names.empty() || names.back() < name) return names.push_back(name);
  const auto at = std::lower_bound(names.begin(), names.end(), name);
  if (at == names.end() || *at != name) names.insert(at, name);
}

}  // namespace

bool MemberList::add(std::string name, Member member) {
  const auto parts = parts_of(name);
  if (!parts) return false;
  std::string folder;
  for (std::size_t i = 0; i + 1 < parts->size(); ++i) {
    insert_sorted(folders_[folder].folders, (*parts)[i]);
    folder = join_path(folder, (*parts)[i]);
  }
  insert_sorted(folders_[folder].files, parts->back());
  members_[join_path(folder, parts->back())] = member;
  return true;
}

const Member* MemberList::find(const std::string& path) const {
  const auto found = members_.find(path);
  return found == members_.end() ? nullptr : &found->second;
}

FolderEntries MemberList::entries(const std::string& folder) const {
  const auto found = folders_.find(folder);
  return found == folders_.end() ? FolderEntries{} : found->second;
}

std::vector<std::string> MemberList::files_below(const std::string& folder) const {
  std::vector<std::string> files;
  const std::string prefix = folder.empty() ? "" : folder + "/";
  const auto add_files = [&](const std::string& path, const FolderEntries& found) {
    const std::string below = path.size() > prefix.size() ? path.substr(prefix.size()) : "";
    for (const std::string& name : found.files) files.push_back(join_path(below, name));
  };
  if (const auto itself = folders_.find(folder); itself != folders_.end()) add_files(folder, itself->second);
  for (auto at = folders_.upper_bound(prefix); at != folders_.end() && at->first.starts_with(prefix); ++at) {
    if (at->first != folder) add_files(at->first, at->second);
  }
  return files;
}

}  // namespace octavo::files
