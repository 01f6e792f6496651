#include "sources/combine/merged_source.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <set>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include <octavo/errors.hpp>
#include <octavo/text.hpp>

#include "masks/mask_class_names.hpp"
#include "sources/common_percentile.hpp"
#include "support/file.hpp"

namespace octavo::sources {
namespace {

bool has_labels(const Source& source, LabelKind kind) {
  return std::any_of(source.splits().begin(), source.splits().end(),
                     [&](const SourceSplit& split) { return split.labels.kind == kind; });
}

bool has_class_numbers(const Source& source) { return has_labels(source, LabelKind::class_index); }

/// Whether class i stays class i.
bool are_in_place(const std::vector<std::int32_t>& places) {
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (static_cast<std::size_t>(places[i]) != i) return false;
  }
  return true;
}

std::vector<ChannelQuantization> quantization_of(const SourceSplit& split) {
  if (!split.quantization.empty()) return split.quantization;
  return std::vector<ChannelQuantization>(static_cast<std::size_t>(split.shape.channels));
}

std::string first_file(const Source& source) {
  const auto files = source.files();
  return files.empty() ? "the new samples" : quoted(std::filesystem::path(files[0]));
}

/// The class names of a part, renamed by the map.
std::vector<std::string> renamed(std::vector<std::string> names, const std::map<std::string, std::string>& class_map) {
  for (std::string& name : names) {
    if (const auto found = class_map.find(name); found != class_map.end()) name = found->second;
  }
  return names;
}

void check_names_exist(const std::map<std::string, std::string>& class_map,
                       const std::vector<std::shared_ptr<Source>>& parts) {
  if (class_map.empty()) return;
  std::unordered_set<std::string_view> known;
  for (const auto& part : parts) known.insert(part->class_names().begin(), part->class_names().end());
  for (const auto& [old_name, new_name] : class_map) {
    if (!known.contains(old_name)) {
      throw DataError("rename the class \"" + old_name + "\" to \"" + new_name +
                      "\": no source has a class of that name; octavo info lists the names");
    }
  }
}

/// A mask value must mean the same in all parts, because masks are not renumbered.
void check_mask_classes(const std::vector<std::shared_ptr<Source>>& parts) {
  struct Named {
    const Source* source;
    std::string name;
  };
  std::map<int, Named> known;
  for (const auto& part : parts) {
    if (parts.size() == 1 || std::ranges::none_of(part->splits(), &SourceSplit::has_masks)) continue;
    for (auto& [value, name] : mask_class_names(part->notes())) {
      const auto& [found, is_new] = known.try_emplace(value, Named{part.get(), name});
      if (is_new || found->second.name == name) continue;
      throw DataError("merge " + first_file(*found->second.source) + " and " + first_file(*part) + ": mask value " +
                      std::to_string(value) + " is \"" + printable(found->second.name) + "\" in the first and \"" +
                      printable(name) + "\" in the second; pack the masks of both with the same `mask_colors`");
    }
  }
}

/// The smaller figures; nothing if those of a part are unknown.
void add_levels(ChannelLoss& loss, const ChannelLoss& other) {
  if (!loss.levels || !other.levels) {
    loss.levels.reset();
    loss.effective_bits.reset();
    return;
  }
  loss.levels = std::min(*loss.levels, *other.levels);
  if (!other.effective_bits) return;
  loss.effective_bits = std::min(*other.effective_bits, loss.effective_bits.value_or(*other.effective_bits));
}

/// Adds the loss of a part to that of another part of the same split, or to the list. Means are weighted by samples;
/// the PSNR and the use of levels are the smallest. Rows of parts and counts of different values do not add up, so they
/// are omitted.
void add_loss(std::vector<QuantizationNotes>& all, QuantizationNotes added) {
  const auto same = std::ranges::find(all, added.split, &QuantizationNotes::split);
  if (same == all.end()) {
    all.push_back(std::move(added));
    return;
  }
  const double share = static_cast<double>(added.samples) /
                       static_cast<double>(std::max<std::int64_t>(1, same->samples + added.samples));
  for (std::size_t c = 0; c < std::min(same->channels.size(), added.channels.size()); ++c) {
    ChannelLoss& loss = same->channels[c];
    const ChannelLoss& other = added.channels[c];
    loss.low = std::min(loss.low, other.low);
    if (loss.smallest) loss.smallest = std::min(*loss.smallest, other.smallest.value_or(other.low));
    if (loss.largest) loss.largest = std::max(*loss.largest, other.largest.value_or(other.high));
    loss.high = std::max(loss.high, other.high);
    loss.largest_error = std::max(loss.largest_error, other.largest_error);
    loss.mean_rounding += share * (other.mean_rounding - loss.mean_rounding);
    loss.clipped += other.clipped;
    add_levels(loss, other);
  }
  if (added.from != same->from) same->from += " and " + added.from;
  if (added.psnr_db) same->psnr_db = std::min(*added.psnr_db, same->psnr_db.value_or(*added.psnr_db));
  if (!same->level_use || (added.level_use && keeps_less(*added.level_use, *same->level_use))) {
    same->level_use = added.level_use;
  }
  same->max_error = std::max(same->max_error, added.max_error);
  same->samples += added.samples;
  same->is_recorded = same->is_recorded && added.is_recorded;
  same->levels.reset();
  same->worst.clear();
}

/// A growing list of class names with the index of each.
class NameTable {
 public:
  /// The index of each of `names`; missing ones are appended.
  std::vector<std::int32_t> places_of(const std::vector<std::string>& names) {
    std::vector<std::int32_t> places;
    for (const std::string& name : names) {
      const auto [at, is_new] = places_.try_emplace(name, static_cast<std::int32_t>(all_.size()));
      if (is_new) all_.push_back(name);
      places.push_back(at->second);
    }
    return places;
  }
  const std::vector<std::string>& all() const { return all_; }

