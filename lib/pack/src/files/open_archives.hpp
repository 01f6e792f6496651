// Archives that are open: each is listed once, however often it is looked into.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>

#include "files/file_tree.hpp"

namespace octavo::files {

class OpenArchives {
 public:
  /// `largest_ratio`: how many times its own bytes an archive may hold.
  explicit OpenArchives(std::int64_t largest_ratio, OnDamage on_damage = OnDamage::refuse)
      : largest_ratio_(largest_ratio), on_damage_(on_damage) {}

  /// The archive, opened now if it is not yet; throws what open_archive() throws.
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
