#include "sources/lists/masks/mask_pattern.hpp"

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

/// Where the '=' between the patterns of images and masks is; npos if the text is that of a mask only, which may have a
/// '=' in it.
std::size_t end_of_image_pattern(std::string_view text) {
  const std::size_t stem = text.find(kStem);
  if (stem == std::string_view::npos || text.find(kStem, stem + 1) == std::string_view::npos) {
    return std::string_view::npos;
  }
  const std::size_t equals = text.find('=', stem);
  const bool is_between = equals != std::string_view::npos && text.find(kStem, equals) != std::string_view::npos;
  return is_between ? equals : std::string_view::npos;
}

[[noreturn]] void refuse_image(const std::string& name, const std::string& why) {
  throw DataError("pair images with masks: " + name + " " + why +
                  "; correct the pattern of `masks`, add the file, or skip such samples with `on_error=skip`");
}

}  // namespace

std::optional<std::string> NamePattern::stem_in(const std::string& name) const {
  if (name.size() <= before.size() + after.size() || !name.starts_with(before) || !name.ends_with(after)) {
    return std::nullopt;
  }
  return name.substr(before.size(), name.size() - before.size() - after.size());
}

MaskPattern::MaskPattern(std::string_view text) {
  const auto refuse_text = [&](const std::string& why) {
    throw InvalidArgument("read the pattern of masks \"" + printable(text) + "\": " + why +
                          "; expected a name such as {stem}_mask.png or img_{stem}=mask_{stem}.png, or auto or off");
  };
  const auto pattern_in = [&](std::string_view name) {
    const std::size_t stem = name.find(kStem);
    if (stem == std::string_view::npos || name.find(kStem, stem + 1) != std::string_view::npos) {
      refuse_text("its file name does not have one {stem}, the name of the image without its extension");
    }
    return NamePattern{std::string(name.substr(0, stem)), std::string(name.substr(stem + kStem.size()))};
  };
  const std::size_t equals = end_of_image_pattern(text);
  const std::string_view mask = equals == std::string_view::npos ? text : text.substr(equals + 1);
  if (equals != std::string_view::npos) {
    const std::string_view image = text.substr(0, equals);
    if (image.find('/') != std::string_view::npos) refuse_text("the name of the image has a folder");
    image_ = pattern_in(image);
    has_image_extension_ = images::has_image_name(std::string(image));
  }
  const std::size_t slash = mask.rfind('/');
  const std::string_view name = slash == std::string_view::npos ? mask : mask.substr(slash + 1);
  mask_ = pattern_in(name);
  if (mask.starts_with('/')) refuse_text("it is not relative to the folder of the image");
  if (!images::has_image_name(std::string(name))) refuse_text("it does not end in the extension of an image");
  if (slash != std::string_view::npos) folder_ = fs::path(mask.substr(0, slash)).lexically_normal().string();
  if (folder_.find(kStem) != std::string::npos) refuse_text("its folder has {stem}");
  if (folder_ == ".") folder_.clear();
}

bool MaskPattern::is_mask(const std::string& path) const {
  const fs::path file(path);
  if (!mask_.stem_in(file.filename().string())) return false;
  const std::string wanted = "/" + below(folder_).string(), folder = "/" + file.parent_path().string();
  return wanted == "/" || folder.ends_with(wanted);
}

std::optional<std::string> MaskPattern::stem_of(const std::string& path) const {
  const fs::path file(path);
  if (!image_) return file.stem().string();
  return image_->stem_in(has_image_extension_ ? file.filename().string() : file.stem().string());
}

std::optional<std::string> MaskPattern::name_problem(const std::string& path) const {
  if (stem_of(path)) return std::nullopt;
  return "is not named " + printable(image_->text()) + ", as the images of masks are";
}

std::string MaskPattern::mask_in(const std::string& folder, const std::string& path) const {
  return (fs::path(folder) / mask_.name_for(stem_of(path).value())).lexically_normal().string();
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
    std::optional<std::string> problem = pattern.name_problem(list.paths[i]);
    std::string mask = problem ? "" : pattern.mask_of(list.paths[i]);
    if (!problem && !tree.has_file(mask)) problem = "has no mask " + tree.name_of(mask);
    if (problem) {
      if (!may_skip) refuse_image(list.name(i), *problem);
      left_out.push_back({0, list.paths[i], "it " + *problem});
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
