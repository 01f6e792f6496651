#include "sources/lists/web_dataset.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include <nlohmann/json.hpp>

#include <octavo/errors.hpp>
#include <octavo/text.hpp>

#include "dataset_file/limits.hpp"
#include "images/image_codec.hpp"
#include "sources/combine/split_names.hpp"
#include "sources/lists/left_out_members.hpp"
#include "sources/lists/name_list.hpp"
#include "support/short_text.hpp"

namespace octavo::sources {
namespace {

constexpr std::int64_t kMostLabelBytes = 1 << 20;

/// "shard.tar/a/000017.left.jpg" is "shard.tar/a/000017" and "left.jpg".
struct Parts {
  std::string key;
  std::string extension;
};

Parts parts_of(const std::string& path) {
  const std::size_t name = path.rfind('/') == std::string::npos ? 0 : path.rfind('/') + 1;
  const std::size_t point = path.find('.', name);
  if (point == std::string::npos) return {path, ""};
  return {path.substr(0, point), path.substr(point + 1)};
}

bool is_label(const std::string& extension) { return extension == "cls" || extension == "json"; }

/// The files of one sample.
struct Sample {
  std::string image;
  std::string label;        ///< empty if there is none
  bool has_others = false;  ///< files that are neither

  /// The file of the label or, if it is missing, of the image.
  const std::string& file_of_label() const { return label.empty() ? image : label; }
};

/// Whether an image is the first of its sample, has fewer dots in its name than the other, or comes before it.
bool is_plainer(const std::string& path, const std::string& other) {
  const auto points_of = [](const std::string& name) { return std::count(name.begin(), name.end(), '.'); };
  return other.empty() || std::pair(points_of(path), path) < std::pair(points_of(other), other);
}

/// The samples that have an image, in the order of the archives.
std::vector<Sample> samples_in(const files::FileTree& tree, LeftOutMembers& left_out) {
  std::map<std::string, Sample> samples_of;
  const std::vector<std::string> paths = tree.files_below("");
  for (const std::string& path : paths) {
    const Parts parts = parts_of(path);
    // Of "000017.jpg" and "000017.mask.png", the first is the image.
    if (images::has_image_name(path) && is_plainer(path, samples_of[parts.key].image))
      samples_of[parts.key].image = path;
    // A .cls file takes precedence over .json, which may hold anything about a sample.
    if (is_label(parts.extension) && (parts.extension == "cls" || samples_of[parts.key].label.empty())) {
      samples_of[parts.key].label = path;
    }
  }
  for (const std::string& path : paths) {
    const Parts parts = parts_of(path);
    Sample& sample = samples_of[parts.key];
    if (sample.image.empty() || path == sample.image || path == sample.label) continue;
    left_out.add_member(parts.extension, !sample.has_others);
    sample.has_others = true;
  }
  std::vector<Sample> samples;
  for (auto& [key, sample] : samples_of) {
    if (sample.image.empty()) {
      left_out.add_without_image(key);
    } else {
      samples.push_back(std::move(sample));
    }
  }
  std::sort(samples.begin(), samples.end(),
            [&](const Sample& a, const Sample& b) { return tree.reading_rank(a.image) < tree.reading_rank(b.image); });
  return samples;
}

std::optional<std::int32_t> number_of(const std::string& text) {
  std::int32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

std::string checked_label(std::string label) {
  if (label.empty()) throw FormatError("its label is empty");
  if (label.size() <= kMostNameBytes) return label;
  throw FormatError("its label has " + std::to_string(label.size()) + " bytes, a class name has at most " +
                    std::to_string(kMostNameBytes));
}

/// The label in a JSON object. Throws FormatError with the reason only.
std::string label_in(const nlohmann::json& json, LeftOutMembers& left_out) {
  for (const char* const key : {"label", "cls", "class", "target"}) {
    if (!json.is_object() || !json.contains(key)) continue;
    const auto& label = json[key];
    if (!label.is_number_integer() && !label.is_string()) continue;
    for (const auto& [other, value] : json.items()) {
      if (other != key) left_out.add_json_key(other);
    }
    return label.is_string() ? checked_label(label.get<std::string>()) : std::to_string(label.get<std::int64_t>());
  }
  throw FormatError("it has no label; expected a number or text \"label\", \"cls\", \"class\" or \"target\"");
}

/// The label of a sample as text: a number or a class name. Throws FormatError with the reason only.
std::string label_text(const files::FileTree& tree, const Sample& sample, LeftOutMembers& left_out) {
  if (sample.label.empty()) {
    throw FormatError("it has no label (a .cls or .json file), but other samples do");
  }
  const std::string text = tree.read_whole(sample.label, kMostLabelBytes);
  if (sample.label.ends_with("cls")) return checked_label(std::string(trimmed(text)));
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (json.is_discarded()) throw FormatError("it is not JSON");
  return label_in(json, left_out);
}

/// Numbers the labels of all splits in one numbering.
class LabelNumbers {
 public:
  LabelNumbers(const std::vector<std::vector<std::string>>& labels, const std::vector<std::string>& given_names) {
    std::set<std::string> found;
    for (const auto& list : labels) found.insert(list.begin(), list.end());
    are_numbers_ = std::all_of(found.begin(), found.end(), [](const std::string& text) { return number_of(text); });
    names_ = given_names;
    if (names_.empty() && !are_numbers_) names_.assign(found.begin(), found.end());
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (!is_clean_utf8(names_[i])) throw FormatError("number the classes: a class name is not UTF-8");
      places_[names_[i]] = static_cast<std::int32_t>(i);
    }
  }

  const std::vector<std::string>& names() const { return names_; }
  /// Nothing if the label is not among the given names.
  std::optional<std::int32_t> operator()(const std::string& label) const {
    if (are_numbers_) return number_of(label);
    const auto place = places_.find(label);
    return place == places_.end() ? std::nullopt : std::optional(place->second);
  }

 private:
  bool are_numbers_ = false;
  std::vector<std::string> names_;
  std::map<std::string, std::int32_t> places_;
};

/// Assigns class numbers to the images of a list. Images whose label has no number are an error, or left out if
/// `may_skip`.
void number_samples(SplitImages& list, const std::vector<std::string>& labels, const LabelNumbers& numbers,
                    bool may_skip, std::vector<SampleFailure>& left_out) {
  std::vector<std::string> paths;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const auto number = numbers(labels[i]);
    if (number) {
      paths.push_back(std::move(list.paths[i]));
      append_label(list.labels, *number);
    } else if (may_skip) {
      left_out.push_back({0, list.paths[i], "its label \"" + labels[i] + "\" is not among the given class names"});
    } else {
      throw InvalidArgument("number the classes: \"" + labels[i] +
                            "\" is not among the given class names; add it to them");
    }
  }
  list.paths = std::move(paths);
}

/// Combines the shards of each split, which may be given one by one, into one tree.
std::vector<ImageRoot> united_by_split(const std::vector<ImageRoot>& shards) {
  std::vector<std::string> splits;
  std::map<std::string, std::vector<std::shared_ptr<const files::FileTree>>> trees_of;
  for (const ImageRoot& shard : shards) {
    const std::string name = shard.tree->root().filename().string();
    const std::string split = shard.split.empty() ? split_of_file_name(name).value_or("train") : shard.split;
    if (trees_of[split].empty()) splits.push_back(split);
    trees_of[split].push_back(shard.tree);
  }
  std::vector<ImageRoot> united;
  for (const std::string& split : splits) {
    auto& trees = trees_of[split];
    united.push_back({trees.size() == 1 ? trees[0] : files::unite(std::move(trees)), "", split});
  }
  return united;
}

}  // namespace

