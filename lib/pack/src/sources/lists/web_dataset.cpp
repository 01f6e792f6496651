#include "sources/lists/web_dataset.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include <nlohmann/json.hpp>

#include <octavo/errors.hpp>
#include <octavo/text.hpp>

#include "images/image_codec.hpp"
#include "images/other_formats.hpp"
#include "labels/text_labels.hpp"
#include "sources/combine/split_names.hpp"
#include "sources/lists/folders/left_out_members.hpp"
#include "support/text/short_text.hpp"

namespace octavo::sources {
namespace {

constexpr std::int64_t kMostLabelBytes = 1 << 20;

/// "shard.tar/a/000017.left.jpg" is "shard.tar/a/000017" and "left.jpg".
struct NameParts {
  std::string key;
  std::string extension;
};

NameParts parts_of(const std::string& path) {
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

/// Whether an image is the first of its sample, can be read by its name and the other cannot, has fewer dots in its
/// name than the other, or comes before it.
bool is_plainer(const std::string& path, const std::string& other) {
  const auto rank_of = [](const std::string& name) {
    return std::tuple(images::has_other_image_name(name), std::count(name.begin(), name.end(), '.'), name);
  };
  return other.empty() || rank_of(path) < rank_of(other);
}

/// The samples that have an image, in the order of the archives.
std::vector<Sample> samples_in(const files::FileTree& tree, LeftOutMembers& left_out) {
  std::map<std::string, Sample> samples_of;
  const std::vector<std::string> paths = tree.files_below("");
  for (const std::string& path : paths) {
    const NameParts parts = parts_of(path);
    // Of "000017.jpg" and "000017.mask.png", the first is the image.
    if (images::has_image_name(path) && is_plainer(path, samples_of[parts.key].image))
      samples_of[parts.key].image = path;
    // A .cls file takes precedence over .json, which may hold anything about a sample.
    if (is_label(parts.extension) && (parts.extension == "cls" || samples_of[parts.key].label.empty())) {
      samples_of[parts.key].label = path;
    }
  }
  for (const std::string& path : paths) {
    const NameParts parts = parts_of(path);
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
  // Stable, because links to one image have one rank.
  std::ranges::stable_sort(samples, {}, [&](const Sample& sample) { return tree.reading_rank(sample.image); });
  return samples;
}

/// The key of the label in a JSON object; null if it has none.
const char* label_key_of(const nlohmann::json& json) {
  for (const char* const key : {"label", "cls", "class", "target"}) {
    if (!json.is_object() || !json.contains(key)) continue;
    if (!json[key].is_structured()) return key;
  }
  return nullptr;
}

/// The label in a JSON object, as text. Throws FormatError with the reason only.
std::string label_in(const nlohmann::json& json, LeftOutMembers& left_out) {
  if (const char* const key = label_key_of(json)) {
    const auto& label = json[key];
    for (const auto& [other, value] : json.items()) {
      if (other != key) left_out.add_json_key(other);
    }
    if (label.is_string()) return label.get<std::string>();
    return label.is_null() ? "" : label.is_boolean() ? std::to_string(label.get<int>()) : label.dump();
  }
  throw FormatError("it has no label; expected a number or text \"label\", \"cls\", \"class\" or \"target\"");
}

/// The label of a sample as text: a number or a class name. Throws FormatError with the reason only.
std::string label_text(const files::FileTree& tree, const Sample& sample, LeftOutMembers& left_out) {
  if (sample.label.empty()) {
    throw FormatError("it has no label (a .cls or .json file), but other samples do");
  }
  std::string text = tree.read_whole(sample.label, kMostLabelBytes);
  if (sample.label.ends_with("cls")) return text;
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (json.is_discarded()) throw FormatError("it is not JSON");
  return label_in(json, left_out);
}

/// The start of a label: enough to see that it is too long, if it is.
std::string short_label(const std::string& text) { return std::string(trimmed(text).substr(0, kMostNameBytes + 1)); }

/// The samples of a split with the texts of their labels.
struct LabeledSamples {
  std::vector<Sample> samples;
  std::vector<std::string> texts;
};

/// Numbers the labels of all splits in one numbering. Samples without a label are an error, or left out if `may_skip`.
void number_samples(std::vector<LabeledSamples>& all, const SourceOptions& options, ImageList& contents) {
  labels::TextLabels texts(options.class_names, options.label_kind);
  std::vector<std::pair<std::size_t, std::size_t>> places;  // split and number in it, by number among all
  for (std::size_t split = 0; split < all.size(); ++split) {
    for (std::size_t at = 0; at < all[split].texts.size(); ++at) {
      texts.add(all[split].texts[at]);
      places.emplace_back(split, at);
    }
  }
  const auto sample_at = [&](std::size_t at) -> const Sample& {
    return all[places[at].first].samples[places[at].second];
  };
  const labels::LabelTable table = [&] {
    try {
      return texts.numbered([&](std::size_t at) { return sample_at(at).file_of_label(); });
    } catch (const FormatError& error) {
      throw FormatError("read " + contents.splits.at(0).tree->name_of("") + ": " + error.what());
    }
  }();
  contents.class_names = table.class_names;
  auto unlabeled = table.unlabeled.begin();
  for (std::size_t at = 0; at < places.size(); ++at) {
    SplitImages& list = contents.splits[places[at].first];
    list.layout = table.layout;
    if (unlabeled != table.unlabeled.end() && unlabeled->at == at) {
      const std::string& file = sample_at(at).file_of_label();
      if (!options.skip_unreadable) {
        throw FormatError("read " + list.tree->name_of(file) + ": " + unlabeled->reason +
                          "; correct it, or skip such samples with `on_error=skip`");
      }
      contents.left_out.push_back({0, file, (unlabeled++)->reason});
      continue;
    }
    list.paths.push_back(sample_at(at).image);
    append_label(list, table.numbers[at]);
  }
}

/// Whether one of the first JSON files in the archive has a label. Reads few files, since they are read again later.
bool has_label(const files::FileTree& tree, std::vector<std::string> json_files) {
  constexpr std::size_t kMostRead = 64;
  std::ranges::stable_sort(json_files, {}, [&](const std::string& path) { return tree.reading_rank(path); });
  if (json_files.size() > kMostRead) json_files.resize(kMostRead);
  return std::ranges::any_of(json_files, [&](const std::string& path) {
    try {
      const auto json = nlohmann::json::parse(tree.read_whole(path, kMostLabelBytes), nullptr, false);
      return label_key_of(json) != nullptr;
    } catch (const FormatError&) {
      return false;  // too large for a label, or damaged
    }
  });
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
  std::set<std::string> images;
  std::vector<std::string> json_files;
  const std::vector<std::string> paths = tree.files_below("");
  for (const std::string& path : paths) {
    if (images::has_image_name(path)) images.insert(parts_of(path).key);
  }
  for (const std::string& path : paths) {
    const NameParts parts = parts_of(path);
    if (!is_label(parts.extension) || !images.contains(parts.key)) continue;
    if (parts.extension == "cls") return true;
    json_files.push_back(path);
  }
  const bool belong_to_most = 2 * json_files.size() >= images.size();
  return belong_to_most && has_label(tree, std::move(json_files));
}

ImageList list_web_dataset(const std::vector<ImageRoot>& roots, const SourceOptions& options) {
  ImageList contents;
  contents.format = "webdataset";
  contents.are_classes_sorted = options.class_names.empty();
  std::vector<LabeledSamples> all;
  LeftOutMembers left_out;
  for (const ImageRoot& root : united_by_split(roots)) {
    for (const auto& path : root.tree->roots()) contents.roots.push_back(path);
    contents.splits.push_back({root.split, root.tree, {}, {}, {}});
    LabeledSamples& labeled = all.emplace_back();
    for (Sample& sample : samples_in(*root.tree, left_out)) {
      try {
        labeled.texts.push_back(short_label(label_text(*root.tree, sample, left_out)));
        labeled.samples.push_back(std::move(sample));
      } catch (const FormatError& error) {
        if (!options.skip_unreadable) {
          throw FormatError("read " + root.tree->name_of(sample.file_of_label()) + ": " + error.what());
        }
        contents.left_out.push_back({0, sample.file_of_label(), error.what()});
      }
    }
  }
  contents.remarks = left_out.remarks();
  number_samples(all, options, contents);
  for (const SplitImages& list : contents.splits) {
    if (!list.paths.empty()) continue;
    throw FormatError("read " + list.tree->name_of("") + ": no sample has an image and a label; " +
                      (contents.left_out.empty() ? "it has no samples" : contents.left_out.back().reason));
  }
  return contents;
}

}  // namespace octavo::sources
