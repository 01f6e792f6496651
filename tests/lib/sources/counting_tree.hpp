// A file tree that counts how often it is asked.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "files/file_tree.hpp"

namespace octavo::test {

/// Answers as `tree` does. Not thread-safe.
class CountingTree : public files::FileTree {
 public:
  explicit CountingTree(std::shared_ptr<const files::FileTree> tree) : FileTree(tree->root()), tree_(std::move(tree)) {}

  mutable std::int64_t walk_count = 0, has_file_count = 0;

  std::string name_of(const std::string& path) const override { return tree_->name_of(path); }
  files::FolderEntries entries(const std::string& folder) const override { return tree_->entries(folder); }
  std::vector<std::string> files_below(const std::string& folder) const override {
    ++walk_count;
    return tree_->files_below(folder);
  }
  bool has_file(const std::string& path) const override {
    ++has_file_count;
    return tree_->has_file(path);
  }
  std::unique_ptr<files::ByteStream> open(const std::string& path) const override { return tree_->open(path); }
  std::string read_whole(const std::string& path, std::int64_t largest) const override {
    return tree_->read_whole(path, largest);
  }
  std::int64_t reading_rank(const std::string& path) const override { return tree_->reading_rank(path); }
  std::optional<std::filesystem::path> disk_path(const std::string& path) const override {
    return tree_->disk_path(path);
  }

 private:
  std::shared_ptr<const files::FileTree> tree_;
};

}  // namespace octavo::test
