#include "files/archives/member_list.hpp"

#include <algorithm>

#include <octavo/errors.hpp>

#include "files/folder_walk.hpp"
#include "files/skipped_names.hpp"

namespace octavo::files {
namespace {

/// The average memory of a set or map node in addition to its text: links, the string object, allocator overhead.
constexpr std::int64_t kNodeBytes = 96;
// The limits of Linux: for the links that one path leads through, and for its length.
constexpr int kMostLinksOfPath = 40;
constexpr std::size_t kLongestPath = 4096;
// Following links: the parts of all paths together, a small number always, and more for every entry. A link rarely has
// ten parts.
constexpr std::int64_t kAlwaysFollowed = std::int64_t{1} << 22;
constexpr std::int64_t kFollowedPerEntry = 128;
// Through links to folders, a few entries can list all files any number of times. A dataset is listed about ten times
// before it is packed.
constexpr std::int64_t kAlwaysListedBytes = std::int64_t{64} << 20;
constexpr std::int64_t kListedRatio = 32;

/// The parts of a name between slashes, without "." and empty ones. Nothing if a part is "..", or there is none.
std::optional<std::vector<std::string>> parts_of(const std::string& name) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= name.size();) {
    const std::size_t end = std::min(name.find('/', begin), name.size());
    std::string part = name.substr(begin, end - begin);
    begin = end + 1;
    if (part.empty() || part == ".") continue;
    if (part == "..") return std::nullopt;
    parts.push_back(std::move(part));
  }
  if (parts.empty()) return std::nullopt;
  return parts;
}

/// "a/b" and "c" of "a/b/c".
struct PlaceInFolder {
  std::string folder, name;
};

PlaceInFolder place_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return {"", path};
  return {path.substr(0, slash), path.substr(slash + 1)};
}

/// Cuts the first part off a path; empty between two slashes.
std::string_view next_part(std::string_view& path) {
  const std::size_t end = std::min(path.find('/'), path.size());
  const std::string_view part = path.substr(0, end);
  path.remove_prefix(std::min(end + 1, path.size()));
  return part;
}

bool is_visible(std::string_view path) {
  while (!path.empty()) {
    if (is_skipped_name(next_part(path))) return false;
  }
  return true;
}

}  // namespace

// ---- Adding entries --------------------------------------------------------------

