// What in a dataset file would spoil training or a benchmark.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <octavo/content.hpp>
#include <octavo/dataset.hpp>
#include <octavo/duplicates.hpp>
#include <octavo/progress.hpp>

namespace octavo {

enum class DoctorSeverity {
  error,    ///< results of a benchmark, or the training itself, are wrong
  warning,  ///< they are probably wrong
  note,     ///< worth a look
};

/// "error", "warning" or "note".
const char* to_string(DoctorSeverity severity);

enum class DoctorCheck {
  equal_across_splits,
  equal_other_label,
  shared_group,
  label_leak,
  near_across_splits,
  near_other_label,
  class_not_in_train,
  mask_values,
  extreme_imbalance,
  blank_image,
  truncated_image,
  different_splits,
  few_levels,
  equal_within_split,
  near_within_split,
  class_in_one_split,
  unusual_labels,
  unusual_targets,
  unusual_brightness,
  unusual_size,
};

struct DoctorCheckInfo {
  DoctorCheck check;
  std::string_view id;  ///< in JSON and Python
  DoctorSeverity severity;
  std::string_view meaning;
  std::string_view remedy;  ///< options as in option_names.hpp
};

/// All checks, most severe first. The help, docs/reports.md and Python show this table.
inline constexpr std::array<DoctorCheckInfo, 20> kDoctorChecks = {{
    {DoctorCheck::equal_across_splits, "equal_across_splits", DoctorSeverity::error,
     "equal images in several splits: the evaluation sees training data",
     "keep each image in one split: remove the copies from the source of one split, and pack again"},
    {DoctorCheck::equal_other_label, "equal_other_label", DoctorSeverity::error, "equal images with different labels",
     "correct or remove the wrong labels in the source, and pack again"},
    {DoctorCheck::shared_group, "shared_group", DoctorSeverity::error,
     "a patient, video or other group with samples in several splits",
     "pack all samples as the split train again, divided by group with `holdout=F` and `group_by=COLUMN`"},
    {DoctorCheck::label_leak, "label_leak", DoctorSeverity::error,
     "one pixel, or the brightness alone, tells the class of every image",
     "remove the mark, border or background that differs between the classes from the source, and pack again"},
    {DoctorCheck::near_across_splits, "near_across_splits", DoctorSeverity::warning,
     "near-identical images in several splits: resized, recompressed, brightened or flipped copies",
     "look at the pairs; keep each image in one split, and pack again"},
    {DoctorCheck::near_other_label, "near_other_label", DoctorSeverity::warning,
     "near-identical images with different labels", "look at the pairs; correct the wrong labels, and pack again"},
    {DoctorCheck::class_not_in_train, "class_not_in_train", DoctorSeverity::warning,
     "classes, also of masks, of another split that the training split lacks",
     "add training samples of these classes, or leave them out with `octavo repack --select` or --class-map"},
    {DoctorCheck::mask_values, "mask_values", DoctorSeverity::warning,
     "masks with values that are probably no class numbers: 0 and 255, gray images, gaps",
     "map the colors of the masks to classes from 0 on with `mask_colors`, and pack again"},
    {DoctorCheck::extreme_imbalance, "extreme_imbalance", DoctorSeverity::warning,
     "a class with more than 100 times the samples of another in the training split",
     "train with a sampler (docs/how-to/sampling.md), and report the accuracy of each class"},
    {DoctorCheck::blank_image, "blank_image", DoctorSeverity::warning,
     "images of one value, or of values that differ by at most 4 of 255",
     "remove them from the source, and pack again; if many images are dark, `range` may keep more"},
    {DoctorCheck::truncated_image, "truncated_image", DoctorSeverity::warning,
     "images whose lower part is the gray that decoders put in place of missing data",
     "get complete files, and pack again"},
    {DoctorCheck::different_splits, "different_splits", DoctorSeverity::warning,
     "a split whose brightness or contrast differs from that of the training split",
     "prepare all splits in the same way (range, channel order, resizing), or split at random with --holdout"},
    {DoctorCheck::few_levels, "few_levels", DoctorSeverity::warning,
     "8 bits keep little of the source values: few levels, or many clipped values",
     "pack again with another `range`, such as percentile:99.9"},
    {DoctorCheck::equal_within_split, "equal_within_split", DoctorSeverity::note, "equal images in one split",
     "remove the copies from the source if they are not meant to count more than once"},
    {DoctorCheck::near_within_split, "near_within_split", DoctorSeverity::note, "near-identical images in one split",
     "keep them together if you split again"},
    {DoctorCheck::class_in_one_split, "class_in_one_split", DoctorSeverity::note,
     "classes, also of masks, of the training split that no other split has",
     "add samples of these classes to the other splits"},
    {DoctorCheck::unusual_labels, "unusual_labels", DoctorSeverity::note, "classes with no or few samples",
     "check the labels; for rare classes, train with a sampler (docs/how-to/sampling.md)"},
    {DoctorCheck::unusual_targets, "unusual_targets", DoctorSeverity::note,
     "targets that are not finite, or far from all others",
     "look at the samples; correct wrong targets in the source, or leave these samples out, and pack again"},
    {DoctorCheck::unusual_brightness, "unusual_brightness", DoctorSeverity::note,
     "images much darker or brighter than the others", "look at them; remove broken ones from the source"},
    {DoctorCheck::unusual_size, "unusual_size", DoctorSeverity::note,
     "originals far larger, smaller, wider or taller than the others",
     "look at them; with `size`, a fit of pad or stretch may keep more"},
}};

/// The row of the table for a check.
constexpr const DoctorCheckInfo& info_of(DoctorCheck check) { return kDoctorChecks[static_cast<std::size_t>(check)]; }

/// Samples that show a finding.
struct DoctorExample {
  std::vector<SamplePlace> samples;  ///< one; or those that are equal, near-identical or of one group; may be empty
  std::string detail = {};           ///< "flipped", "patient 17"; may be empty
};

struct DoctorFinding {
  DoctorCheck check = {};
  std::int64_t count = 0;  ///< of the things that the summary counts first
  std::string summary;     ///< "3 images are in more than one split"
  std::vector<DoctorExample> examples;