 private:
  std::vector<std::string> all_;
  std::unordered_map<std::string, std::int32_t> places_;
};

}  // namespace

MergedSource::MergedSource(std::vector<std::shared_ptr<Source>> parts,
                           const std::map<std::string, std::string>& class_map, std::vector<std::string> remarks)
    : parts_(std::move(parts)), remarks_(std::move(remarks)) {
  check_names_exist(class_map, parts_);
  check_mask_classes(parts_);
  merge_class_names(class_map);
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    for (std::size_t split = 0; split < parts_[part]->splits().size(); ++split) add_split(part, split);
  }
}

void MergedSource::merge_class_names(const std::map<std::string, std::string>& class_map) {
  const Source* named = nullptr;
  const Source* unnamed = nullptr;
  NameTable names;
  for (const auto& part : parts_) {
    new_labels_.push_back(names.places_of(renamed(part->class_names(), class_map)));
    if (has_labels(*part, LabelKind::multi_label) && !are_in_place(new_labels_.back())) {
      throw DataError("merge " + first_file(*part) +
                      ": its multi-labels list the classes in another order, or some of the classes are "
                      "merged, and only class numbers can be renumbered; pack each source with the same `classes`, or "
                      "the same `label_column` if each class has a column");
    }
    if (!has_class_numbers(*part)) continue;
    (part->class_names().empty() ? unnamed : named) = part.get();
  }
  class_names_ = names.all();
  if (named != nullptr && unnamed != nullptr) {
    throw DataError("merge " + first_file(*named) + " and " + first_file(*unnamed) +
                    ": only the first has class names; pack the second with `classes` to give it names");
  }
}

void MergedSource::add_split(std::size_t part, std::size_t split) {
  const SourceSplit& added = parts_[part]->splits()[split];
  const auto same_name = [&](const SourceSplit& other) { return other.name == added.name; };
  const auto at = std::find_if(splits_.begin(), splits_.end(), same_name);
  if (at == splits_.end()) {
    splits_.push_back(added);
    pieces_.push_back({{part, split, 0}});
    return;
  }
  const std::string merge = "merge into split \"" + added.name + "\": " + first_file(*parts_[part]);
  if (at->shape != added.shape || at->color != added.color) {
    throw DataError(merge + " has samples of " + to_string(added.shape) + ", earlier sources have " +
                    to_string(at->shape) + "; use different splits, or pack the images with one `size` and `channels`");
  }
  if (at->labels != added.labels) {
    throw DataError(merge + " has labels of another kind or length than earlier sources; use different splits");
  }
  if (at->has_masks != added.has_masks) {
    throw DataError(
        merge +
        (added.has_masks ? " has masks, earlier sources have none" : " has no masks, earlier sources have them") +
        "; use different splits");
  }
  if (at->columns != added.columns) {
    throw DataError(merge + " has other columns than earlier sources; pack each source with the same `columns`");
  }
  if (quantization_of(*at) != quantization_of(added)) {
    throw DataError("merge into split \"" + added.name + "\": the values in " + first_file(*parts_[part]) +
                    " have another value range than in earlier sources; pack each source with the same `range` of two "
                    "numbers, or use different splits");
  }
  pieces_[static_cast<std::size_t>(at - splits_.begin())].push_back({part, split, at->sample_count});
  if (at->max_error != added.max_error) at->max_error = 0;  // values have no common step
  at->sample_count += added.sample_count;
}