bool is_web_dataset(const files::FileTree& tree) {
  if (tree.disk_path("")) return false;
  std::set<std::string> images, labels;
  for (const std::string& path : tree.files_below("")) {
    const Parts parts = parts_of(path);
    if (images::has_image_name(path)) images.insert(parts.key);
    if (is_label(parts.extension)) labels.insert(parts.key);
  }
  return std::any_of(labels.begin(), labels.end(), [&](const std::string& key) { return images.contains(key); });
}

ImageList list_web_dataset(const std::vector<ImageRoot>& roots, const std::vector<std::string>& given_names,
                           bool may_skip) {
  ImageList contents;
  contents.format = "webdataset";
  std::vector<std::vector<std::string>> labels;
  LeftOutMembers left_out;
  for (const ImageRoot& root : united_by_split(roots)) {
    for (const auto& path : root.tree->roots()) contents.roots.push_back(path);
    SplitImages list = {root.split, root.tree, {}, {LabelKind::class_index, 1}, {}};
    std::vector<std::string>& texts = labels.emplace_back();
    for (Sample& sample : samples_in(*root.tree, left_out)) {
      try {
        texts.push_back(label_text(*root.tree, sample, left_out));
        list.paths.push_back(std::move(sample.image));
      } catch (const FormatError& error) {
        if (!may_skip) throw FormatError("read " + root.tree->name_of(sample.file_of_label()) + ": " + error.what());
        contents.left_out.push_back({0, sample.file_of_label(), error.what()});
      }
    }
    if (list.paths.empty()) {
      throw FormatError("read " + root.tree->name_of("") + ": no sample has an image and a label; " +
                        (contents.left_out.empty() ? "it has no samples" : contents.left_out.back().reason));
    }
    contents.splits.push_back(std::move(list));
  }
  contents.remarks = left_out.remarks();
  const LabelNumbers numbers(labels, given_names);
  contents.class_names = numbers.names();
  for (std::size_t split = 0; split < labels.size(); ++split) {
    SplitImages& list = contents.splits[split];
    number_samples(list, labels[split], numbers, may_skip, contents.left_out);
    if (list.paths.empty()) {
      throw FormatError("read " + list.tree->name_of("") +
                        ": no sample is left; the last problem: " + contents.left_out.back().reason);
    }
  }
  return contents;
}

}  // namespace octavo::sources
