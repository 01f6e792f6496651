#include "dataset_file/rebuild/foreign_links.hpp"

#include <algorithm>
#include <vector>

#include <octavo/errors.hpp>
#include <octavo/text.hpp>

#include "hdf5/hdf5_reading.hpp"
#include "hdf5/session.hpp"

namespace octavo::dataset_file {
namespace {

namespace fs = std::filesystem;
using hdf5::check;
using hdf5::own;

constexpr int kMostLinksInARow = 16;
constexpr std::size_t kMostNeighbors = 64;
constexpr std::size_t kMostLinkBytes = std::size_t{1} << 14;

/// The target of a link.
struct Target {
  std::string file;  ///< empty: the same file
  std::string path;
};

/// Throws FormatError if the link is of a kind that this program does not know.
Target target_of(hid_t group, const std::string& name, const H5L_info_t& link) {
  if (link.type != H5L_TYPE_SOFT && link.type != H5L_TYPE_EXTERNAL) throw FormatError("is a link of an unknown kind");
  const std::size_t bytes = link.u.val_size;
  if (bytes == 0 || bytes > kMostLinkBytes) throw FormatError("is a link with a damaged target");
  std::string value(bytes, '\0');
  check(H5Lget_val(group, name.c_str(), value.data(), bytes, H5P_DEFAULT), "read a link");
  if (link.type == H5L_TYPE_SOFT) return {"", value.c_str()};
  const char *file = nullptr, *path = nullptr;
  unsigned flags = 0;
  check(H5Lunpack_elink_val(value.data(), bytes, &flags, &file, &path), "read a link");
  return {file, path};
}

H5L_info_t info_of(hid_t group, const std::string& name) {
  H5L_info_t link{};
  check(H5Lget_info(group, name.c_str(), &link, H5P_DEFAULT), "look at " + name);
  return link;
}

std::string described(const Target& target) {
  if (target.file.empty()) return "a soft link to " + printable(target.path);
  return "an external link to " + printable(target.path) + " in \"" + printable(target.file) + "\"";
}

/// Adds the names of `path` to the end of `rest`, in reverse order.
void push_names(const std::string& path, std::vector<std::string>& rest) {
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string name = path.substr(begin, end - begin);
    if (!name.empty() && name != ".") names.push_back(name);
    begin = end + 1;
  }
  rest.insert(rest.end(), names.rbegin(), names.rend());
}

hdf5::GroupHandle open_group(hid_t parent, const std::string& name) {
  return own<hdf5::GroupHandle>(H5Gopen2(parent, name.c_str(), H5P_DEFAULT), "open " + name);
}

bool is_in(const fs::path& file, const fs::path& folder) {
  const auto [end, rest] = std::mismatch(folder.begin(), folder.end(), file.begin(), file.end());
  return end == folder.end() && rest != file.end();
}

std::shared_ptr<const ForeignFile> open_file(const fs::path& path) {
  const auto bytes = static_cast<std::int64_t>(fs::file_size(path));
  return std::make_shared<const ForeignFile>(ForeignFile{path, hdf5::open_hdf5(path), bytes});
}

}  // namespace

ForeignLinks::ForeignLinks(const fs::path& path) : file_(open_file(path)) {}

FoundMember ForeignLinks::find(const std::shared_ptr<const ForeignFile>& file, hid_t group, const std::string& path) {
  FoundMember place = {
      file, open_group(path.starts_with('/') ? file->handle.get() : group, path.starts_with('/') ? "/" : "."), "."};
  std::vector<std::string> rest;
  push_names(path, rest);
  int followed = 0;
  while (!rest.empty()) {
    const std::string name = std::move(rest.back());
    rest.pop_back();
    if (check(H5Lexists(place.group.get(), name.c_str(), H5P_DEFAULT), "look for " + name) == 0) {
      throw FormatError("is missing");
    }
    const H5L_info_t link = info_of(place.group.get(), name);
    if (link.type == H5L_TYPE_HARD) {
      if (rest.empty()) {
        place.name = name;
        return place;
      }
      place.group = open_group(place.group.get(), name);
      continue;
    }
    const Target target = target_of(place.group.get(), name, link);
    if (++followed > kMostLinksInARow) {
      throw FormatError("is " + described(target) + ", which leads in a circle, or over more than " +
                        std::to_string(kMostLinksInARow) + " links");
    }
    if (!target.file.empty()) place.file = open_neighbor(*place.file, target.file);
    if (!target.file.empty() || target.path.starts_with('/')) place.group = open_group(place.file->handle.get(), "/");
    push_names(target.path, rest);
    if (rest.size() > kMostLinkBytes) throw FormatError("is a link with a damaged target");
  }
  return place;
}

/// A link may name a file in the folder of the first file, or below it; a link of the file system must not lead out.
std::shared_ptr<const ForeignFile> ForeignLinks::open_neighbor(const ForeignFile& from, const std::string& name) {
  const std::string shown = "an external link to the file \"" + printable(name) + "\"";
  const fs::path relative(name);
  const bool leaves = relative.is_absolute() || std::ranges::find(relative, fs::path("..")) != relative.end();
  const fs::path in = file_->path.has_parent_path() ? file_->path.parent_path() : fs::path(".");
  const fs::path near = from.path.has_parent_path() ? from.path.parent_path() : fs::path(".");
  std::error_code error;
  const fs::path folder = fs::canonical(in, error);
  if (leaves || error)
    throw FormatError("is " + shown + ", which is not in the same folder; links out of it are refused");
  const fs::path target = fs::canonical(near / relative, error);
  if (error || !fs::is_regular_file(target, error)) throw FormatError("is " + shown + ", which is missing");
  if (!is_in(target, folder)) {
    throw FormatError("is " + shown + ", which leads out of the folder; links out of it are refused");
  }
  auto& neighbor = neighbors_[target];
  if (!neighbor && neighbors_.size() > kMostNeighbors) throw FormatError("has links to too many files");
  if (!neighbor) neighbor = open_file(target);
  return neighbor;
}

std::string describe_link(hid_t group, const std::string& name) {
  try {
    return described(target_of(group, name, info_of(group, name)));
  } catch (const FormatError&) {
    return "a link of an unknown kind";
  }
}

}  // namespace octavo::dataset_file
