#include "files/member_list.hpp"

#include <algorithm>
#include <optional>

namespace octavo::files {
namespace {

/// The average memory of a set or map node in addition to its text: links, the string object, allocator overhead.
constexpr std::int64_t kNodeBytes = 96;

/// The parts of a name between slashes, without "." and empty ones. Nothing if a part is hidden, is "..", or is the
/// folder in which macOS keeps file metadata.
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

}  // namespace

void MemberList::insert(std::set<std::string>& names, const std::string& name) {
  // Most archives list names in order.
  const std::size_t before = names.size();
  names.insert(names.end(), name);
  if (names.size() != before) held_bytes_ += kNodeBytes + std::ssize(name);
}

MemberList::Folder& MemberList::folder(const std::string& path) {
  const auto [found, is_new] = folders_.try_emplace(path);
  if (is_new) held_bytes_ += kNodeBytes + std::ssize(path);
  return found->second;
}

bool MemberList::add(const std::string& name, Member member) {
  const auto parts = parts_of(name);
  if (!parts) return false;
  std::string path;
  for (std::size_t i = 0; i + 1 < parts->size(); ++i) {
    insert(folder(path).folders, (*parts)[i]);
    path = join_path(path, (*parts)[i]);
  }
  insert(folder(path).files, parts->back());
  path = join_path(path, parts->back());
  const auto [found, is_new] = members_.insert_or_assign(path, member);
  if (is_new) held_bytes_ += kNodeBytes + std::ssize(path);
  return true;
}

const Member* MemberList::find(const std::string& path) const {
  const auto found = members_.find(path);
  return found == members_.end() ? nullptr : &found->second;
}

FolderEntries MemberList::entries(const std::string& folder) const {
  const auto found = folders_.find(folder);
  if (found == folders_.end()) return {};
  const auto& [folders, files] = found->second;
  return {{folders.begin(), folders.end()}, {files.begin(), files.end()}};
}

std::vector<std::string> MemberList::files_below(const std::string& folder) const {
  std::vector<std::string> files;
  const std::string prefix = folder.empty() ? "" : folder + "/";
  const auto add_files = [&](const std::string& path, const Folder& found) {
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
