// Several trees as folders of one tree.
#include <algorithm>
#include <map>

#include <octavo/errors.hpp>

#include "files/file_tree.hpp"
#include "support/file.hpp"

namespace octavo::files {
namespace {

namespace fs = std::filesystem;

// The bits of the reading rank for files; the rest of the 63 bits numbers the trees.
constexpr int kRankBits = 40;

class UnitedTree final : public FileTree {
 public:
  explicit UnitedTree(std::vector<std::shared_ptr<const FileTree>> trees)
      : FileTree(trees.at(0)->root()), trees_(std::move(trees)) {
    for (std::size_t i = 0; i < trees_.size(); ++i) {
      const std::string name = trees_[i]->root().filename().string();
      if (!numbers_.emplace(name, i).second) {
        throw DataError("read " + quoted(trees_[i]->root()) + ": another archive has the same name; rename it");
      }
    }
  }

  std::vector<fs::path> roots() const override {
    std::vector<fs::path> all;
    for (const auto& tree : trees_) all.push_back(tree->root());
    return all;
  }
  std::vector<DamagedArchive> damaged() const override {
    std::vector<DamagedArchive> all;
    for (const auto& tree : trees_) {
      for (DamagedArchive& archive : tree->damaged()) all.push_back(std::move(archive));
    }
    return all;
  }
  std::vector<std::string> remarks() const override {
    std::vector<std::string> all;
    for (const auto& tree : trees_) {
      for (std::string& remark : tree->remarks()) all.push_back(std::move(remark));
    }
    return all;
  }
  std::string name_of(const std::string& path) const override {
    if (path.empty()) return quoted(root());
    const auto [number, below] = split(path);
    return trees_[number]->name_of(below);
  }
  FolderEntries entries(const std::string& folder) const override;
  std::vector<std::string> files_below(const std::string& folder) const override;
  std::string folder_identity(const std::string& folder) const override {
    if (folder.empty()) return folder;
    const auto [number, below] = split(folder);
    return std::to_string(number) + "/" + trees_[number]->folder_identity(below);
  }
  bool has_file(const std::string& path) const override {
    if (path.find('/') == std::string::npos) return false;
    const auto [number, below] = split(path);
    return trees_[number]->has_file(below);
  }
  std::unique_ptr<ByteStream> open(const std::string& path) const override {
    const auto [number, below] = split(path);
    return trees_[number]->open(below);
  }
  std::string read_whole(const std::string& path, std::int64_t largest) const override {
    const auto [number, below] = split(path);
    return trees_[number]->read_whole(below, largest);
  }
  std::int64_t reading_rank(const std::string& path) const override {
    const auto [number, below] = split(path);
    return (static_cast<std::int64_t>(number) << kRankBits) + trees_[number]->reading_rank(below);
  }
  std::optional<fs::path> disk_path(const std::string& path) const override {
    if (path.empty()) return std::nullopt;
    const auto [number, below] = split(path);
    return trees_[number]->disk_path(below);
  }

 private:
  /// The tree that holds `path`, and the path relative to its root.
  std::pair<std::size_t, std::string> split(const std::string& path) const {
    const std::size_t end = std::min(path.find('/'), path.size());
    const auto found = numbers_.find(path.substr(0, end));
    if (found == numbers_.end()) throw InvalidArgument("read " + quoted(fs::path(path)) + ": there is no such archive");
    return {found->second, end == path.size() ? "" : path.substr(end + 1)};
  }

  std::vector<std::shared_ptr<const FileTree>> trees_;
  std::map<std::string, std::size_t> numbers_;
};

FolderEntries UnitedTree::entries(const std::string& folder) const {
  if (!folder.empty()) {
    const auto [number, below] = split(folder);
    return trees_[number]->entries(below);
  }
  FolderEntries roots;
  for (const auto& [name, number] : numbers_) roots.folders.push_back(name);
  return roots;
}

std::vector<std::string> UnitedTree::files_below(const std::string& folder) const {
  if (!folder.empty()) {
    const auto [number, below] = split(folder);
    return trees_[number]->files_below(below);
  }
  std::vector<std::string> files;
  for (const auto& [name, number] : numbers_) {
    for (const std::string& path : trees_[number]->files_below("")) files.push_back(join_path(name, path));
  }
  return files;
}

}  // namespace

std::shared_ptr<const FileTree> unite(std::vector<std::shared_ptr<const FileTree>> trees) {
  if (trees.size() == 1) return trees[0];
  return std::make_shared<UnitedTree>(std::move(trees));
}

}  // namespace octavo::files
