// The notes on a source: what a user might not expect.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <octavo/byte_count.hpp>
#include <octavo/pack.hpp>
#include <octavo/text.hpp>

#include "packing/loss.hpp"

namespace octavo {
namespace {

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

/// "2 folders have no images: lynx, zebra".
std::string empty_folders_note(const std::vector<std::string>& folders) {
  constexpr std::size_t kMostShown = 5;
  std::string text = counted(std::ssize(folders), "folder") + (folders.size() == 1 ? " has" : " have") + " no images";
  for (std::size_t i = 0; i < std::min(folders.size(), kMostShown); ++i) {
    text += (i == 0 ? ": " : ", ") + printable(folders[i]);
  }
  return text + (folders.size() > kMostShown ? ", ..." : "");
}

/// The names of the splits with labels of this kind or, with `others`, of any other kind. Masks count as labels.
std::string splits_with(LabelKind kind, const Source& source, bool others = false) {
  std::string names;
  for (const SourceSplit& split : source.splits()) {
    const bool is_other = split.labels.kind != kind && split.labels.kind != LabelKind::none;
    const bool is_kind = split.labels.kind == kind && (kind != LabelKind::none || !split.has_masks);
    if (others ? is_other : is_kind) names += (names.empty() ? "" : ", ") + split.name;
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
  std::vector<std::string> notes = packing::loss_notes(found, source);
  if (found.ignored_files.value_or(0) > 0) notes.push_back(ignored_note(found));
  if (!found.folders_without_images.empty()) notes.push_back(empty_folders_note(found.folders_without_images));
  add_missing_labels(source, found, notes);
  add_mixed_labels(source, notes);
  notes.insert(notes.end(), found.remarks.begin(), found.remarks.end());
  return notes;
}

}  // namespace octavo
