#include "sources/lists/export_index.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>

#include <octavo/errors.hpp>
#include <octavo/mask_colors.hpp>

#include "format/limits.hpp"
#include "sources/lists/json_bytes.hpp"
#include "sources/lists/name_list.hpp"
#include "support/file.hpp"
#include "support/strict_json.hpp"

namespace octavo::sources {
namespace {

namespace fs = std::filesystem;
using Event = Json::parse_event_t;

// An exported index has five levels of nesting.
constexpr int kDeepestTable = 16;
// About 15 million samples. The path and label kept for a sample use only a few times the memory of its text.
constexpr std::int64_t kMostTableBytes = std::int64_t{1} << 30;
// The parser holds one sample at a time. Allows a label of 200,000 numbers of 20 digits.
constexpr std::int64_t kMostSampleText = std::int64_t{4} << 20;
// Top-level members of the document. An export has four; newer ones may have a few more.
constexpr int kMostMembers = 1000;
// The index of a dataset file cannot hold more.
constexpr std::size_t kMostClasses = 1 << 20;

/// Throws the reason only; the caller prepends the name of the file.
[[noreturn]] void refuse(const std::string& reason) { throw FormatError(reason); }

bool stays_inside(const fs::path& path) {
  return !path.empty() && path.is_relative() && std::find(path.begin(), path.end(), "..") == path.end() &&
         path.native().find('\0') == std::string::npos;
}

/// The labels of a split, added one by one.
class LabelColumn {
 public:
  void add(const Json& label) {
    const LabelLayout layout = layout_of(label);
    if (has_any_ && layout != layout_) refuse("the labels of a split differ in kind");
    layout_ = layout;
    has_any_ = true;
    if (layout.kind == LabelKind::class_index) add_class(label);
    for (const Json& number : layout.kind == LabelKind::target ? label : Json::array()) add_one_of_several(number);
  }

  /// Arrays of numbers are targets, or multi-labels if all numbers are whole, which only the last sample decides.
  void finish(SplitImages& list) {
    list.layout = layout_;
    if (layout_.kind == LabelKind::target && are_whole_) {
      if (!are_bits_) refuse("a label is not between 0 and 1");
      list.layout.kind = LabelKind::multi_label;
      make_whole();
    }
    list.labels = std::move(labels_);
  }

 private:
  static LabelLayout layout_of(const Json& label) {
    if (label.is_null()) return {};
    if (label.is_number_integer()) return {LabelKind::class_index, 1};
    const bool are_numbers = label.is_array() && !label.empty() &&
                             std::all_of(label.begin(), label.end(), [](const Json& one) { return one.is_number(); });
    if (!are_numbers) refuse("a label is neither a number nor an array of numbers");
    return {LabelKind::target, static_cast<std::int64_t>(label.size())};
  }

  void add_class(const Json& label) {
    constexpr std::uint64_t kMost = std::numeric_limits<std::int32_t>::max();
    if (!label.is_number_unsigned() || label.get<std::uint64_t>() > kMost) {
      refuse("a label is not between 0 and " + std::to_string(kMost));
    }
    append_label(labels_, label.get<std::int32_t>());
  }

  void add_one_of_several(const Json& number) {
    const auto target = number.get<float>();
    const auto* const bytes = reinterpret_cast<const std::byte*>(&target);
    labels_.insert(labels_.end(), bytes, bytes + sizeof target);
    are_whole_ = are_whole_ && number.is_number_integer();
    are_bits_ = are_bits_ && (target == 0.0F || target == 1.0F);
  }

  /// Converts 0 and 1 from floats to integers, in place.
  void make_whole() {
    for (std::size_t at = 0; at < labels_.size(); at += sizeof(float)) {
      float number = 0;
      std::memcpy(&number, labels_.data() + at, sizeof number);
      const auto whole = static_cast<std::int32_t>(number);
      std::memcpy(labels_.data() + at, &whole, sizeof whole);
    }
  }

  LabelLayout layout_;
  bool has_any_ = false;
  std::vector<std::byte> labels_;
  bool are_whole_ = true, are_bits_ = true;
};

/// Receives the parser's events and takes samples and class names, which may come by the million, as soon as they are
/// parsed. The parser then discards them.
class ExportIndexReader {
 public:
  ExportIndexReader(JsonBytes& bytes, std::shared_ptr<const files::FileTree> tree, std::string folder)
      : bytes_(bytes), tree_(std::move(tree)), folder_(std::move(folder)) {
    contents_.roots = {tree_->file_of(folder_)};
  }

