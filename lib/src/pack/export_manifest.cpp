#include "pack/export_manifest.hpp"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include <octavo/errors.hpp>

#include "pack/name_list.hpp"
#include "support/file.hpp"

namespace octavo::sources {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// An exported manifest nests five deep.
constexpr int kDeepestNesting = 16;
constexpr std::int64_t kMostBytes = std::int64_t{1} << 30;

/// Thrown with the reason only; the name of the file is put before it.
[[noreturn]] void refuse(const std::string& reason) { throw FormatError(reason); }

bool stays_inside(const fs::path& path) {
  return !path.empty() && path.is_relative() && std::find(path.begin(), path.end(), "..") == path.end();
}

bool is_whole_number(const Json& value) { return value.is_number_integer(); }

/// The layout that one sample's label has by itself.
LabelLayout layout_of(const Json& label) {
  if (label.is_null()) return {};
  if (label.is_number_integer()) return {LabelKind::class_index, 1};
  const bool are_numbers =
      label.is_array() && std::all_of(label.begin(), label.end(), [](const Json& value) { return value.is_number(); });
  if (!are_numbers || label.empty()) refuse("a label is neither a number nor an array of numbers");
  const bool are_whole = std::all_of(label.begin(), label.end(), &is_whole_number);
  return {are_whole ? LabelKind::multi_label : LabelKind::target, static_cast<std::int64_t>(label.size())};
}

/// Targets may happen to be whole in one sample or another.
LabelLayout common_layout(LabelLayout a, LabelLayout b) {
  if (a == b) return a;
  const auto has_several = [](LabelLayout layout) {
    return layout.kind == LabelKind::multi_label || layout.kind == LabelKind::target;
  };
  if (!has_several(a) || !has_several(b) || a.width != b.width) refuse("the labels of a split differ in kind");
  return {LabelKind::target, a.width};
}

void append_whole(std::vector<std::byte>& labels, const Json& value, LabelKind kind) {
  const std::int64_t most = kind == LabelKind::multi_label ? 1 : std::numeric_limits<std::int32_t>::max();
  const auto number =
      value.is_number_unsigned() ? value.get<std::uint64_t>() : std::numeric_limits<std::uint64_t>::max();
  if (number > static_cast<std::uint64_t>(most)) refuse("a label is not between 0 and " + std::to_string(most));
  append_label(labels, static_cast<std::int32_t>(number));
}

void append(std::vector<std::byte>& labels, const Json& label, LabelKind kind) {
  if (kind == LabelKind::none) return;
  if (kind == LabelKind::class_index) return append_whole(labels, label, kind);
  for (const Json& value : label) {
    if (kind == LabelKind::multi_label) {
      append_whole(labels, value, kind);
    } else {
      const auto target = value.get<float>();
      const auto* const bytes = reinterpret_cast<const std::byte*>(&target);
      labels.insert(labels.end(), bytes, bytes + sizeof target);
    }
  }
}

Json label_of(const Json& sample) { return sample.contains("label") ? sample["label"] : Json(); }

ImageList list_of(const std::shared_ptr<const files::FileTree>& tree, const std::string& split, const Json& samples) {
  if (!samples.is_array() || samples.empty()) refuse("the split \"" + split + "\" has no samples");
  ImageList list = {split, tree, {}, {}, {}};
  for (const Json& sample : samples) {
    if (!sample.is_object() || !sample.contains("file") || !sample["file"].is_string()) refuse("a sample has no file");
    list.paths.push_back(sample["file"].get<std::string>());
    if (!stays_inside(list.paths.back()))
      refuse("the file " + quoted(fs::path(list.paths.back())) + " is not below its folder");
    const LabelLayout layout = layout_of(label_of(sample));
    list.layout = list.paths.size() == 1 ? layout : common_layout(list.layout, layout);
  }
  for (const Json& sample : samples) append(list.labels, label_of(sample), list.layout.kind);
  return list;
}

std::vector<std::string> class_names_of(const Json& manifest) {
  std::vector<std::string> names;
  if (!manifest.contains("classes")) return names;
  for (const Json& name : manifest["classes"]) {
    if (!name.is_string() || !is_clean_utf8(name.get<std::string>())) refuse("a class name is not plain text");
    names.push_back(name.get<std::string>());
  }
  return names;
}

FolderContents contents_of(const fs::path& folder, const Json& manifest) {
  if (!manifest.is_object() || manifest.value("format", "") != "octavo-export") {
    refuse("its \"format\" is not \"octavo-export\"");
  }
  if (manifest.value("version", 1) != 1) refuse("its \"version\" is not 1, the one that this build reads");
  FolderContents contents;
  contents.roots = {folder};
  contents.class_names = class_names_of(manifest);
  const Json splits = manifest.value("splits", Json::object());
  const auto tree = files::open_folder(folder);
  for (const auto& [split, samples] : splits.items()) contents.splits.push_back(list_of(tree, split, samples));
  if (contents.splits.empty()) refuse("it has no splits");
  return contents;
}

}  // namespace

FolderContents read_export_manifest(const fs::path& folder) {
  const fs::path path = folder / kExportManifestName;
  const std::string text = read_whole_file(path, kMostBytes);
  try {
    const auto depth_limit = [](int depth, Json::parse_event_t, Json&) {
      if (depth > kDeepestNesting) refuse("it is nested too deep");
      return true;
    };
    const Json manifest = Json::parse(text, depth_limit, false);
    if (manifest.is_discarded()) refuse("it is not JSON");
    return contents_of(folder, manifest);
  } catch (const nlohmann::json::exception& error) {
    throw FormatError("read " + quoted(path) + ": " + error.what());
  } catch (const FormatError& error) {
    throw FormatError("read " + quoted(path) + ": " + error.what() + "; export again, or remove it");
  }
}

}  // namespace octavo::sources