void MemberList::insert(std::set<std::string>& names, const std::string& name) {
  if (is_skipped_name(name)) return;
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

/// The folder that the parts of a name lead to, through links, made as needed. A link that leads to no folder is
/// replaced by one, so that what is in it is not lost.
std::string MemberList::enter_folders(const std::vector<std::string>& parts) {
  std::string path;
  for (const std::string& part : parts) {
    std::string below = join_path(path, part);
    if (symlinks_.contains(below)) {
      const auto real = follow(path, part);
      if (real && !members_.contains(*real)) {
        below = *real;
      } else {
        symlinks_.erase(below);
      }
    }
    if (!folders_.contains(below)) {
      const PlaceInFolder place = place_of(below);
      insert(folder(place.folder).folders, place.name);
      folder(below);
    }
    path = std::move(below);
  }
  return path;
}

/// Counts a file or link whose path a new one gets.
void MemberList::count_replaced(const std::string& path) {
  const bool is_there = members_.contains(path) || symlinks_.contains(path) || late_hard_links_.contains(path);
  if (is_there && is_visible(path) && ++replaced_entries_.count == 1) replaced_entries_.first = path;
}

/// Removes a file or link, not a folder.
void MemberList::remove(const std::string& path) {
  count_replaced(path);
  symlinks_.erase(path);
  late_hard_links_.erase(path);
  if (members_.erase(path) == 0) return;
  const PlaceInFolder place = place_of(path);
  folder(place.folder).files.erase(place.name);
}

void MemberList::put(const std::string& path, Member member) {
  count_replaced(path);
  symlinks_.erase(path);
  late_hard_links_.erase(path);
  const PlaceInFolder place = place_of(path);
  insert(folder(place.folder).files, place.name);
  const auto [found, is_new] = members_.insert_or_assign(path, member);
  if (is_new) held_bytes_ += kNodeBytes + std::ssize(path);
}

void MemberList::put(const std::string& path, const Symlink& link) {
  // As in unpacking, a folder is not replaced by a link.
  if (link.target.size() > kLongestPath || folders_.contains(path)) return lose(path, link.target);
  remove(path);
  symlinks_.insert_or_assign(path, link);
  held_bytes_ += kNodeBytes + std::ssize(path) + std::ssize(link.target);
}

bool MemberList::add(const std::string& name, Member member) {
  auto parts = parts_of(name);
  if (!parts) return false;
  steps_left_ += kFollowedPerEntry;
  const std::string last = std::move(parts->back());
  parts->pop_back();
  put(join_path(enter_folders(*parts), last), member);
  return true;
}

void MemberList::add_folder(const std::string& name) {
  auto parts = parts_of(name);
  if (!parts) return;
  steps_left_ += kFollowedPerEntry;
  const std::string last = std::move(parts->back());
  parts->pop_back();
  const std::string path = join_path(enter_folders(*parts), last);
  // A folder replaces a link, unlike a folder that only a file's path implies.
  symlinks_.erase(path);
  enter_folders(*parts_of(path));
}

void MemberList::add_symlink(const std::string& name, const std::string& target) {
  auto parts = parts_of(name);
  if (!parts) return;
  steps_left_ += kFollowedPerEntry;
  const std::string last = std::move(parts->back());
  parts->pop_back();
  put(join_path(enter_folders(*parts), last), Symlink{target, std::nullopt});
}

void MemberList::add_hard_link(const std::string& name, const std::string& target) {
  auto parts = parts_of(name);
  if (!parts) return;
  steps_left_ += kFollowedPerEntry;
  const std::string last = std::move(parts->back());
  parts->pop_back();
  const std::string path = join_path(enter_folders(*parts), last);
  const auto target_parts = parts_of(target);
  if (!target_parts || target.size() > kLongestPath) return lose(path, target);
  std::string real_target;
  for (const std::string& part : *target_parts) real_target = join_path(real_target, part);
  if (put_same(path, real_target)) return;
  remove(path);
  held_bytes_ += kNodeBytes + std::ssize(path) + std::ssize(target) + std::ssize(real_target);
  late_hard_links_[path] = {target, std::move(real_target)};
}

/// Gives the file or link at `target`, a path from the root, another name; false if there is none.
bool MemberList::put_same(const std::string& path, const std::string& target) {
  const PlaceInFolder place = place_of(target);
  const auto target_folder = follow("", place.folder);
  if (!target_folder) return false;
  const std::string real = join_path(*target_folder, place.name);
  if (const auto link = symlinks_.find(real); link != symlinks_.end()) {
    if (real != path) put(path, Symlink(link->second));
    return true;
  }
  const auto found = members_.find(real);
  if (found == members_.end()) return false;
  shared_.insert(found->second.number);
  if (real != path) put(path, Member(found->second));
  return true;
}

void MemberList::lose(const std::string& path, const std::string& target) {
  if (!is_visible(path)) return;
  if (++lost_links_.count == 1) lost_links_.first = path + " -> " + target;
}

// ---- Following links -------------------------------------------------------------

/// Where `path`, relative to `folder`, leads through links, whether or not anything is there. Nothing if a part of it
/// on the way is not a folder, if it leads outside the archive, or through too many links, as in a loop.
std::optional<std::string> MemberList::follow(std::string folder, std::string_view path) {
  std::string at = std::move(folder);
  std::vector<std::string_view> left = {path};  // the rest of the path, and of the targets of links in it
  int link_count = 0;
  while (!left.empty()) {
    if (left.back().empty()) {
      left.pop_back();
      continue;
    }
    if (--steps_left_ < -kAlwaysFollowed) {
      throw FormatError("following its links takes too long; unpack it yourself if you trust it");
    }
    const std::string_view part = next_part(left.back());
    if (part.empty() || part == ".") continue;
    if (!folders_.contains(at)) return std::nullopt;
    if (part == "..") {
      if (at.empty()) return std::nullopt;
      at = place_of(at).folder;
      continue;
    }
    std::string next = join_path(at, std::string(part));
    const auto link = symlinks_.find(next);
    if (link == symlinks_.end()) {
      at = std::move(next);
    } else if (++link_count > kMostLinksOfPath || link->second.target.starts_with('/')) {
      return std::nullopt;
    } else {
      left.emplace_back(link->second.target);
    }
  }
  return at;
}

void MemberList::resolve_hard_links() {
  const std::map<std::string, LateHardLink> late = std::move(late_hard_links_);
  late_hard_links_.clear();
  for (const auto& [path, link] : late) {
    const std::string* last = &link.path;
    for (int i = 0; i < kMostLinksOfPath; ++i) {
      const auto next = late.find(*last);
      if (next == late.end()) break;
      last = &next->second.path;
    }
    if (!put_same(path, *last)) lose(path, link.target);
  }
}

void MemberList::show_symlink(const std::string& path, Symlink& link) {
  const PlaceInFolder place = place_of(path);
  auto real = follow(place.folder, place.name);
  const bool is_folder = real && folders_.contains(*real);
  const auto member = real ? members_.find(*real) : members_.end();
  if (!is_folder && member == members_.end()) return lose(path, link.target);
  insert(is_folder ? folder(place.folder).folders : folder(place.folder).files, place.name);
  if (!is_folder) shared_.insert(member->second.number);
  has_folder_links_ = has_folder_links_ || is_folder;
  held_bytes_ += std::ssize(*real);
  link.real = std::move(real);
}

void MemberList::resolve_links() {
  resolve_hard_links();
  for (auto& [path, link] : symlinks_) show_symlink(path, link);
  most_listed_bytes_ = kAlwaysListedBytes + kListedRatio * held_bytes_;
}

// ---- Listing ---------------------------------------------------------------------

std::optional<std::string> MemberList::real_path(const std::string& path) const {
  if (symlinks_.empty()) return path;
  std::string real;
  for (std::string_view left = path; !left.empty();) {
    real = join_path(real, std::string(next_part(left)));
    const auto link = symlinks_.find(real);
    if (link == symlinks_.end()) continue;
    if (!link->second.real) return std::nullopt;
    real = *link->second.real;
  }
  return real;
}

const Member* MemberList::find(const std::string& path) const {
  auto found = members_.find(path);
  if (found == members_.end()) {
    if (const auto real = real_path(path)) found = members_.find(*real);
  }
  return found == members_.end() ? nullptr : &found->second;
}

FolderEntries MemberList::entries(const std::string& folder) const {
  const auto real = real_path(folder);
  const auto found = real ? folders_.find(*real) : folders_.end();
  if (found == folders_.end()) return {};
  const auto& [folders, files] = found->second;
  return {{folders.begin(), folders.end()}, {files.begin(), files.end()}};
}

/// Accounts for one folder of a list, in which links may show it again and again.
void MemberList::charge_listing(const std::string& path, const FolderEntries& found) const {
  if (!has_folder_links_) return;
  if (path.size() > kLongestPath) {
    throw FormatError("a path through its links has more than " + std::to_string(kLongestPath) + " bytes");
  }
  std::int64_t bytes = 0;
  for (const auto* names : {&found.folders, &found.files}) {
    for (const std::string& name : *names) bytes += kNodeBytes + std::ssize(path) + std::ssize(name);
  }
  if ((*listed_bytes_ += bytes) > most_listed_bytes_) {
    throw FormatError("its links show the same files too many times; unpack it yourself if you trust it");
  }
}

std::vector<std::string> MemberList::files_below(const std::string& folder) const {
  return files_of_each_folder_once(
      [&](const std::string& path) {
        FolderEntries found = entries(join_path(folder, path));
        charge_listing(path, found);
        return found;
      },
      [&](const std::string& path) { return real_path(join_path(folder, path)); });
}

}  // namespace octavo::files