  /// Whether the parser keeps the element that it has just read. `depth` counts the enclosing objects and arrays.
  bool keep(int depth, Event event, const Json& json) {
    if (depth > kDeepestTable) refuse("it is nested too deep");
    if (depth <= kSampleDepth) bytes_.note_progress();
    if (depth == 0 && event == Event::array_start) refuse("it is not an object");
    if (depth == 0) return true;
    if (event == Event::key && depth == 1) {
      if (++member_count_ > kMostMembers) refuse("it has more than " + std::to_string(kMostMembers) + " members");
      member_ = json.get<std::string>();
      return is_plain_member() || member_ == "classes" || member_ == "mask_classes" || member_ == "splits";
    }
    if (member_ == "splits") return keep_of_splits(depth, event, json);
    if (member_ == "classes") return keep_of_classes(depth, event, json);
    if (member_ == "mask_classes") return keep_of_mask_classes(depth, event, json);
    if (is_plain_member() && event != Event::value) refuse("its \"" + member_ + "\" is neither a text nor a number");
    return true;
  }

  ImageList take() {
    if (contents_.splits.empty()) refuse("it has no splits");
    return std::move(contents_);
  }

 private:
  // {"splits": {"train": [{...
  static constexpr int kSplitDepth = 2, kSampleDepth = 3;

  bool is_plain_member() const { return member_ == "format" || member_ == "version"; }

  bool keep_of_splits(int depth, Event event, const Json& json) {
    if (depth == 1 && event == Event::array_start) refuse("its splits are not an object");
    // The parser visits all kept siblings of each object, which costs nothing as long as none are kept.
    if (event == Event::object_start && depth > kSampleDepth) refuse("a sample holds an object");
    if (event == Event::key && depth == kSplitDepth) begin_split(json.get<std::string>());
    const bool is_whole = event == Event::value || event == Event::object_end || event == Event::array_end;
    if (!is_whole || contents_.splits.empty()) return true;
    if (depth == kSampleDepth) add_sample(json);
    if (depth == kSplitDepth) end_split();
    return depth > kSampleDepth;
  }

  bool keep_of_classes(int depth, Event event, const Json& name) {
    if (depth == 1) {
      if (event == Event::object_start || event == Event::value) refuse("its classes are not a list");
      return true;
    }
    if (event != Event::value || !name.is_string() || !is_clean_utf8(name.get<std::string>()))
      refuse("a class name is not plain text");
    if (contents_.class_names.size() >= kMostClasses) refuse("it has too many class names");
    contents_.class_names.push_back(name.get<std::string>());
    return false;
  }

  bool keep_of_mask_classes(int depth, Event event, const Json& json) {
    if (depth == 1) {
      if (event == Event::array_start || event == Event::value) refuse("its classes of masks are not an object");
      return true;
    }
    if (event == Event::key) {
      const std::string number = json.get<std::string>();
      const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), mask_value_);
      const bool is_number = error == std::errc() && end == number.data() + number.size();
      if (!is_number || mask_value_ < 0 || mask_value_ > kIgnoredMaskValue) {
        refuse("a class of masks is not a number between 0 and 255");
      }
      return true;
    }
    if (event != Event::value || !json.is_string() || !is_clean_utf8(json.get<std::string>())) {
      refuse("the name of a class of masks is not plain text");
    }
    contents_.mask_classes[mask_value_] = json.get<std::string>();
    return false;
  }

  void begin_split(const std::string& name) {
    for (const SplitImages& other : contents_.splits) {
      if (other.split == name) refuse("the split " + quoted(fs::path(name)) + " appears twice");
    }
    if (contents_.splits.size() >= dataset_file::kMostSplits) refuse("it has too many splits");
    contents_.splits.push_back({name, tree_, {}, {}, {}});
    labels_ = {};
  }

  void end_split() {
    SplitImages& list = contents_.splits.back();
    if (list.paths.empty()) refuse("the split " + quoted(fs::path(list.split)) + " has no samples");
    if (!list.masks.empty() && list.masks.size() != list.paths.size()) refuse("only some samples have a mask");
    if (!list.metadata.empty() && list.metadata.size() != list.paths.size()) refuse("only some samples have metadata");
    labels_.finish(list);
    order_for_reading(list);
  }

