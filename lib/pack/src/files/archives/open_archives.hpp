// Open archives: each is listed once, however often it is used.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>

#include "files/file_tree.hpp"

namespace octavo::files {

class OpenArchives {
 public:
  /// `largest_ratio`: the maximum contents of an archive, as a multiple of its own bytes.
  explicit OpenArchives(std::int64_t largest_ratio, OnDamage on_damage = OnDamage::refuse)
      : largest_ratio_(largest_ratio), on_damage_(on_damage) {}

  /// The archive, opened now if it is not open yet. Throws what open_archive() throws.
  std::shared_ptr<const FileTree> open(const std::filesystem::path& path) {
    std::shared_ptr<const FileTree>& tree = trees_[path];
    if (!tree) tree = open_archive(path, largest_ratio_, on_damage_);
    return tree;
  }

 private:
  const std::int64_t largest_ratio_;
  const OnDamage on_damage_;
  std::map<std::filesystem::path, std::shared_ptr<const FileTree>> trees_;
};

}  // namespace octavo::files
