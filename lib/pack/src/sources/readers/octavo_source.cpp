#include "sources/readers/octavo_source.hpp"

#include <cstring>
#include <optional>
#include <string_view>
#include <unordered_set>

#include <octavo/errors.hpp>

#include "format/index/header.hpp"
#include "format/statistics/codes.hpp"
#include "sources/multi_labels.hpp"
#include "sources/recorded_loss.hpp"
#include "sources/source_reader.hpp"
#include "support/file.hpp"
#include "support/strict_json.hpp"

namespace octavo::sources {
namespace {

std::span<std::int8_t> as_codes(std::span<std::uint8_t> values) {
  return {reinterpret_cast<std::int8_t*>(values.data()), values.size()};
}

// Each repacking of a repacked file nests the provenance two levels deeper, and the index allows 32 in total.
constexpr int kKeptLevels = 20;

/// Omits anything deeper.
void cut_below(Json& json, int levels) {
  if (!json.is_structured()) return;
  if (levels == 0) {
    json = "left out";
    return;
  }
  for (auto& part : json) cut_below(part, levels - 1);
}

/// The notes in one entry of "source_sizes"; nothing if it is not about this split. The provenance is untrusted text.
std::optional<ImageSizeNotes> read_sizes(const Json& entry, const std::string& split) {
  if (!entry.is_object()) return std::nullopt;
  const auto text = [&](const char* key) {
    return entry.contains(key) && entry[key].is_string() ? entry[key] : Json("");
  };
  const auto number = [&](const char* key) {
    return entry.contains(key) && entry[key].is_number_integer() ? entry[key].get<std::int64_t>() : 0;
  };
  if (text("split") != split || number("images") < 1) return std::nullopt;
  ImageSizeNotes sizes{.split = split,
                       .images = number("images"),
                       .smallest = text("smallest"),
                       .median = text("median"),
                       .largest = text("largest"),
                       .enlarged = number("enlarged"),
                       .outliers = number("outliers")};
  if (const auto deciles = entry.find("deciles"); deciles != entry.end() && deciles->is_array()) {
    for (const Json& size : *deciles) sizes.deciles.push_back(size.is_string() ? size : Json(""));
  }
  const auto outliers = entry.find("first_outliers");
  if (outliers == entry.end() || !outliers->is_array()) return sizes;
  for (const Json& outlier : *outliers) {
    const bool is_whole = outlier.is_object() && outlier.contains("name") && outlier["name"].is_string() &&
                          outlier.contains("size") && outlier["size"].is_string();
    if (is_whole) sizes.first_outliers.push_back({outlier["name"], outlier["size"]});
  }
  return sizes;
}

/// Takes the original image sizes of a split out of a provenance.
std::vector<ImageSizeNotes> take_sizes(Json& provenance, const std::string& split) {
  std::vector<ImageSizeNotes> taken;
  const auto notes = provenance.find("notes");
  if (notes == provenance.end() || !notes->is_object() || !notes->contains("source_sizes")) return taken;
  Json& all = (*notes)["source_sizes"];
  for (std::size_t i = 0; all.is_array() && i < all.size();) {
    auto sizes = read_sizes(all[i], split);
    if (!sizes) {
      ++i;
      continue;
    }
    taken.push_back(std::move(*sizes));
    all.erase(i);
  }
  return taken;
}

SourceSplit describe(const Split& split) {
  return {split.name(),
          split.sample_count(),
          split.shape(),
          split.labels(),
          split.color(),
          split.source_dtype(),
          split.statistics().quantization,
          split.has_masks(),
          split.columns(),
          split.max_error()};
}

bool is_dataset_file(const FileStart& start) {
  return start.is_on_disk() && dataset_file::begins_as_packed_file(start.bytes());
}

bool is_named_as_dataset_file(const std::string& name) { return name.ends_with(".h5") || name.ends_with(".hdf5"); }

}  // namespace

OctavoSource::OctavoSource(Dataset dataset, const std::string& wanted, const std::string& new_name)
    : dataset_(std::move(dataset)), class_names_(dataset_.class_names()) {
  const auto names = wanted.empty() ? dataset_.split_names() : std::vector<std::string>{wanted};
  for (const std::string& name : names) {
    parts_.push_back(dataset_.split(name));
    splits_.push_back(describe(parts_.back()));
    metadata_.push_back(parse_strict_json(parts_.back().metadata()));
  }
  if (new_name.empty()) return;
  if (splits_.size() != 1) {
    throw DataError("read " + quoted(dataset_.path()) + " as split \"" + new_name + "\": it holds " +
                    std::to_string(splits_.size()) + " splits; choose one with " + dataset_.path().filename().string() +
                    "::SPLIT");
  }
  splits_[0].name = new_name;
}

void OctavoSource::name_classes(const std::vector<std::string>& names) {
  if (!class_names_.empty() && names.size() != class_names_.size()) {
    throw FormatError("read " + quoted(dataset_.path()) + ": got " + std::to_string(names.size()) +
                      " class names for " + std::to_string(class_names_.size()) + " classes; give one name per class");
  }
  const std::unordered_set<std::string_view> new_names(names.begin(), names.end());
  for (std::size_t i = 0; i < class_names_.size(); ++i) {
    if (names[i] == class_names_[i] || !new_names.contains(class_names_[i])) continue;
    throw DataError("rename the classes of " + quoted(dataset_.path()) + ": class " + std::to_string(i) + ", \"" +
                    class_names_[i] + "\", would get the name of another class, \"" + names[i] +
                    "\"; classes keep their numbers: give the names in the file's order");
  }
  class_names_ = names;
}

std::string OctavoSource::sample_name(std::size_t split, std::int64_t row) const {
  if (auto name = parts_[split].sample_name(row)) return *std::move(name);
  return place_of(split, row);
}

std::string OctavoSource::place_of(std::size_t split, std::int64_t row) const {
  return dataset_.path().filename().string() + ":" + parts_[split].name() + "#" + std::to_string(row);
}

std::optional<std::string> OctavoSource::sample_path(std::size_t split, std::int64_t row) const {
  return parts_[split].sample_name(row);
}

std::string OctavoSource::sample_metadata(std::size_t split, std::int64_t row) const {
  Json values = Json::array();
  for (const auto& [name, column] : metadata_[split].items()) values.push_back(column[static_cast<std::size_t>(row)]);
  return values.dump();
}

std::optional<std::int32_t> OctavoSource::class_index(std::size_t split, std::int64_t row) const {
  if (parts_[split].labels().kind != LabelKind::class_index) return std::nullopt;
  std::int32_t label = 0;
  parts_[split].read_labels(row, 1, std::as_writable_bytes(std::span(&label, 1)));
  return label;
}

std::vector<std::int32_t> OctavoSource::class_indices(std::size_t split, std::int64_t row) const {
  const LabelLayout layout = parts_[split].labels();
  if (layout.kind != LabelKind::multi_label) return Source::class_indices(split, row);
  std::vector<std::byte> labels(static_cast<std::size_t>(layout.bytes_per_sample()));
  parts_[split].read_labels(row, 1, labels);
  return classes_of_multi_labels(labels);
}

std::vector<SampleFailure> OctavoSource::read(std::size_t split, std::int64_t first_row, std::int64_t count,
                                              std::span<std::uint8_t> values, std::span<std::byte> labels) {
  std::vector<SampleFailure> failures;
  try {
    parts_[split].read_checked(first_row, count, as_codes(values), labels);
  } catch (const FormatError&) {
    read_one_by_one(split, first_row, count, values, labels, failures);
  }
  statistics::flip_top_bits(values);
  return failures;
}

std::vector<SampleFailure> OctavoSource::read_masks(std::size_t split, std::int64_t first_row, std::int64_t count,
                                                    std::span<std::uint8_t> masks) {
  // read() has compared the checksums, which cover the masks, and has reported damaged samples.
  parts_[split].read_masks(first_row, count, masks);
  return {};
}

void OctavoSource::read_one_by_one(std::size_t split, std::int64_t first_row, std::int64_t count,
                                   std::span<std::uint8_t> values, std::span<std::byte> labels,
                                   std::vector<SampleFailure>& failures) const {
  const std::size_t value_count = values.size() / static_cast<std::size_t>(count);
  const std::size_t label_bytes = labels.size() / static_cast<std::size_t>(count);
  for (std::int64_t row = first_row; row < first_row + count; ++row) {
    const auto at = static_cast<std::size_t>(row - first_row);
    try {
      parts_[split].read_checked(row, 1, as_codes(values.subspan(at * value_count, value_count)),
                                 labels.subspan(at * label_bytes, label_bytes));
    } catch (const FormatError& error) {
      const auto name = parts_[split].sample_name(row);
      failures.push_back({row, place_of(split, row) + (name ? " (" + *name + ")" : ""), error.what()});
    }
  }
}

SourceNotes OctavoSource::notes() const {
  SourceNotes notes;
  Json made = Json::parse(dataset_.provenance());
  cut_below(made, kKeptLevels);
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    // A split merged from several sources has several entries.
    for (ImageSizeNotes& sizes : take_sizes(made, parts_[i].name())) {
      sizes.split = splits_[i].name;
      sizes.of_whole_split = true;
      if (!notes.image_sizes) notes.image_sizes.emplace();
      notes.image_sizes->push_back(std::move(sizes));
    }
  }
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    auto loss = recorded_loss(made, parts_[i].name(), parts_[i].sample_count());
    if (!loss) continue;
    loss->split = splits_[i].name;
    notes.quantized.push_back(std::move(*loss));
  }
  notes.histories.push_back(
      {dataset_.path().filename().string(), made.dump(-1, ' ', false, Json::error_handler_t::replace)});
  return notes;
}

namespace {

Opened open_dataset_file(SourceEntry& opened, const OpenContext& context) {
  auto source = opened.dataset
                    ? std::make_unique<OctavoSource>(*opened.dataset, opened.images, opened.split)
                    : std::make_unique<OctavoSource>(*opened.tree->disk_path(opened.path), opened.images, opened.split);
  const SourceOptions& options = context.options;
  if (!options.class_names.empty() && !context.is_alone && !source->class_names().empty()) {
    throw InvalidArgument("name the classes of " + opened.name() +
                          ": the classes of several sources are matched by name; omit `classes`, or rename classes "
                          "with `class_map`");
  }
  if (!options.class_names.empty()) source->name_classes(options.class_names);
  if (!options.with_masks) source->leave_out_masks();
  return source;
}

}  // namespace

const SourceReader kOctavoReader = {.name = "octavo",
                                    .kind = "an HDF5 file",
                                    .looks_like = &is_dataset_file,
                                    .found_by = FoundBy::disk_extension,
                                    .is_named = &is_named_as_dataset_file,
                                    .is_input = &is_dataset_file,
                                    .may_hold_splits = &always,
                                    .names = PathNames::split,
                                    .open = &open_dataset_file};

}  // namespace octavo::sources
