#include <octavo/source_notes.hpp>

#include <string>
#include <vector>

#include <octavo/text.hpp>

#include "support/strict_json.hpp"

namespace octavo {
namespace {

std::string size_text(const std::array<std::int64_t, 2>& size) {
  return std::to_string(size[0]) + "x" + std::to_string(size[1]);
}

Json to_json(const LevelUse& use) {
  Json json = {{"levels", use.levels}, {"is_coarse", use.is_coarse}};
  if (use.is_mostly_clipped) json["is_mostly_clipped"] = true;
  if (use.clipped_share > 0.0) json["clipped_share"] = use.clipped_share;
  if (use.effective_bits) json["effective_bits"] = *use.effective_bits;
  if (use.relative_error) json["relative_error"] = *use.relative_error;
  if (use.relative_error_with_clipped) json["relative_error_with_clipped"] = *use.relative_error_with_clipped;
  if (use.channel) json["channel"] = *use.channel;
  if (use.better_percentile) json["better_percentile"] = *use.better_percentile;
  return json;
}

Json to_json(const QuantizationNotes& quantized) {
  Json channels = Json::array();
  for (const ChannelLoss& loss : quantized.channels) {
    channels.push_back({{"low", loss.low},
                        {"high", loss.high},
                        {"largest_error", loss.largest_error},
                        {"mean_rounding", loss.mean_rounding},
                        {"clipped", loss.clipped}});
    if (loss.smallest) channels.back()["smallest"] = *loss.smallest;
    if (loss.largest) channels.back()["largest"] = *loss.largest;
    if (loss.levels) channels.back()["levels"] = *loss.levels;
    if (loss.effective_bits) channels.back()["effective_bits"] = *loss.effective_bits;
  }
  Json json = {{"from", quantized.from}, {"channels", channels}, {"samples", quantized.samples}};
  if (quantized.levels) json["levels"] = {{"before", quantized.levels->before}, {"after", quantized.levels->after}};
  if (quantized.max_error != 0) json["max_error"] = quantized.max_error;
  if (quantized.psnr_db) json["psnr_db"] = *quantized.psnr_db;
  if (quantized.level_use) json["level_use"] = to_json(*quantized.level_use);
  if (!quantized.source_split.empty()) json["source_split"] = quantized.source_split;
  for (const auto& sample : quantized.worst) {
    json["worst"].push_back({{"row", sample.row}, {"rms_steps", sample.rms_steps}});
  }
  return json;
}

Json to_json(const ImageSizeNotes& sizes) {
  Json outliers = Json::array();
  for (const auto& outlier : sizes.first_outliers)
    outliers.push_back({{"name", as_utf8(outlier.name)}, {"size", outlier.size}});
  Json json = {{"split", sizes.split},       {"images", sizes.images},    {"smallest", sizes.smallest},
               {"median", sizes.median},     {"largest", sizes.largest},  {"enlarged", sizes.enlarged},
               {"outliers", sizes.outliers}, {"first_outliers", outliers}};
  if (!sizes.deciles.empty()) json["deciles"] = sizes.deciles;
  if (sizes.of_whole_split) json["of_whole_split"] = true;
  return json;
}

void add_conversion(const ConversionNotes& conversion, Json& json) {
  if (conversion.size) {
    json["size"] = size_text(*conversion.size);
    json["fit"] = conversion.fit;
    json["filter"] = "triangle, antialiased";
  }
  json["channels"] = conversion.channels;
  json["background"] = conversion.background;
  json["conversions"] = "docs/conversions.md";
}

Json to_json(const Holdout& holdout, std::uint64_t seed) {
  switch (holdout.kind) {
    case Holdout::Kind::none:
      return nullptr;
    case Holdout::Kind::fraction:
      return {{"share", holdout.fraction}, {"seed", seed}};
    case Holdout::Kind::fold:
      return {{"fold", holdout.fold}, {"folds", holdout.fold_count}, {"seed", seed}};
    case Holdout::Kind::column:
      return {{"column", holdout.column}, {"value", holdout.value}};
  }
  return nullptr;
}

void add_histories(const std::vector<HistoryNotes>& histories, Json& json) {
  for (const HistoryNotes& history : histories) {
    const std::string key = "made from " + as_utf8(history.file);
    std::string name = key;
    // Files with the same name in different folders.
    for (int number = 2; json.contains(name); ++number) name = key + " (" + std::to_string(number) + ")";
    json[name] = Json::parse(history.provenance);
  }
}

/// File names are bytes.
std::vector<std::string> in_utf8(std::vector<std::string> names) {
  for (std::string& name : names) name = as_utf8(name);
  return names;
}

}  // namespace

std::string to_json(const SourceNotes& notes) {
  Json json = parse_strict_json(notes.custom);
  if (notes.lacks_labels) {
    json["labels"] = notes.label_problem.empty() ? "no labels found for the images" : notes.label_problem;
  }
  for (const QuantizationNotes& quantized : notes.quantized) json["quantized " + quantized.split] = to_json(quantized);
  if (notes.conversion) add_conversion(*notes.conversion, json);
  if (notes.ignored_files) json["ignored_files"] = *notes.ignored_files;
  if (!notes.first_ignored_files.empty()) json["first_ignored_files"] = in_utf8(notes.first_ignored_files);
  if (notes.image_sizes) {
    json["source_sizes"] = Json::array();
    for (const ImageSizeNotes& sizes : *notes.image_sizes) json["source_sizes"].push_back(to_json(sizes));
  }
  if (notes.listed_bytes) json["listed_bytes"] = *notes.listed_bytes;
  if (!notes.remarks.empty()) json["remarks"] = in_utf8(notes.remarks);
  if (!notes.folders_without_images.empty()) json["folders_without_images"] = in_utf8(notes.folders_without_images);
  for (const auto& [value, name] : notes.mask_classes) json["mask_classes"][std::to_string(value)] = as_utf8(name);
  if (!notes.select.empty()) json["select"] = as_utf8(notes.select);
  if (notes.limit) json["limit"] = *notes.limit;
  if (notes.holdout.kind != Holdout::Kind::none) json["holdout"] = to_json(notes.holdout, notes.holdout_seed);
  if (!notes.group_by.empty()) json["group_by"] = notes.group_by;
  add_histories(notes.histories, json);
  // Other bytes that are not UTF-8 become U+FFFD.
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace octavo
