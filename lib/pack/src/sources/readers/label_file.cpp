#include "sources/readers/label_file.hpp"

#include <filesystem>

#include "sources/lists/table/label_names.hpp"

namespace octavo::sources {
namespace {

/// The names of IDX files include the number of axes.
std::string with_one_axis(std::string name) {
  for (const char* const axes : {"idx3", "idx4"}) {
    if (const std::size_t at = name.rfind(axes); at != std::string::npos) name.replace(at, 4, "idx1");
  }
  return name;
}

}  // namespace

std::optional<std::string> label_file_of(const files::FileTree& tree, const std::string& images) {
  const std::filesystem::path path(images);
  std::string name = path.filename().string();
  if (name.ends_with(".gz")) name.resize(name.size() - 3);
  for (const std::string& labels : label_names_for(name)) {
    for (const char* const ending : {"", ".gz"}) {
      const std::string neighbor = files::join_path(path.parent_path().string(), with_one_axis(labels) + ending);
      if (tree.has_file(neighbor)) return neighbor;
    }
  }
  return std::nullopt;
}

}  // namespace octavo::sources
