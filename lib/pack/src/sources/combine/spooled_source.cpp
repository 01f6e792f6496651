#include <octavo/spooled_source.hpp>

#include <algorithm>
#include <cstring>
#include <utility>

#include <octavo/errors.hpp>
#include <octavo/text.hpp>

#include "format/label_check.hpp"
#include "format/limits.hpp"
#include "sources/multi_labels.hpp"
#include "support/file.hpp"
#include "support/text/utf8.hpp"

namespace octavo {
namespace {

/// The size of a name slot: the length, then at most 255 bytes, the most that the format stores.
constexpr std::size_t kNameSlotBytes = 256;

std::string where(const SourceSplit& split, std::int64_t row) {
  return "append to split " + split.name + ", sample " + std::to_string(row) + ": ";
}

/// Replaces each of `count` samples of `values` bytes by three copies of it.
void repeat_channel(const File& pixels, std::int64_t values, std::int64_t count) {
  std::vector<std::byte> sample(static_cast<std::size_t>(3 * values));
  // Backward: the space of a converted sample begins after all samples that are still to be read.
  for (std::int64_t row = count - 1; row >= 0; --row) {
    const auto gray = std::span(sample).first(static_cast<std::size_t>(values));
    pixels.read_at(row * values, gray);
    std::ranges::copy(gray, sample.begin() + values);
    std::ranges::copy(gray, sample.begin() + 2 * values);
    pixels.write_at(row * 3 * values, sample);
  }
}

}  // namespace

/// The samples of one split in separate files: pixels, labels, and masks, names and metadata if there are any.
class SpooledSource::Spool {
 public:
  Spool(const std::filesystem::path& folder, bool with_masks, bool with_names, bool with_metadata)
      : pixels_(File::create_unnamed(folder)), labels_(File::create_unnamed(folder)) {
    if (with_masks) masks_ = File::create_unnamed(folder);
    if (with_names) names_ = File::create_unnamed(folder);
    if (with_metadata) metadata_ = File::create_unnamed(folder);
  }

  bool has_names() const { return static_cast<bool>(names_); }
  const File& pixels() const { return pixels_; }
  const File& labels() const { return labels_; }
  const File& masks() const { return masks_; }

  void write_names(std::int64_t first_row, std::span<const std::string> names) const {
    std::vector<std::byte> slots(names.size() * kNameSlotBytes);
    for (std::size_t i = 0; i < names.size(); ++i) {
      const std::string_view name = cut_utf8(names[i], kNameSlotBytes - 1);
      slots[i * kNameSlotBytes] = static_cast<std::byte>(name.size());
      std::memcpy(slots.data() + i * kNameSlotBytes + 1, name.data(), name.size());
    }
    names_.write_at(first_row * static_cast<std::int64_t>(kNameSlotBytes), slots);
  }
  std::string name(std::int64_t row) const {
    std::vector<std::byte> slot(kNameSlotBytes);
    names_.read_at(row * static_cast<std::int64_t>(kNameSlotBytes), slot);
    return {reinterpret_cast<const char*>(slot.data()) + 1, static_cast<std::size_t>(slot[0])};
  }

  void write_metadata(std::span<const std::string> metadata) {
    std::string text;
    std::vector<std::int64_t> ends;
    for (const std::string& one : metadata) {
      text += one;
      ends.push_back(metadata_ends_.back() + std::ssize(text));
    }
    metadata_.write_at(metadata_ends_.back(), std::as_bytes(std::span(text)));
    metadata_ends_.insert(metadata_ends_.end(), ends.begin(), ends.end());
  }
  std::string metadata(std::int64_t row) const {
    const auto at = static_cast<std::size_t>(row);
    std::string text(static_cast<std::size_t>(metadata_ends_[at + 1] - metadata_ends_[at]), '\0');
    metadata_.read_at(metadata_ends_[at], std::as_writable_bytes(std::span(text)));
    return text;
  }