  const DoctorCheckInfo& info() const { return info_of(check); }
};

struct DoctorOptions {
  /// What makes samples belong together, as in SourceOptions::group_by: the name of a column, or `path:` and a regular
  /// expression (ECMAScript) that is searched in the names of the samples: its first capture group, or its whole match,
  /// is the group. Empty: each column with a usual name of groups, such as `patient`.
  std::string group_by = {};
  std::size_t example_count = 3;  ///< at most, of each finding

  int thread_count = 0;  ///< 0: all that are available; does not change the report
  ProgressFunction on_progress = {};
};

/// What examine() found.
struct DoctorReport {
  std::string file;
  std::int64_t sample_count = 0;
  std::vector<std::string> split_names;
  std::vector<DoctorFinding> findings;  ///< most severe first
  std::vector<std::string> limits;      ///< what was not checked, or not completely, and why
  std::vector<SplitContent> contents;   ///< of each split

  std::int64_t count_of(DoctorSeverity severity) const;
};

/// Reads and checks all samples once, and those that may be copies again. Uses about 140 bytes of memory per sample,
/// and time that grows like N log N. Throws InvalidArgument if `group_by` is invalid or no split has such groups;
/// FormatError if a sample is damaged; IoError if the file cannot be read.
DoctorReport examine(const Dataset& dataset, const DoctorOptions& options = {});

/// How a front end writes the options in remedies and limits: with_command_line_options() or with_python_options().
using OptionSpelling = std::string (*)(std::string_view message);

/// A line for each finding, with examples and a line on what to do; without findings, one line on what was checked.
std::string to_text(const DoctorReport& report, OptionSpelling spelling);
/// The same as one JSON document.
std::string to_json(const DoctorReport& report, OptionSpelling spelling);
/// "train/a.png" or, without names, "train #17".
std::string to_text(const SamplePlace& place);

}  // namespace octavo
