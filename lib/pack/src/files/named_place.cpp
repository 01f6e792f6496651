#include "files/named_place.hpp"

#include <octavo/errors.hpp>

#include "support/file.hpp"

namespace octavo::files {
namespace {

class NamedPlace final : public FileTree {
 public:
  explicit NamedPlace(const std::string& url) : FileTree(url) {}

  std::string name_of(const std::string&) const override { return quoted(root()); }
  FolderEntries entries(const std::string&) const override { return {}; }
  std::vector<std::string> files_below(const std::string&) const override { return {}; }
  bool has_file(const std::string&) const override { return false; }
  std::unique_ptr<ByteStream> open(const std::string& path) const override { refuse(path); }
  std::string read_whole(const std::string& path, std::int64_t) const override { refuse(path); }
  std::int64_t reading_rank(const std::string&) const override { return 0; }
  std::optional<std::filesystem::path> disk_path(const std::string&) const override { return std::nullopt; }

 private:
  [[noreturn]] void refuse(const std::string& path) const {
    throw IoError("read " + name_of(path) + ": only dataset files are read from a URL; download it first");
  }
};

}  // namespace

std::shared_ptr<const FileTree> named_place(const std::string& url) { return std::make_shared<const NamedPlace>(url); }

}  // namespace octavo::files