  void add_sample(const Json& sample) {
    if (!sample.is_object() || !sample.contains("file") || !sample["file"].is_string()) refuse("a sample has no file");
    auto file = sample["file"].get<std::string>();
    if (!stays_inside(file)) refuse("the file " + quoted(fs::path(file)) + " is not below its folder");
    contents_.splits.back().paths.push_back(files::join_path(folder_, file));
    // On disk, a missing file is reported when it is read; an archive already knows its files.
    const std::string& path = contents_.splits.back().paths.back();
    if (!tree_->disk_path(path) && !tree_->has_file(path)) {
      refuse("the file " + quoted(fs::path(file)) + " is missing");
    }
    if (sample.contains("mask")) add_mask(sample["mask"]);
    if (sample.contains("metadata")) add_metadata(sample["metadata"]);
    labels_.add(sample.contains("label") ? sample["label"] : Json());
  }

  void add_mask(const Json& mask) {
    if (!mask.is_string() || !stays_inside(mask.get<std::string>())) refuse("a mask is not a file below its folder");
    if (!tree_->disk_path("")) refuse("it has masks, which cannot be read from an archive; extract it");
    contents_.splits.back().masks.push_back(files::join_path(folder_, mask.get<std::string>()));
  }

  void add_metadata(const Json& text) {
    if (!text.is_string()) refuse("the metadata of a sample is not text");
    const Json values = parse_strict_json(text.get<std::string>());
    if (!values.is_object() || values.empty()) refuse("the metadata of a sample is not an object with columns");
    std::vector<std::string> columns;
    Json row = Json::array();
    for (const auto& [name, value] : values.items()) {
      columns.push_back(name);
      row.push_back(value);
    }
    SplitImages& list = contents_.splits.back();
    if (list.metadata.empty()) list.columns = columns;
    if (list.columns != columns) refuse("the columns of the samples differ");
    list.metadata.push_back(row.dump());
  }

  JsonBytes& bytes_;
  const std::shared_ptr<const files::FileTree> tree_;
  const std::string folder_;
  ImageList contents_;
  std::string member_;  ///< the top-level member that the parser is in
  int member_count_ = 0;
  int mask_value_ = 0;  ///< whose name comes next
  LabelColumn labels_;  ///< of the split that the parser is in
};

/// Checks the other members, which the parser has kept.
void check_kind(const Json& index) {
  if (!index.is_object() || index.value("format", "") != "octavo-export") {
    refuse("its \"format\" is not \"octavo-export\"");
  }
  if (index.value("version", 1) != 1) refuse("its \"version\" is not 1, the only one this build reads");
}

std::unique_ptr<files::ByteStream> open_bounded(const files::FileTree& tree, const std::string& path) {
  auto stream = tree.open(path);
  if (tree.disk_path(path) && !stream->is_random_access()) refuse("it is compressed");
  if (stream->most_bytes() > kMostTableBytes) refuse("it has more than " + std::to_string(kMostTableBytes) + " bytes");
  return stream;
}

}  // namespace

std::optional<std::string> exported_folder(const files::FileTree& tree) {
  if (tree.has_file(kExportIndexName)) return "";
  const auto folders = tree.entries("").folders;
  if (folders.size() != 1 || !tree.has_file(files::join_path(folders[0], kExportIndexName))) return std::nullopt;
  return folders[0];
}

ImageList read_export_index(const std::shared_ptr<const files::FileTree>& tree, const std::string& folder) {
  const std::string path = files::join_path(folder, kExportIndexName);
  try {
    const auto stream = open_bounded(*tree, path);
    JsonBytes bytes(*stream, kMostSampleText);
    ExportIndexReader taker(bytes, tree, folder);
    const auto keep = [&](int depth, Event event, const Json& json) { return taker.keep(depth, event, json); };
    const Json index = Json::parse(bytes.begin(), bytes.end(), keep, false);
    if (index.is_discarded()) refuse("it is not JSON");
    check_kind(index);
    return taker.take();
  } catch (const nlohmann::json::exception& error) {
    throw FormatError("read " + tree->name_of(path) + ": " + error.what());
  } catch (const FormatError& error) {
    throw FormatError("read " + tree->name_of(path) + ": " + error.what() + "; export again, or remove it");
  }
}

}  // namespace octavo::sources
