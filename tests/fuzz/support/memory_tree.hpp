// A tree of files in memory, instead of a folder or an archive.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "files/archives/member_list.hpp"
#include "files/file_tree.hpp"
#include "octavo/errors.hpp"

namespace octavo::fuzz {

/// Treats names like those of an archive: leaves out hidden ones and those that lead to a parent folder.
class MemoryTree final : public files::FileTree {
 public:
  /// The root is an existing file, because callers ask for its length.
  explicit MemoryTree(const std::vector<std::pair<std::string, std::string>>& named) : FileTree("/proc/self/exe") {
    for (const auto& [name, text] : named) {
      const auto number = static_cast<std::int64_t>(texts_.size());
      if (members_.add(name, {number, std::ssize(text)})) texts_.push_back(text);
    }
  }

  std::string name_of(const std::string& path) const override { return "\"memory: " + path + "\""; }
  files::FolderEntries entries(const std::string& folder) const override { return members_.entries(folder); }
  std::vector<std::string> files_below(const std::string& folder) const override {
    return members_.files_below(folder);
  }
  bool has_file(const std::string& path) const override { return members_.find(path) != nullptr; }
  std::unique_ptr<files::ByteStream> open(const std::string& path) const override {
    return files::stream_in_memory(name_of(path), text(path));
  }
  std::string read_whole(const std::string& path, std::int64_t largest) const override {
    return open(path)->read_whole(largest);
  }
  std::int64_t reading_rank(const std::string& path) const override { return members_.find(path)->number; }
  std::optional<std::filesystem::path> disk_path(const std::string&) const override { return std::nullopt; }

 private:
  const std::string& text(const std::string& path) const {
    const files::Member* const member = members_.find(path);
    if (member == nullptr) throw InvalidArgument("read the tree in memory: no file " + path);
    return texts_[static_cast<std::size_t>(member->number)];
  }

  files::MemberList members_;
  std::vector<std::string> texts_;
};

}  // namespace octavo::fuzz
