// The notes on a source: what a user might not expect.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <octavo/byte_count.hpp>
#include <octavo/pack.hpp>
#include <octavo/text.hpp>

#include "support/text_units.hpp"

namespace octavo {
namespace {

/// "(1,331 different values became 17, PSNR 58.9 dB, largest error 8)".
std::string loss_text(const QuantizationNotes& quantized, double largest_error) {
  std::string text = " (";
  if (quantized.levels) {
    text += format_count(quantized.levels->before) + " different values became " +
            format_count(quantized.levels->after) + ", ";
  }
  if (quantized.psnr_db) text += formatted("PSNR %.1f dB, ", *quantized.psnr_db);
  return text + formatted("largest error %.3g)", largest_error);
}

/// Whether a few extreme values take most of the range.
bool has_outliers(const QuantizationNotes& quantized) {
  constexpr std::int64_t kFewLevels = 128;
  return quantized.levels && quantized.levels->after < kFewLevels &&
         quantized.levels->before > 2 * quantized.levels->after;
}

/// The splits that share a loss: those that a holdout made of one split, which are adjacent.
struct SharedLoss {
  std::string names;  ///< "train, val"
  std::int64_t sample_count = 0;
  const QuantizationNotes* quantized = nullptr;
};

std::vector<SharedLoss> shared_losses(const SourceNotes& found, const Source& source) {
  std::vector<SharedLoss> losses;
  for (const QuantizationNotes& quantized : found.quantized) {
    const auto& splits = source.splits();
    const auto split = std::ranges::find(splits, quantized.split, &SourceSplit::name);
    const std::int64_t sample_count = split == splits.end() ? 0 : split->sample_count;
    const bool is_part = !quantized.source_split.empty() && !losses.empty() &&
                         losses.back().quantized->source_split == quantized.source_split;
    if (!is_part) losses.push_back({"", 0, &quantized});
    losses.back().names += (is_part ? ", " : "") + quantized.split;
    losses.back().sample_count += sample_count;
  }
  return losses;
}

/// Nothing if the bytes hold the values exactly.
std::optional<std::string> quantization_note(const SharedLoss& loss) {
  const QuantizationNotes& quantized = *loss.quantized;
  double low = quantized.channels.at(0).low, high = quantized.channels.at(0).high, largest_error = 0.0;
  std::int64_t clipped_count = 0;
  for (const ChannelLoss& channel : quantized.channels) {
    low = std::min(low, channel.low);
    high = std::max(high, channel.high);
    largest_error = std::max(largest_error, channel.largest_error);
    clipped_count += channel.clipped;
  }
  if (largest_error == 0.0) return std::nullopt;
  std::string text = loss.names + ": ";
  if (quantized.samples < loss.sample_count) text += "in " + counted(quantized.samples, "sample") + ", ";
  text += quantized.from + formatted(" values from %.6g to %.6g became 8-bit", low, high);
  text += loss_text(quantized, largest_error);
  if (clipped_count > 0) {
    text +=
        "; " + counted(clipped_count, "value") + (clipped_count == 1 ? " outside was" : " outside were") + " clipped";
  }
  if (has_outliers(quantized)) text += "; `range=percentile:99.9` may keep more";
  return text;
}

/// "ignored 2 files that are not images in a class folder: a.csv, cat/b.txt".
std::string ignored_note(const SourceNotes& found) {
  const std::int64_t count = *found.ignored_files;
  std::string text =
      "ignored " + counted(count, "file") +
      (count == 1 ? " that is not an image in a class folder" : " that are not images in a class folder");
  const std::vector<std::string>& names = found.first_ignored_files;
  for (std::size_t i = 0; i < names.size(); ++i) text += (i == 0 ? ": " : ", ") + printable(names[i]);
  return text + (std::ssize(names) < count ? ", ..." : "");
}

/// The names of the splits with labels of this kind or, with `others`, of any other kind.
std::string splits_with(LabelKind kind, const Source& source, bool others = false) {
  std::string names;
  for (const SourceSplit& split : source.splits()) {
    const bool is_other = split.labels.kind != kind && split.labels.kind != LabelKind::none;
    if (others ? is_other : split.labels.kind == kind) names += (names.empty() ? "" : ", ") + split.name;
  }
  return names;
}

void add_missing_labels(const Source& source, const SourceNotes& found, std::vector<std::string>& notes) {
  if (source.format() == "appended") return;  // a program that provides samples knows whether they have labels
  const std::string names = splits_with(LabelKind::none, source);
  if (names.empty()) return;
  const std::string reason = !found.label_problem.empty()  ? found.label_problem
                             : source.format() == "folder" ? "there are no class subfolders"
                                                           : "none found with the images";
  notes.push_back("no labels in " + names + ": " + reason);
}

void add_mixed_labels(const Source& source, std::vector<std::string>& notes) {
  for (const LabelKind kind : {LabelKind::multi_label, LabelKind::target}) {
    const std::string names = splits_with(kind, source), others = splits_with(kind, source, true);
    if (names.empty() || others.empty()) continue;
    notes.push_back(std::string("labels are ") + (kind == LabelKind::target ? "targets" : "multi-labels") + " in " +
                    names + ", of another kind in " + others + "; for one kind, use one list with a column \"split\"");
    return;
  }
}

}  // namespace

std::vector<std::string> packing_notes(const Source& source) {
  const SourceNotes found = source.notes();
  std::vector<std::string> notes;
  for (const SharedLoss& loss : shared_losses(found, source)) {
    if (loss.quantized->samples == 0) continue;
    if (auto note = quantization_note(loss)) notes.push_back(std::move(*note));
  }
  if (found.ignored_files.value_or(0) > 0) notes.push_back(ignored_note(found));
  add_missing_labels(source, found, notes);
  add_mixed_labels(source, notes);
  notes.insert(notes.end(), found.remarks.begin(), found.remarks.end());
  return notes;
}

}  // namespace octavo
