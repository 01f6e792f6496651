// The files below a folder.
#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <mutex>
#include <utility>

#include "files/file_tree.hpp"
#include "files/folder_walk.hpp"
#include "files/skipped_names.hpp"
#include "support/file.hpp"
#include "support/unique_handle.hpp"

namespace octavo::files {
namespace {

namespace fs = std::filesystem;

/// Identifies a folder, whichever links lead to it.
using FolderIdentity = std::pair<dev_t, ino_t>;

FolderIdentity identity_of(const fs::path& folder) {
  struct stat status {};
  if (::stat(folder.c_str(), &status) != 0) throw_io_error("look at", folder, errno);
  return {status.st_dev, status.st_ino};
}

using FolderHandle = UniqueHandle<DIR*, nullptr, &::closedir>;

/// The next entry of an open folder; null if there is none.
const dirent* next_entry(DIR* folder, const fs::path& path) {
  errno = 0;
  const dirent* const entry = ::readdir(folder);
  if (entry == nullptr && errno != 0) throw_io_error("list the folder", path, errno);
  return entry;
}

/// Follows links. Some file systems do not report the type of an entry; it is then queried separately.
bool is_folder(DIR* folder, const dirent& entry) {
  if (entry.d_type != DT_LNK && entry.d_type != DT_UNKNOWN) return entry.d_type == DT_DIR;
  struct stat status {};
  return ::fstatat(::dirfd(folder), entry.d_name, &status, 0) == 0 && S_ISDIR(status.st_mode);
}

class DiskTree final : public FileTree {
 public:
  explicit DiskTree(const fs::path& folder) : FileTree(folder) {}

  std::string name_of(const std::string& path) const override { return quoted(at(path)); }
  FolderEntries entries(const std::string& folder) const override;
  std::vector<std::string> files_below(const std::string& folder) const override;
  std::string folder_identity(const std::string& folder) const override {
    const auto [device, inode] = identity_of(at(folder));
    return std::to_string(device) + ":" + std::to_string(inode);
  }
  bool has_file(const std::string& path) const override {
    std::error_code error;  // for names that are too long and links that form a loop
    const fs::file_status status = fs::status(at(path), error);
    return fs::exists(status) && !fs::is_directory(status);
  }
  std::unique_ptr<ByteStream> open(const std::string& path) const override { return open_stream(at(path)); }
  std::string read_whole(const std::string& path, std::int64_t largest) const override {
    return read_whole_file(at(path), largest);
  }
  std::int64_t reading_rank(const std::string&) const override { return 0; }
  std::optional<fs::path> disk_path(const std::string& path) const override { return at(path); }

 private:
  fs::path at(const std::string& path) const {
    const std::string folder = root().string();
    if (path.empty() && folder.empty()) return ".";
    if (path.empty() || folder.empty()) return folder + path;
    return folder + (folder.ends_with('/') ? "" : "/") + path;
  }
  FolderEntries list(const std::string& folder) const;

  /// Detection lists a folder repeatedly, and each link in it needs another query, so the entries are cached.
  static constexpr std::size_t kMostKept = 2;
  mutable std::mutex mutex_;
  mutable std::map<std::string, FolderEntries> kept_;
};

FolderEntries DiskTree::entries(const std::string& folder) const {
  const std::lock_guard lock(mutex_);
  const auto found = kept_.find(folder);
  if (found != kept_.end()) return found->second;
  if (kept_.size() == kMostKept) kept_.clear();
  FolderEntries entries = list(folder);
  kept_[folder] = entries;
  return entries;
}

FolderEntries DiskTree::list(const std::string& folder) const {
  FolderEntries entries;
  const fs::path path = at(folder);
  // Not std::filesystem: in GCC 12, its iterator and path's operator/ crash when out of memory.
  const FolderHandle handle(::opendir(path.c_str()));
  if (!handle) throw_io_error("list the folder", path, errno);
  while (const dirent* const entry = next_entry(handle.get(), path)) {
    const std::string name = entry->d_name;
    if (is_skipped_name(name)) continue;
    (is_folder(handle.get(), *entry) ? entries.folders : entries.files).push_back(name);
  }
  std::sort(entries.folders.begin(), entries.folders.end());
  std::sort(entries.files.begin(), entries.files.end());
  return entries;
}

std::vector<std::string> DiskTree::files_below(const std::string& folder) const {
  return files_of_each_folder_once([&](const std::string& path) { return list(join_path(folder, path)); },
                                   [&](const std::string& path) { return identity_of(at(join_path(folder, path))); });
}

}  // namespace

std::shared_ptr<const FileTree> open_folder(const fs::path& folder) { return std::make_shared<DiskTree>(folder); }

std::string join_path(const std::string& folder, const std::string& name) {
  if (folder.empty() || name.empty()) return folder + name;
  return folder + "/" + name;
}

}  // namespace octavo::files