 private:
  File pixels_;
  File labels_;
  File masks_;
  File names_;
  File metadata_;
  std::vector<std::int64_t> metadata_ends_ = {0};
};

SpooledSource::SpooledSource(std::filesystem::path folder, std::vector<std::string> class_names, std::string notes)
    : folder_(folder.empty() ? "." : std::move(folder)),
      class_names_(std::move(class_names)),
      notes_(std::move(notes)) {
  static_cast<void>(File::create_unnamed(folder_));  // fails now if the folder is not writable
}
SpooledSource::~SpooledSource() = default;

SourceNotes SpooledSource::notes() const {
  SourceNotes notes;
  notes.custom = notes_;
  notes.remarks = remarks_;
  notes.quantized = quantized_;
  return notes;
}

const std::vector<SourceSplit>& SpooledSource::splits() const { return splits_; }

std::size_t SpooledSource::split_for(const SourceSplit& layout, bool with_names) {
  for (std::size_t split = 0; split < splits_.size(); ++split) {
    if (splits_[split].name != layout.name) continue;
    const SourceSplit& known = splits_[split];
    if (known.shape != layout.shape || known.color != layout.color) {
      throw InvalidArgument(where(known, known.sample_count) + "its shape is " + to_string(layout.shape) +
                            ", earlier samples are " + to_string(known.shape) +
                            "; convert all images of a split to one size and one number of channels");
    }
    if (known.labels != layout.labels) {
      throw InvalidArgument(where(known, known.sample_count) + "its label differs in kind or length from earlier ones");
    }
    if (known.has_masks != layout.has_masks) {
      throw InvalidArgument(where(known, known.sample_count) +
                            "either all samples of a split have a mask, or none does");
    }
    if (known.columns != layout.columns || known.quantization != layout.quantization) {
      throw InvalidArgument(where(known, known.sample_count) +
                            "its columns or its value range differ from earlier ones");
    }
    return split;
  }
  if (!is_split_name(layout.name)) {
    throw InvalidArgument("append to a split: \"" + layout.name +
                          "\" is not a valid split name; use up to 64 letters, digits, '_', '.' and '-'");
  }
  if (const auto problem = dataset_file::layout_problem(layout.shape, layout.labels, 1)) {
    throw InvalidArgument(where(layout, 0) + *problem);
  }
  spools_.push_back(std::make_unique<Spool>(folder_, layout.has_masks, with_names, !layout.columns.empty()));
  splits_.push_back(layout);
  splits_.back().sample_count = 0;
  return splits_.size() - 1;
}

void SpooledSource::append(const SourceSplit& layout, std::span<const std::uint8_t> values,
                           std::span<const std::byte> labels, std::span<const std::string> names,
                           std::span<const std::uint8_t> masks, std::span<const std::string> metadata) {
  const auto row_values = static_cast<std::size_t>(std::max<std::int64_t>(1, layout.shape.values()));
  const std::size_t count = values.size() / row_values;
  if (count == 0 || values.size() % row_values != 0 ||
      labels.size() != count * static_cast<std::size_t>(layout.labels.bytes_per_sample())) {
    throw InvalidArgument("append to split " + layout.name +
                          ": values and labels are not whole samples, or differ in number");
  }
  const std::int64_t mask_values = layout.has_masks ? layout.shape.values_per_channel() : 0;
  if (masks.size() != count * static_cast<std::size_t>(mask_values)) {
    throw InvalidArgument("append to split " + layout.name + ": masks of " + std::to_string(masks.size()) +
                          " values for " + std::to_string(count) + " samples; expected " + std::to_string(mask_values) +
                          " each");
  }
  if (!names.empty() && names.size() != count) {
    throw InvalidArgument("append to split " + layout.name + ": names and samples differ in number");
  }
  if (metadata.size() != (layout.columns.empty() ? 0 : count)) {
    throw InvalidArgument("append to split " + layout.name + ": metadata and samples differ in number");
  }
  for (std::size_t number = 0; number < labels.size() / 4; ++number) {
    const char* problem = dataset_file::label_problem(layout.labels.kind, labels, number, class_names_.size());
    if (problem == nullptr) continue;
    std::int64_t row = static_cast<std::int64_t>(number) / layout.labels.width;
    for (const SourceSplit& known : splits_) row += known.name == layout.name ? known.sample_count : 0;
    throw InvalidArgument(where(layout, row) + problem);
  }

  const std::size_t split = split_for(layout, !names.empty());
  Spool& spool = *spools_[split];
  SourceSplit& known = splits_[split];
  if (spool.has_names() != !names.empty()) {
    throw InvalidArgument(where(known, known.sample_count) + "either all samples of a split have names, or none does");
  }
  spool.pixels().write_at(known.sample_count * known.shape.values(), std::as_bytes(values));
  spool.labels().write_at(known.sample_count * known.labels.bytes_per_sample(), labels);
  if (known.has_masks) spool.masks().write_at(known.sample_count * mask_values, std::as_bytes(masks));
  if (spool.has_names()) spool.write_names(known.sample_count, names);
  if (!metadata.empty()) spool.write_metadata(metadata);
  known.sample_count += static_cast<std::int64_t>(count);
}

void SpooledSource::convert_to_rgb(std::string_view split_name) {
  const auto split = std::ranges::find(splits_, split_name, &SourceSplit::name);
  if (split == splits_.end() || split->color != Color::gray) {
    throw InvalidArgument("convert split " + std::string(split_name) + " to RGB: it is not a gray split");
  }
  const std::int64_t count = std::exchange(split->sample_count, 0);  // nothing is served if the conversion fails
  repeat_channel(spools_[static_cast<std::size_t>(split - splits_.begin())]->pixels(), split->shape.values(), count);
  split->sample_count = count;
  split->shape.channels = 3;
  split->color = Color::rgb;
  if (!split->quantization.empty()) split->quantization.resize(3, split->quantization[0]);
}

std::string SpooledSource::sample_name(std::size_t split, std::int64_t row) const {
  if (spools_[split]->has_names()) return spools_[split]->name(row);
  return splits_[split].name + "#" + std::to_string(row);
}

std::optional<std::string> SpooledSource::sample_path(std::size_t split, std::int64_t row) const {
  return spools_[split]->has_names() ? std::optional(spools_[split]->name(row)) : std::nullopt;
}

std::optional<std::int32_t> SpooledSource::class_index(std::size_t split, std::int64_t row) const {
  if (splits_[split].labels.kind != LabelKind::class_index) return std::nullopt;
  std::int32_t label = 0;
  spools_[split]->labels().read_at(row * 4, std::as_writable_bytes(std::span(&label, 1)));
  return label;
}

std::vector<std::int32_t> SpooledSource::class_indices(std::size_t split, std::int64_t row) const {
  const LabelLayout& layout = splits_[split].labels;
  if (layout.kind != LabelKind::multi_label) return Source::class_indices(split, row);
  std::vector<std::byte> labels(static_cast<std::size_t>(layout.bytes_per_sample()));
  spools_[split]->labels().read_at(row * layout.bytes_per_sample(), labels);
  return sources::classes_of_multi_labels(labels);
}

std::string SpooledSource::sample_metadata(std::size_t split, std::int64_t row) const {
  return splits_[split].columns.empty() ? "[]" : spools_[split]->metadata(row);
}

std::vector<SampleFailure> SpooledSource::read(std::size_t split, std::int64_t first_row, std::int64_t count,
                                               std::span<std::uint8_t> values, std::span<std::byte> labels) {
  static_cast<void>(count);  // implied by the size of the spans
  spools_[split]->pixels().read_at(first_row * splits_[split].shape.values(), std::as_writable_bytes(values));
  spools_[split]->labels().read_at(first_row * splits_[split].labels.bytes_per_sample(), labels);
  return {};
}

std::vector<SampleFailure> SpooledSource::read_masks(std::size_t split, std::int64_t first_row, std::int64_t count,
                                                     std::span<std::uint8_t> masks) {
  static_cast<void>(count);  // implied by the size of the span
  spools_[split]->masks().read_at(first_row * splits_[split].shape.values_per_channel(), std::as_writable_bytes(masks));
  return {};
}

}  // namespace octavo
