#include "sources/lists/mask_pattern.hpp"

#include <filesystem>
#include <map>

#include <octavo/errors.hpp>
#include <octavo/text.hpp>

#include "images/image_codec.hpp"
#include "support/file.hpp"

namespace octavo::sources {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kStem = "{stem}";

/// The folders of a path without the "." and ".." at its start: "../masks" as "masks".
fs::path below(const fs::path& folder) {
  fs::path rest;
  for (const fs::path& part : folder) {
    if (part != ".." && part != ".") rest /= part;
  }
  return rest;
}

[[noreturn]] void refuse_image(const std::string& name, const std::string& why) {
  throw DataError("pair images with masks: " + name + " " + why +
                  "; correct the pattern of `masks`, add the file, or skip such samples with `on_error=skip`");
}

}  // namespace

MaskPattern::MaskPattern(std::string_view text) {
  const auto refuse_text = [&](const std::string& why) {
    throw InvalidArgument("read the pattern of masks \"" + printable(text) + "\": " + why +
                          "; expected a name such as {stem}_mask.png, or auto or off");
  };
  const std::size_t slash = text.rfind('/');
  const std::string_view name = slash == std::string_view::npos ? text : text.substr(slash + 1);
  const std::size_t stem = name.find(kStem);
  if (stem == std::string_view::npos || name.find(kStem, stem + 1) != std::string_view::npos) {
    refuse_text("its file name does not have one {stem}, the name of the image without its extension");
  }
  if (text.starts_with('/')) refuse_text("it is not relative to the folder of the image");
  if (!images::has_image_name(std::string(name))) refuse_text("it does not end in the extension of an image");
  if (slash != std::string_view::npos) folder_ = fs::path(text.substr(0, slash)).lexically_normal().string();
  if (folder_.find(kStem) != std::string::npos) refuse_text("its folder has {stem}");
  if (folder_ == ".") folder_.clear();
  before_ = name.substr(0, stem);
  after_ = name.substr(stem + kStem.size());
}

bool MaskPattern::is_mask(const std::string& path) const {
  const fs::path file(path);
  const std::string name = file.filename().string();
  if (name.size() <= before_.size() + after_.size() || !name.starts_with(before_) || !name.ends_with(after_)) {
    return false;
  }
  const std::string wanted = "/" + below(folder_).string(), folder = "/" + file.parent_path().string();
  return wanted == "/" || folder.ends_with(wanted);
}

std::string MaskPattern::mask_in(const std::string& folder, const std::string& path) const {
  return (fs::path(folder) / (before_ + fs::path(path).stem().string() + after_)).lexically_normal().string();
}

std::string MaskPattern::mask_of(const std::string& path) const {
  return mask_in((fs::path(path).parent_path() / folder_).string(), path);
}

void pair_by_pattern(const MaskPattern& pattern, bool may_skip, SplitImages& list,
                     std::vector<SampleFailure>& left_out) {
  if (list.paths.empty()) return;
  const files::FileTree& tree = *list.tree;
  if (!tree.disk_path("")) refuse_image(list.name(0), "is in an archive, where masks cannot be read");
  std::map<std::string, std::string> image_of;  // that uses each mask
  std::vector<std::size_t> kept;
  std::vector<std::string> masks;
  for (std::size_t i = 0; i < list.paths.size(); ++i) {
    std::string mask = pattern.mask_of(list.paths[i]);
    if (!tree.has_file(mask)) {
      if (!may_skip) refuse_image(list.name(i), "has no mask " + tree.name_of(mask));
      left_out.push_back({0, list.paths[i], "it has no mask " + tree.name_of(mask)});
      continue;
    }
    const auto [other, is_new] = image_of.try_emplace(mask, list.paths[i]);
    if (!is_new && other->second != list.paths[i]) {
      refuse_image(list.name(i), "has the mask of " + tree.name_of(other->second));
    }
    kept.push_back(i);
    masks.push_back(std::move(mask));
  }
  keep_images(list, kept);
  list.masks = std::move(masks);
}

}  // namespace octavo::sources
