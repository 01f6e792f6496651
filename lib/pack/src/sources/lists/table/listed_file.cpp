#include "sources/lists/table/listed_file.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include <octavo/errors.hpp>
#include <octavo/text.hpp>

#include "images/image_codec.hpp"
#include "support/text/ascii.hpp"
#include "support/text/utf8.hpp"

namespace octavo::sources {
namespace {

namespace fs = std::filesystem;

constexpr std::array<const char*, 7> kEndings = {"", ".jpg", ".png", ".jpeg", ".tif", ".webp", ".bmp"};
constexpr std::size_t kMostShownBytes = 255;
// Of the images with one name: more are not told apart.
constexpr std::size_t kMostFound = 2;

/// The text of a path with the separators of the system.
std::string with_slashes(std::string named) {
  std::ranges::replace(named, '\\', '/');
  return named;
}

bool has_parent_step(const fs::path& path) { return std::find(path.begin(), path.end(), "..") != path.end(); }

/// Relative to the folder of the list; nothing if the path is empty or leads out of it.
std::optional<fs::path> path_in_folder(const files::FileTree& tree, const fs::path& list, const std::string& named) {
  fs::path path(named);
  if (const auto whole = tree.disk_path(list.string()); whole && path.is_absolute()) {
    path = path.lexically_normal().lexically_relative(fs::absolute(*whole).lexically_normal().parent_path());
  }
  const bool leads_out = path.is_absolute() || has_parent_step(path);
  const bool is_cut = named.find('\0') != std::string::npos;  // the system would truncate the name
  if (path.empty() || leads_out || is_cut) return std::nullopt;
  return path.lexically_normal();
}

/// The folder of the list, with all folders above it that are known: on disk, an absolute path.
fs::path whole_folder_of(const files::FileTree& tree, const fs::path& list) {
  const auto whole = tree.disk_path(list.string());
  return (whole ? fs::absolute(*whole).lexically_normal() : list).parent_path();
}

/// Without the folders at the start of `named` that lead to the folder of the list from above; nothing if it does not
/// start so. "a/b/1.png" in the folder /x/a/b is "1.png".
std::optional<std::string> path_from_above(const fs::path& folder, const fs::path& named) {
  const std::vector<fs::path> above(folder.begin(), folder.end()), parts(named.begin(), named.end());
  for (std::size_t count = 1; count < parts.size() && count <= above.size(); ++count) {
    const auto begin = parts.begin(), end = begin + static_cast<std::ptrdiff_t>(count);
    if (!std::equal(begin, end, above.end() - static_cast<std::ptrdiff_t>(count))) continue;
    fs::path rest;
    std::for_each(end, parts.end(), [&](const fs::path& part) { rest /= part; });
    return rest.string();
  }
  return std::nullopt;
}

/// Whether a path starts with a drive of Windows, as in "C:/data".
bool has_drive(const std::string& named) { return named.size() > 2 && named[1] == ':' && named[2] == '/'; }

/// The deepest folder that holds both absolute paths.
fs::path common_folder(const fs::path& a, const fs::path& b) {
  fs::path common;
  for (auto i = a.begin(), j = b.begin(); i != a.end() && j != b.end() && *i == *j; ++i, ++j) common /= *i;
  return common;
}

/// The folders that may hold the files of a list, relative to its own.
std::array<std::string, 4> folders_of(const fs::path& list, const ListedKind& kind) {
  const std::string stem = list.stem().string();
  return {"", kind.usual_folder, stem, stem + "_" + kind.usual_folder};
}

std::string shown(const std::string& named) { return "\"" + printable(cut_utf8(named, kMostShownBytes)) + "\""; }

/// The folder below which `file` has the path `named`, which may lack the extension of an image; nothing if it has
/// another path. Both are relative, and compared as they are.
std::optional<std::string> folder_of(const std::string& file, const std::string& named) {
  std::string_view start = file;
  if (start.ends_with(named)) {
    start.remove_suffix(named.size());
  } else {
    start = without_image_extension(file);
    if (!start.ends_with(named)) return std::nullopt;
    start.remove_suffix(named.size());
  }
  if (start.empty()) return "";
  if (start.back() != '/') return std::nullopt;
  return std::string(start.substr(0, start.size() - 1));
}

}  // namespace

std::optional<ListedFile> ListedFiles::find(const std::string& named) const {
  // First the file itself, since many missing files would be looked for otherwise.
  if (auto found = find_exactly(named)) return ListedFile{std::move(*found)};
  if (auto found = find_from_above(named, true)) return found;
  if (auto found = find_in_usual_folders(named)) return ListedFile{std::move(*found)};
  const std::string_view other = trimmed(named);
  if (other.size() != named.size()) return find(std::string(other));
  if (named.find('\\') != std::string::npos) {
    if (auto found = find_in_usual_folders(with_slashes(named))) return ListedFile{std::move(*found)};
  }
  if (auto found = find_from_above(with_slashes(named), false)) return found;
  std::vector<ListedFile> found = similar(named, searches_everywhere_);
  if (found.size() != 1) return std::nullopt;
  return std::move(found[0]);
}

/// Relative to the folder of the images; nothing if the path is empty or leads out of it.
std::optional<fs::path> ListedFiles::path_below(const std::string& named) const {
  const bool begins_at_list = own_folder_ && has_parent_step(named);
  return path_in_folder(tree_, list_, begins_at_list ? (*own_folder_ / named).string() : named);
}

/// An image with this path and extension.
std::optional<std::string> ListedFiles::find_exactly(const std::string& named) const {
  const auto path = path_below(named);
  if (!path) return std::nullopt;
  std::string at = files::join_path(fs::path(list_).parent_path().string(), path->string());
  if (!images::has_image_name(at) || !tree_.has_file(at)) return std::nullopt;
  return at;
}

std::optional<ListedFile> ListedFiles::find_from_above(const std::string& named, bool exactly) const {
  const auto path = path_from_above(whole_folder_of(tree_, list_), named);
  if (!path) return std::nullopt;
  auto found = exactly ? find_exactly(*path) : find_in_usual_folders(*path);
  if (!found) return std::nullopt;
  return ListedFile{.path = std::move(*found), .is_from_above = true};
}

std::optional<std::string> ListedFiles::find_in_usual_folders(const std::string& named) const {
  const auto path = path_below(named);
  if (!path) return std::nullopt;
  const std::string own_folder = fs::path(list_).parent_path().string();
  const auto place = [&](const std::string& folder, const char* ending) {
    return files::join_path(own_folder, files::join_path(folder, path->string() + ending));
  };
  for (const std::string& folder : folders_of(list_, kind_)) {
    for (const char* const ending : kEndings) {
      const std::string at = place(folder, ending);
      if (images::has_image_name(at) && tree_.has_file(at)) return at;
    }
  }
  for (const std::string& folder : folders_of(list_, kind_)) {
    if (const std::string at = place(folder, ""); tree_.has_file(at)) return at;
  }
  return std::nullopt;
}

/// The first two images with this name in the usual folders or, if `everywhere`, in any folder below that of the list.
/// If none has exactly this name, those whose names differ in case.
std::vector<ListedFile> ListedFiles::similar(const std::string& named, bool everywhere) const {
  const auto path = path_below(with_slashes(std::string(trimmed(named))));
  if (!path) return {};
  if (!everywhere) return search(path->string(), false);
  const auto [found, is_new] = found_everywhere_.try_emplace(path->string());
  if (is_new) found->second = search(path->string(), true);
  return found->second;
}

/// The images that similar() finds for a path as path_below() returns it.
std::vector<ListedFile> ListedFiles::search(const std::string& path, bool everywhere) const {
  const auto usual = folders_of(list_, kind_);
  const std::string stem(without_image_extension(path)), own_folder = fs::path(list_).parent_path().string();
  std::vector<std::size_t> places;
  if (everywhere) {
    places = images().ending_with(stem);
  } else {
    for (const std::string& folder : usual) {
      for (const std::size_t place : images().with_path(files::join_path(folder, stem))) places.push_back(place);
    }
    std::ranges::sort(places);
    places.erase(std::unique(places.begin(), places.end()), places.end());
  }
  std::vector<ListedFile> exact, in_other_case;
  for (const std::size_t place : places) {
    const std::string& file = images().paths()[place];
    const auto exact_folder = folder_of(file, path);
    // The folders keep their case: only the end, which is the name, is compared in lower case.
    const auto folder = exact_folder ? exact_folder : folder_of(lower_case(file), lower_case(path));
    if (!folder) continue;
    const bool is_elsewhere = std::ranges::find(usual, file.substr(0, folder->size())) == usual.end();
    if (is_elsewhere && !everywhere) continue;
    const std::string at = files::join_path(own_folder, file);
    if (!tree_.has_file(at)) continue;  // a link that leads nowhere
    std::vector<ListedFile>& found = exact_folder ? exact : in_other_case;
    if (found.size() < kMostFound) found.push_back({at, is_elsewhere, !exact_folder.has_value()});
    if (exact.size() == kMostFound) break;
  }
  return exact.empty() ? in_other_case : exact;
}

const FolderImages& ListedFiles::images() const {
  images_->list(tree_, fs::path(list_).parent_path().string());
  return *images_;
}

std::string ListedFiles::folder() const { return tree_.name_of(fs::path(list_).parent_path().string()); }

/// Where files must be, for messages.
std::string ListedFiles::where() const {
  return own_folder_ ? "the folder " + folder() + " of `image_root`" : "the list's folder " + folder();
}

/// Why a path that leads out of the list's folder is not read, and what to do; nothing if it does not lead out.
std::optional<std::string> ListedFiles::why_outside(const std::string& named) const {
  const std::string slashed = with_slashes(std::string(trimmed(named)));
  const bool is_cut = named.find('\0') != std::string::npos;
  if (is_cut || (path_below(slashed) && !has_drive(slashed))) return std::nullopt;
  return "the " + std::string(kind_.noun) + " " + shown(named) + " is outside " + where() + "; " +
         way_to_reach(slashed);
}

/// What to do about a file in another folder; `common` holds it and the list.
std::string ListedFiles::way_to_file(const fs::path& file, const fs::path& common) const {
  const bool can_move = common.has_relative_path() && !own_folder_;
  const std::string root = (common.has_relative_path() ? common : file.parent_path()).string();
  std::string option =
      "name the folder of all " + std::string(kind_.noun) + "s with `image_root`, such as " + shown(root);
  if (!can_move) return option;
  return "move the list to " + shown(root) + ", and write paths from there on, such as " +
         shown(file.lexically_relative(common).string()) + ", or " + option;
}

/// What to do about a path that leads out of the list's folder.
std::string ListedFiles::way_to_reach(const std::string& named) const {
  const fs::path own = own_folder_.value_or(whole_folder_of(tree_, list_)), file = (own / named).lexically_normal();
  const fs::path common = common_folder(own, file);
  std::error_code ignored;
  if (tree_.disk_path(list_) && fs::is_regular_file(file, ignored)) return way_to_file(file, common);
  const std::vector<ListedFile> inside = similar(fs::path(named).filename().string(), true);
  if (inside.size() == 1) return "write the paths from that folder on, such as " + shown(inside[0].path);
  if (own_folder_) return "correct the path, or name a folder that holds all with `image_root`";
  return "move the list next to the " + std::string(kind_.noun) +
         "s, and write paths from there on, or name their folder with `image_root`";
}

std::string ListedFiles::why_not_found(const std::string& named) const {
  const std::string noun = kind_.noun;
  if (trimmed(named).empty()) return "the path of its " + noun + " is empty";
  if (auto reason = why_outside(named)) return std::move(*reason);
  const std::vector<ListedFile> files = similar(named, true);
  if (files.size() > 1 && searches_everywhere_) {
    return "the " + noun + " " + shown(named) + " could be " + shown(files[0].path) + " or " + shown(files[1].path) +
           "; write their folders in the list, or copy the list into the folder of its " + noun + "s";
  }
  const std::string problem = "the " + noun + " " + shown(named) + " does not exist below " + where() +
                              (own_folder_ ? "" : " (" + noun + "s elsewhere are not allowed)");
  if (!files.empty()) return problem + "; there is " + shown(files[0].path);
  if (images().paths().empty()) {
    return problem + "; it holds no image, so " + (own_folder_ ? "" : "move the list next to the images, or ") +
           "name the folder of the images with `image_root`";
  }
  return problem + "; there are others, such as " + shown(images().paths()[0]);
}

}  // namespace octavo::sources