const MergedSource::Piece& MergedSource::piece_of(std::size_t split, std::int64_t row) const {
  const auto& pieces = pieces_[split];
  const auto after = std::upper_bound(pieces.begin(), pieces.end(), row,
                                      [](std::int64_t wanted, const Piece& piece) { return wanted < piece.first_row; });
  return *(after - 1);
}

std::string MergedSource::format() const {
  std::set<std::string> formats;
  for (const auto& part : parts_) formats.insert(part->format());
  std::string text;
  for (const std::string& format : formats) text += (text.empty() ? "" : "+") + format;
  return text;
}

bool MergedSource::is_random_access() const {
  return std::all_of(parts_.begin(), parts_.end(), [](const auto& part) { return part->is_random_access(); });
}

std::string MergedSource::sample_name(std::size_t split, std::int64_t row) const {
  const Piece& piece = piece_of(split, row);
  return parts_[piece.part]->sample_name(piece.split, row - piece.first_row);
}

std::optional<std::string> MergedSource::sample_path(std::size_t split, std::int64_t row) const {
  const Piece& piece = piece_of(split, row);
  return parts_[piece.part]->sample_path(piece.split, row - piece.first_row);
}

bool MergedSource::has_sample_paths(std::size_t split) const {
  return std::ranges::any_of(pieces_[split],
                             [&](const Piece& piece) { return parts_[piece.part]->has_sample_paths(piece.split); });
}

std::optional<std::int32_t> MergedSource::class_index(std::size_t split, std::int64_t row) const {
  const Piece& piece = piece_of(split, row);
  const auto label = parts_[piece.part]->class_index(piece.split, row - piece.first_row);
  if (!label) return std::nullopt;
  return renumbered(piece.part, *label);
}

std::vector<std::int32_t> MergedSource::class_indices(std::size_t split, std::int64_t row) const {
  const Piece& piece = piece_of(split, row);
  auto labels = parts_[piece.part]->class_indices(piece.split, row - piece.first_row);
  for (std::int32_t& label : labels) label = renumbered(piece.part, label);
  return labels;
}

std::int32_t MergedSource::renumbered(std::size_t part, std::int32_t label) const {
  const auto& labels = new_labels_[part];
  const bool is_known = label >= 0 && static_cast<std::size_t>(label) < labels.size();
  return is_known ? labels[static_cast<std::size_t>(label)] : label;
}

void MergedSource::renumber(const Piece& piece, std::span<std::byte> labels) const {
  if (parts_[piece.part]->splits()[piece.split].labels.kind != LabelKind::class_index) return;
  for (std::size_t at = 0; at < labels.size(); at += 4) {
    std::int32_t label;
    std::memcpy(&label, labels.data() + at, sizeof label);
    label = renumbered(piece.part, label);
    std::memcpy(labels.data() + at, &label, sizeof label);
  }
}

std::string MergedSource::sample_metadata(std::size_t split, std::int64_t row) const {
  const Piece& piece = piece_of(split, row);
  return parts_[piece.part]->sample_metadata(piece.split, row - piece.first_row);
}

