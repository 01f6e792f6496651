#include "sources/lists/listed_file.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <vector>

#include <octavo/errors.hpp>
#include <octavo/text.hpp>

#include "images/image_codec.hpp"
#include "support/ascii.hpp"
#include "support/utf8.hpp"

namespace octavo::sources {
namespace {

namespace fs = std::filesystem;

constexpr std::array<const char*, 7> kEndings = {"", ".jpg", ".png", ".jpeg", ".tif", ".webp", ".bmp"};
constexpr std::size_t kMostShownBytes = 255;

/// The text of a path with the separators of the system.
std::string with_slashes(std::string named) {
  std::ranges::replace(named, '\\', '/');
  return named;
}

/// Relative to the folder of the list; nothing if the path is empty or leads out of it.
std::optional<fs::path> path_below(const files::FileTree& tree, const fs::path& list, const std::string& named) {
  fs::path path(named);
  if (const auto whole = tree.disk_path(list.string()); whole && path.is_absolute()) {
    path = path.lexically_normal().lexically_relative(fs::absolute(*whole).lexically_normal().parent_path());
  }
  const bool leads_out = path.is_absolute() || std::find(path.begin(), path.end(), "..") != path.end();
  const bool is_cut = named.find('\0') != std::string::npos;  // the system would truncate the name
  if (path.empty() || leads_out || is_cut) return std::nullopt;
  return path.lexically_normal();
}

/// The folders that may hold the files of a list, relative to its own.
std::array<std::string, 4> folders_of(const fs::path& list, const ListedKind& kind) {
  const std::string stem = list.stem().string();
  return {"", kind.usual_folder, stem, stem + "_" + kind.usual_folder};
}

std::optional<std::string> find_at(const files::FileTree& tree, const fs::path& list, const std::string& named,
                                   const ListedKind& kind) {
  const auto path = path_below(tree, list, named);
  if (!path) return std::nullopt;
  const auto place = [&](const std::string& folder, const char* ending) {
    return files::join_path(list.parent_path().string(), files::join_path(folder, path->string() + ending));
  };
  for (const std::string& folder : folders_of(list, kind)) {
    for (const char* const ending : kEndings) {
      const std::string at = place(folder, ending);
      if (images::has_image_name(at) && tree.has_file(at)) return at;
    }
  }
  for (const std::string& folder : folders_of(list, kind)) {
    if (const std::string at = place(folder, ""); tree.has_file(at)) return at;
  }
  return std::nullopt;
}

/// A file in the folder of `path` whose name differs from it only in case; empty if there is none.
std::string similar_to(const files::FileTree& tree, const fs::path& path) {
  const std::string name = lower_case(path.filename().string());
  std::vector<std::string> files;
  try {
    files = tree.entries(path.parent_path().string()).files;
  } catch (const IoError&) {  // there is no such folder
  }
  const auto found = std::ranges::find_if(files, [&](const std::string& file) { return lower_case(file) == name; });
  return found == files.end() ? "" : *found;
}

std::string shown(const std::string& named) { return "\"" + printable(cut_utf8(named, kMostShownBytes)) + "\""; }

}  // namespace

std::optional<std::string> find_listed(const files::FileTree& tree, const std::string& list, const std::string& named,
                                       const ListedKind& kind) {
  if (auto found = find_at(tree, list, named, kind)) return found;
  const std::string_view other = trimmed(named);
  if (other.size() != named.size()) return find_listed(tree, list, std::string(other), kind);
  if (named.find('\\') == std::string::npos) return std::nullopt;
  return find_at(tree, list, with_slashes(named), kind);
}

std::string why_not_found(const std::string& named, const ListedKind& kind) {
  const std::string noun = kind.noun;
  if (trimmed(named).empty()) return "the path of its " + noun + " is empty";
  return "the " + noun + " " + shown(named) + " does not exist below the list's folder (" + noun +
         "s elsewhere are not allowed)";
}

std::string similar_file(const files::FileTree& tree, const std::string& list, const std::string& named,
                         const ListedKind& kind) {
  const auto path = path_below(tree, list, with_slashes(std::string(trimmed(named))));
  if (!path) return "";
  const fs::path folder = fs::path(list).parent_path();
  for (const std::string& usual : folders_of(list, kind)) {
    const std::string found = similar_to(tree, folder / usual / *path);
    if (!found.empty()) return "; there is " + shown(found);
  }
  return "";
}

}  // namespace octavo::sources
