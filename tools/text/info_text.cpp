#include "text/info_text.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <iostream>
#include <map>
#include <set>
#include <string_view>

#include "text/human_units.hpp"
#include "text/range_text.hpp"
#include "text/text_table.hpp"

namespace octavo::tools {
namespace {

/// If there are more classes than this, only the first kFirstClasses are listed.
constexpr std::size_t kMostClasses = 20;
constexpr std::size_t kFirstClasses = 10;

// ---- For people ---------------------------------------------------------------

/// "photos.h5: 8,677 samples of 3x64x64 in 2 splits, 101 classes; 101.7 MiB, as float32 406.7 MiB".
std::string summary(const DatasetOverview& overview) {
  std::int64_t samples = 0, packed_bytes = 0, mask_bytes = 0;
  bool has_one_shape = true;
  for (const SplitOverview& split : overview.splits) {
    samples += split.sample_count;
    packed_bytes += split.packed_bytes;
    mask_bytes += split.mask_bytes;
    has_one_shape = has_one_shape && split.shape == overview.splits.front().shape;
  }
  std::string text = overview.path + ": " + counted(samples, "sample");
  if (has_one_shape) text += " of " + to_string(overview.splits.front().shape);
  text += " in " + counted(std::ssize(overview.splits), "split");
  if (const auto classes = std::ssize(overview.class_names); classes > 0) {
    text += ", " + format_count(classes) + (classes == 1 ? " class" : " classes");
  }
  return text + "; " + format_bytes(overview.file_bytes) + ", as float32 " +
         format_bytes(4 * packed_bytes + mask_bytes);
}

void print_file(const DatasetOverview& overview) {
  std::cout << "\nFile\n";
  TextTable table("ll");
  table.add_row(
      {"file", format_bytes(overview.file_bytes) + ", format version " + std::to_string(overview.format_version)});
  table.add_row({"written", overview.created + " by " + overview.writer});
  table.add_row({"uuid", overview.uuid});
  table.add_row({"batches", overview.center});
  table.print(std::cout, "  ");
}

double compression_ratio(const SplitOverview& split) {
  return static_cast<double>(split.packed_bytes) / static_cast<double>(split.stored_bytes);
}

/// "plain", "12.1 MiB (lp8, 1.63x)" or "9.1 MiB (lp8 with max error 1, 2.17x)".
std::string describe_stored(const SplitOverview& split) {
  if (split.compression == Compression::none) return "plain";
  return format_bytes(split.stored_bytes + split.stored_mask_bytes) + " (" + to_string(split.compression) +
         (split.max_error != 0 ? " with max error " + std::to_string(split.max_error) : "") + ", " +
         format_fixed(compression_ratio(split), 2) + "x)";
}

void print_splits(const std::vector<SplitOverview>& splits) {
  std::cout << "\nSplits\n";
  TextTable table("lrllllrrr");
  table.add_row({"split", "samples", "shape", "color", "labels", "source", "float32", "int8", "in the file"});
  for (const SplitOverview& split : splits) {
    table.add_row({split.name, format_count(split.sample_count), to_string(split.shape), name_of(split.color),
                   describe(split.labels, split.mask_counts), split.source_dtype,
                   format_bytes(4 * split.packed_bytes + split.mask_bytes),
                   format_bytes(split.packed_bytes + split.mask_bytes), describe_stored(split)});
  }
  table.print(std::cout, "  ");
  for (const SplitOverview& split : splits) {
    if (split.source_dtype != "uint8") std::cout << "  " << describe_ranges(split.name, split.quantization) << '\n';
    if (split.loss.empty()) continue;
    std::cout << "  " << split.name << (split.loss.starts_with("unknown") ? ": loss " : " is lossy: ") << split.loss
              << '\n';
  }
  for (const SplitOverview& split : splits) {
    std::string names;
    for (const std::string& name : split.columns) names += (names.empty() ? "" : ", ") + name;
    if (!names.empty()) std::cout << "  columns of " << split.name << ": " << printable(names) << '\n';
  }
}

/// The levels that a channel uses, and its effective bits.
std::vector<std::string> levels_text(const ChannelLevelsOverview& channel) {
  return {format_count(channel.levels),
          channel.effective_bits ? format_fixed(std::max(0.0, *channel.effective_bits), 1) : "exact"};
}

void print_statistics(const std::vector<SplitOverview>& splits) {
  std::cout << "\nStatistics, in source units\n";
  const bool are_losses_known = std::ranges::any_of(splits, [](const auto& split) { return !split.levels.empty(); });
  TextTable table("llrrrr");
  std::vector<std::string> head = {"split", "channel", "mean", "std"};
  if (are_losses_known) head.insert(head.end(), {"levels", "effective bits"});
  table.add_row(head);
  const auto add_row = [&](const std::string& split, const std::string& channel, double mean, double deviation,
                           const std::vector<std::string>& levels = {}) {
    std::vector<std::string> row = {split, channel, format_figure(mean), format_figure(deviation)};
    row.insert(row.end(), levels.begin(), levels.end());
    table.add_row(row);
  };
  for (const SplitOverview& split : splits) {
    add_row(split.name, "all", split.pooled_mean, split.pooled_standard_deviation);
    if (split.mean.size() == 1 || split.mean.size() > kMostListedChannels) continue;
    for (std::size_t c = 0; c < split.mean.size(); ++c) {
      add_row("", std::to_string(c), split.mean[c], split.standard_deviation[c],
              c < split.levels.size() ? levels_text(split.levels[c]) : std::vector<std::string>());
    }
  }
  table.print(std::cout, "  ");
}

/// The labels that have a name or occur.
std::vector<std::int32_t> labels_of(const DatasetOverview& overview) {
  std::set<std::int32_t> labels;
  for (std::size_t i = 0; i < overview.class_names.size(); ++i) labels.insert(static_cast<std::int32_t>(i));
  for (const SplitOverview& split : overview.splits) {
    if (!split.class_counts) continue;
    for (const auto& [label, count] : *split.class_counts) labels.insert(label);
  }
  return {labels.begin(), labels.end()};
}

std::string count_in(const SplitOverview& split, std::int32_t label) {
  if (!split.class_counts) return "";
  const auto found = split.class_counts->find(label);
  return found == split.class_counts->end() ? "0" : format_count(found->second);
}

void print_classes(const DatasetOverview& overview) {
  const std::vector<std::int32_t> labels = labels_of(overview);
  if (labels.empty()) return;
  std::cout << "\nClasses: " << format_count(static_cast<std::int64_t>(labels.size()))
            << (overview.class_names.empty() ? ", without names\n" : "\n");
  TextTable table("rl" + std::string(overview.splits.size(), 'r'));
  std::vector<std::string> head = {"label", "name"};
  for (const SplitOverview& split : overview.splits) head.push_back(split.class_counts ? split.name : "");
  table.add_row(head);
  const std::size_t listed = labels.size() > kMostClasses ? kFirstClasses : labels.size();
  for (std::size_t i = 0; i < listed; ++i) {
    const auto at = static_cast<std::size_t>(labels[i]);
    std::vector<std::string> row = {std::to_string(labels[i]),
                                    at < overview.class_names.size() ? overview.class_names[at] : ""};
    for (const SplitOverview& split : overview.splits) row.push_back(count_in(split, labels[i]));
    table.add_row(row);
  }
  table.print(std::cout, "  ");
  if (listed < labels.size())
    std::cout << "  and " << format_count(static_cast<std::int64_t>(labels.size() - listed)) << " more\n";
}

/// The share of each class of masks in the pixels of each split.
void print_masks(const DatasetOverview& overview) {
  std::map<int, std::vector<std::string>> rows;
  std::vector<std::string> head = {"class"};
  std::string note;
  MaskCounts all;
  for (const SplitOverview& split : overview.splits) {
    if (split.mask_counts) all.add(*split.mask_counts);
  }
  std::set<int> listed;
  for (const MaskShare& share : listed_shares(shares_of(all, {}))) listed.insert(share.value);
  for (const SplitOverview& split : overview.splits) {
    if (!split.mask_counts) continue;
    head.push_back(split.name);
    for (const MaskShare& share : shares_of(*split.mask_counts, overview.mask_class_names)) {
      if (!listed.contains(share.value)) continue;
      auto& row = rows[share.value];
      if (row.empty()) row = {to_text(share)};
      row.resize(head.size() - 1, "0.0 %");
      row.push_back(percent_text(share.share));
    }
    if (split.mask_counts->sample_count < split.sample_count) {
      note += "  " + split.name + ": of " + format_count(split.mask_counts->sample_count) + " samples, spread evenly\n";
    }
  }
  if (rows.empty()) return;
  std::cout << "\nMasks: share of the pixels\n";
  TextTable table("l" + std::string(head.size() - 1, 'r'));
  table.add_row(head);
  for (auto& [value, row] : rows) {
    row.resize(head.size(), "0.0 %");
    table.add_row(row);
  }
  table.print(std::cout, "  ");
  const auto count = std::ranges::count_if(all.pixels, [](std::int64_t pixels) { return pixels > 0; });
  if (count > std::ssize(listed)) std::cout << "  and " << format_count(count - std::ssize(listed)) << " more\n";
  std::cout << note;
}

std::string format_number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

/// Counts as one character each: a blank for 0, "." for few, "#" for the most.
std::string sketch(const std::array<std::int64_t, TargetSummary::kBins>& counts) {
  constexpr std::string_view kLevels = ".:-=+*#";
  const std::int64_t largest = std::max<std::int64_t>(1, *std::ranges::max_element(counts));
  std::string text;
  for (const std::int64_t count : counts) {
    const auto level = static_cast<std::size_t>(static_cast<double>(count) / static_cast<double>(largest) *
                                                static_cast<double>(kLevels.size() - 1));
    text += count == 0 ? ' ' : kLevels[level];
  }
  return "|" + text + "|";
}

void print_targets(const std::vector<SplitOverview>& splits) {
  TextTable table("lrrrrl");
  table.add_row({"split", "target", "min", "mean", "max", "histogram, from min to max"});
  bool has_some = false;
  for (const SplitOverview& split : splits) {
    for (std::size_t i = 0; i < std::min(split.targets.size(), kMostClasses); ++i) {
      const TargetSummary& column = split.targets[i];
      has_some = true;
      const std::string name = i == 0 ? split.name : "";
      const std::string not_finite =
          column.not_finite == 0 ? "" : " " + format_count(column.not_finite) + " not finite";
      if (column.count == 0) {
        table.add_row({name, std::to_string(i), "", "", "", not_finite.substr(1)});
        continue;
      }
      table.add_row({name, std::to_string(i), format_number(column.min), format_number(column.mean),
                     format_number(column.max), sketch(column.histogram) + not_finite});
    }
    if (split.targets.size() > kMostClasses) {
      table.add_row({"", "and " + format_count(std::ssize(split.targets) - std::int64_t{kMostClasses}) + " more"});
    }
  }
  if (!has_some) return;
  std::cout << "\nTargets\n";
  table.print(std::cout, "  ");
}

/// "label_column" as "label column".
std::string as_words(std::string key) {
  std::ranges::replace(key, '_', ' ');
  return printable(key);
}

std::string as_text(const Json& value);

/// The same, in parentheses if it has several parts.
std::string as_part(const Json& value) {
  return value.is_structured() && value.size() > 1 ? "(" + as_text(value) + ")" : as_text(value);
}

std::string list_as_text(const Json& values) {
  constexpr std::size_t kMostValues = 12;  // the 11 deciles fit
  std::string text;
  for (std::size_t i = 0; i < std::min(values.size(), kMostValues); ++i) {
    text += (i == 0 ? "" : ", ") + as_part(values[i]);
  }
  return text + (values.size() > kMostValues ? ", ..." : "");
}

/// Text, a number, "value, value" or "key value, key value". --json prints all of it.
std::string as_text(const Json& value) {
  if (value.is_string()) return printable(value.get<std::string>());
  if (value.is_null() || (value.is_structured() && value.empty())) return "none";
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  if (value.is_array()) return list_as_text(value);
  if (!value.is_object()) return value.dump();
  std::string text;
  for (const auto& [key, part] : value.items())
    text += (text.empty() ? "" : ", ") + as_words(key) + " " + as_part(part);
  return text;
}

/// The value under `key`; empty if `object` is not an object or has no such key. Provenance may be any text.
std::string text_at(const Json& object, const char* key) {
  return object.is_object() && object.contains(key) ? as_text(object[key]) : "";
}

Json list_at(const Json& object, const char* key) {
  return object.is_object() && object.contains(key) && object[key].is_array() ? object[key] : Json::array();
}

/// Unusual sizes of the source images, and unexpected labels.
void print_outliers(const DatasetOverview& overview) {
  TextTable table("ll");
  bool has_some = false;
  const auto add = [&](const std::string& what, const std::string& text) {
    table.add_row({what, text});
    has_some = true;
  };
  const Json notes = overview.provenance.is_object() ? overview.provenance.value("notes", Json()) : Json();
  const Json all_sizes = list_at(notes, "source_sizes");
  std::map<std::string, int> source_count, number;  // of each split
  for (const Json& sizes : all_sizes) ++source_count[text_at(sizes, "split")];
  for (const Json& sizes : all_sizes) {
    const std::string split = text_at(sizes, "split");
    const int source = ++number[split];
    add("images of " + split +
            (source_count[split] == 1 ? ""
                                      : ", source " + std::to_string(source) + " (" + text_at(sizes, "images") + ")"),
        text_at(sizes, "smallest") + " to " + text_at(sizes, "largest") + ", median " + text_at(sizes, "median") +
            "; " + text_at(sizes, "enlarged") + " enlarged, " + text_at(sizes, "outliers") + " of unusual size");
    for (const Json& outlier : list_at(sizes, "first_outliers")) {
      add("", text_at(outlier, "size") + "  " + text_at(outlier, "name"));
    }
  }
  for (const LabelOutliers& outliers : overview.label_outliers) {
    add("labels of " + outliers.split, to_text(outliers, overview.class_names));
  }
  if (!has_some) return;
  std::cout << "\nSizes and outliers\n";
  table.print(std::cout, "  ");
}

/// How the samples were chosen.
void print_choice(const DatasetOverview& overview) {
  const Json notes = overview.provenance.is_object() ? overview.provenance.value("notes", Json()) : Json();
  const std::string holdout = text_at(notes, "holdout"), group_by = text_at(notes, "group_by");
  if (!holdout.empty()) std::cout << "  held out of train: " << holdout << '\n';
  if (!group_by.empty()) std::cout << "  samples in one split: those with the same " << group_by << '\n';
}

/// Shortens text to fit a line; `--json` prints all of it.
std::string shortened(const std::string& text) {
  constexpr std::size_t kMostBytes = 400;
  if (text.size() <= kMostBytes) return text;
  std::size_t end = kMostBytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;  // not inside a UTF-8 character
  return text.substr(0, end) + " ...";
}

/// A line for each element of a list, after their number, or for each part of an object.
std::vector<std::string> lines_of(const Json& value) {
  std::vector<std::string> lines;
  if (value.is_object() && !value.empty()) {
    for (const auto& [key, part] : value.items()) {
      const bool is_table = part.is_array() && !part.empty() && part[0].is_structured();
      for (const Json& line : is_table ? part : Json::array({part}))
        lines.push_back(as_words(key) + ": " + as_text(line));
    }
    return lines;
  }
  if (!value.is_array() || value.size() < 2) return {as_text(value.is_array() && !value.empty() ? value[0] : value)};
  lines.push_back(format_count(std::ssize(value)));
  for (std::size_t i = 0; i < std::min(value.size(), kFirstClasses); ++i) lines.push_back(as_text(value[i]));
  if (value.size() > kFirstClasses) lines.emplace_back("...");
  return lines;
}

void print_provenance(const Json& provenance) {
  if (!provenance.is_object() || provenance.empty()) return;
  std::cout << "\nProvenance\n";
  TextTable table("ll");
  for (const auto& [key, value] : provenance.items()) {
    std::string name = as_words(key);
    for (const std::string& line : lines_of(value)) {
      table.add_row({name, shortened(line)});
      name.clear();
    }
  }
  table.print(std::cout, "  ");
}

void print_duplicates(const DuplicateReport& report) {
  std::cout << "\nDuplicates: " << format_count(report.duplicate_count) << " of " << format_count(report.sample_count)
            << " samples equal an earlier one\n";
  TextTable table("ll");
  table.add_row({"groups", format_count(report.group_count)});
  table.add_row({"across splits", format_count(report.between_splits_count)});
  table.add_row({"labels differ", format_count(report.labels_differ_count)});
  for (std::size_t i = 0; i < std::min(report.groups.size(), kFirstClasses); ++i) {
    std::string places;
    for (const SamplePlace& place : report.groups[i].samples) {
      places += (places.empty() ? "" : ", ") + place.split + "#" + std::to_string(place.row);
      if (!place.name.empty()) places += " (" + printable(place.name) + ")";
    }
    table.add_row({report.groups[i].labels_differ ? "labels differ" : "same labels", places});
  }
  table.print(std::cout, "  ");
}

// ---- As JSON --------------------------------------------------------------------

Json outliers_as_json(const LabelOutliers& outliers) {
  return {{"split", outliers.split},
          {"median_class_count", outliers.median_count},
          {"empty_classes", outliers.empty},
          {"rare_classes", outliers.rare},
          {"frequent_classes", outliers.frequent},
          {"nameless_classes", outliers.nameless},
          {"not_finite_targets", outliers.not_finite_targets},
          {"far_targets", outliers.far_targets}};
}

Json masks_as_json(const MaskCounts& counts, const std::map<int, std::string>& names) {
  Json classes = Json::array();
  for (const MaskShare& share : shares_of(counts, names)) {
    classes.push_back({{"value", share.value}, {"pixels", share.pixels}, {"share", share.share}});
    if (!share.name.empty()) classes.back()["name"] = share.name;
  }
  return classes;
}

Json targets_as_json(const std::vector<TargetSummary>& targets) {
  Json columns = Json::array();
  for (const TargetSummary& column : targets) {
    columns.push_back({{"count", column.count},
                       {"not_finite", column.not_finite},
                       {"min", column.count > 0 ? Json(column.min) : Json()},
                       {"mean", column.count > 0 ? Json(column.mean) : Json()},
                       {"max", column.count > 0 ? Json(column.max) : Json()},
                       {"histogram", column.histogram}});
  }
  return columns;
}

Json overview_as_json(const SplitOverview& split, const std::map<int, std::string>& mask_class_names) {
  Json described = describe_split({.name = split.name,
                                   .sample_count = split.sample_count,
                                   .shape = split.shape,
                                   .labels = split.labels,
                                   .color = split.color,
                                   .has_masks = split.has_masks});
  described.update({{"compression", to_string(split.compression)},
                    {"max_error", split.max_error},
                    {"stored_bytes", split.stored_bytes},
                    {"stored_mask_bytes", split.stored_mask_bytes},
                    {"compression_ratio", compression_ratio(split)},
                    {"source_dtype", split.source_dtype},
                    {"columns", split.columns},
                    {"mean", split.mean},
                    {"std", split.standard_deviation},
                    {"ranges", ranges_as_json(split.quantization)},
                    {"loss", split.loss},
                    {"pooled_mean", split.pooled_mean},
                    {"pooled_std", split.pooled_standard_deviation}});
  if (split.class_counts) {
    Json counts = Json::object();
    for (const auto& [label, count] : *split.class_counts) counts[std::to_string(label)] = count;
    described["class_counts"] = counts;
  }
  if (split.mask_counts) {
    described["mask_classes"] = masks_as_json(*split.mask_counts, mask_class_names);
    described["mask_samples"] = split.mask_counts->sample_count;
  }
  if (!split.targets.empty()) described["targets"] = targets_as_json(split.targets);
  return described;
}

Json duplicates_as_json(const DuplicateReport& report) {
  Json groups = Json::array();
  for (const DuplicateGroup& group : report.groups) {
    Json samples = Json::array();
    for (const SamplePlace& place : group.samples) {
      samples.push_back({{"split", place.split}, {"row", place.row}});
      if (!place.name.empty()) samples.back()["name"] = place.name;
    }
    groups.push_back({{"samples", samples}, {"labels_differ", group.labels_differ}});
  }
  return {{"samples", report.sample_count},
          {"duplicates", report.duplicate_count},
          {"groups", report.group_count},
          {"groups_between_splits", report.between_splits_count},
          {"groups_whose_labels_differ", report.labels_differ_count},
          {"first_groups", groups}};
}

}  // namespace

void print_overview(const DatasetOverview& overview, bool is_verbose) {
  std::cout << summary(overview) << '\n';
  print_splits(overview.splits);
  print_choice(overview);
  print_classes(overview);
  print_masks(overview);
  print_targets(overview.splits);
  print_outliers(overview);
  if (overview.duplicates) print_duplicates(*overview.duplicates);
  if (!is_verbose) return;
  print_file(overview);
  print_statistics(overview.splits);
  print_provenance(overview.provenance);
}

void print_overview_json(const DatasetOverview& overview) {
  Json splits = Json::array();
  for (const SplitOverview& split : overview.splits)
    splits.push_back(overview_as_json(split, overview.mask_class_names));
  Json outliers = Json::array();
  for (const LabelOutliers& found : overview.label_outliers) outliers.push_back(outliers_as_json(found));
  Json document = {{"file", overview.path},
                   {"format_version", overview.format_version},
                   {"writer", overview.writer},
                   {"created", overview.created},
                   {"uuid", overview.uuid},
                   {"file_bytes", overview.file_bytes},
                   {"splits", splits},
                   {"classes", overview.class_names},
                   {"batches", overview.center},
                   {"label_outliers", outliers},
                   {"provenance", overview.provenance}};
  if (overview.duplicates) document["duplicates"] = duplicates_as_json(*overview.duplicates);
  print_json(document);
}

}  // namespace octavo::tools