std::vector<SampleFailure> MergedSource::read(std::size_t split, std::int64_t first_row, std::int64_t count,
                                              std::span<std::uint8_t> values, std::span<std::byte> labels) {
  const std::size_t value_count = static_cast<std::size_t>(splits_[split].shape.values());
  const std::size_t label_bytes = static_cast<std::size_t>(splits_[split].labels.bytes_per_sample());
  std::vector<SampleFailure> failures;
  while (count > 0) {
    const Piece& piece = piece_of(split, first_row);
    const std::int64_t row = first_row - piece.first_row;
    const std::int64_t rows = std::min(count, parts_[piece.part]->splits()[piece.split].sample_count - row);
    const auto piece_labels = labels.first(static_cast<std::size_t>(rows) * label_bytes);
    for (SampleFailure& failure : parts_[piece.part]->read(
             piece.split, row, rows, values.first(static_cast<std::size_t>(rows) * value_count), piece_labels)) {
      failure.row += piece.first_row;
      failures.push_back(std::move(failure));
    }
    renumber(piece, piece_labels);
    values = values.subspan(static_cast<std::size_t>(rows) * value_count);
    labels = labels.subspan(piece_labels.size());
    first_row += rows;
    count -= rows;
  }
  return failures;
}

std::vector<SampleFailure> MergedSource::read_masks(std::size_t split, std::int64_t first_row, std::int64_t count,
                                                    std::span<std::uint8_t> masks) {
  const std::size_t width = static_cast<std::size_t>(splits_[split].shape.values_per_channel());
  std::vector<SampleFailure> failures;
  while (count > 0) {
    const Piece& piece = piece_of(split, first_row);
    const std::int64_t row = first_row - piece.first_row;
    const std::int64_t rows = std::min(count, parts_[piece.part]->splits()[piece.split].sample_count - row);
    for (SampleFailure& failure :
         parts_[piece.part]->read_masks(piece.split, row, rows, masks.first(static_cast<std::size_t>(rows) * width))) {
      failure.row += piece.first_row;
      failures.push_back(std::move(failure));
    }
    masks = masks.subspan(static_cast<std::size_t>(rows) * width);
    first_row += rows;
    count -= rows;
  }
  return failures;
}

std::vector<SampleFailure> MergedSource::left_out() const {
  std::vector<SampleFailure> all;
  for (const auto& part : parts_) {
    for (SampleFailure& sample : part->left_out()) all.push_back(std::move(sample));
  }
  return all;
}

std::vector<std::string> MergedSource::files() const {
  std::vector<std::string> all;
  std::unordered_set<std::string> seen;  // several parts may come from one archive
  for (const auto& part : parts_) {
    for (std::string& file : part->files()) {
      if (seen.insert(file).second) all.push_back(std::move(file));
    }
  }
  return all;
}

SourceNotes MergedSource::notes() const {
  SourceNotes all;
  all.remarks = remarks_;
  std::unordered_set<std::string> known(remarks_.begin(), remarks_.end());  // several parts may come from one file
  const auto append = [](auto& to, auto& from) { std::move(from.begin(), from.end(), std::back_inserter(to)); };
  for (const auto& part : parts_) {
    SourceNotes notes = part->notes();
    all.lacks_labels = all.lacks_labels || notes.lacks_labels;
    for (QuantizationNotes& quantized : notes.quantized) add_loss(all.quantized, std::move(quantized));
    if (notes.conversion) all.conversion = notes.conversion;
    if (notes.ignored_files) all.ignored_files = all.ignored_files.value_or(0) + *notes.ignored_files;
    append(all.first_ignored_files, notes.first_ignored_files);
    if (notes.listed_bytes) all.listed_bytes = all.listed_bytes.value_or(0) + *notes.listed_bytes;
    if (notes.image_sizes) {
      if (!all.image_sizes) all.image_sizes.emplace();
      append(*all.image_sizes, *notes.image_sizes);
    }
    if (all.label_problem.empty()) all.label_problem = notes.label_problem;
    for (std::string& remark : notes.remarks) {
      if (known.insert(remark).second) all.remarks.push_back(std::move(remark));
    }
    append(all.folders_without_images, notes.folders_without_images);
    append(all.histories, notes.histories);
    all.mask_classes.merge(notes.mask_classes);
    if (notes.custom != "{}") all.custom = notes.custom;
  }
  keep_common_percentile(all.quantized);
  if (all.first_ignored_files.size() > kMostIgnoredFileNames) all.first_ignored_files.resize(kMostIgnoredFileNames);
  return all;
}

}  // namespace octavo::sources
