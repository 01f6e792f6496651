#include "sources/combine/chosen_source.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace octavo::sources {

ChosenSource::ChosenSource(std::unique_ptr<Source> source, RowChoice choice, const SourceOptions& options)
    : source_(std::move(source)),
      chosen_(std::move(choice.splits)),
      remarks_(std::move(choice.remarks)),
      options_(options) {
  for (const ChosenSplit& part : chosen_) {
    splits_.push_back(source_->splits()[part.source_split]);
    splits_.back().name = part.name;
    splits_.back().sample_count = static_cast<std::int64_t>(part.rows.size());
  }
}

std::string ChosenSource::sample_name(std::size_t split, std::int64_t row) const {
  return source_->sample_name(chosen_[split].source_split, source_row(split, row));
}

std::optional<std::string> ChosenSource::sample_path(std::size_t split, std::int64_t row) const {
  return source_->sample_path(chosen_[split].source_split, source_row(split, row));
}

bool ChosenSource::has_sample_paths(std::size_t split) const {
  return source_->has_sample_paths(chosen_[split].source_split);
}

std::optional<std::int32_t> ChosenSource::class_index(std::size_t split, std::int64_t row) const {
  return source_->class_index(chosen_[split].source_split, source_row(split, row));
}

std::vector<std::int32_t> ChosenSource::class_indices(std::size_t split, std::int64_t row) const {
  return source_->class_indices(chosen_[split].source_split, source_row(split, row));
}

/// The number of rows from `first_row` on, at most `most`, that are consecutive in the source too.
std::int64_t ChosenSource::run_length(std::size_t split, std::int64_t first_row, std::int64_t most) const {
  std::int64_t length = 1;
  while (length < most && source_row(split, first_row + length) == source_row(split, first_row) + length) ++length;
  return length;
}

template <typename ReadRun>
std::vector<SampleFailure> ChosenSource::read_runs(std::size_t split, std::int64_t first_row, std::int64_t count,
                                                   const ReadRun& read_run) {
  std::vector<SampleFailure> failures;
  for (std::int64_t done = 0; done < count;) {
    const std::int64_t run = run_length(split, first_row + done, count - done);
    const std::int64_t start = source_row(split, first_row + done);
    for (SampleFailure& failure : read_run(start, run, static_cast<std::size_t>(done), static_cast<std::size_t>(run))) {
      failure.row += first_row + done - start;
      failures.push_back(std::move(failure));
    }
    done += run;
  }
  return failures;
}

std::string ChosenSource::sample_metadata(std::size_t split, std::int64_t row) const {
  return source_->sample_metadata(chosen_[split].source_split, source_row(split, row));
}

std::vector<SampleFailure> ChosenSource::read(std::size_t split, std::int64_t first_row, std::int64_t count,
                                              std::span<std::uint8_t> values, std::span<std::byte> labels) {
  const auto value_count = static_cast<std::size_t>(splits_[split].shape.values());
  const auto label_bytes = static_cast<std::size_t>(splits_[split].labels.bytes_per_sample());
  return read_runs(split, first_row, count,
                   [&](std::int64_t start, std::int64_t run, std::size_t at, std::size_t rows) {
                     return source_->read(chosen_[split].source_split, start, run,
                                          values.subspan(at * value_count, rows * value_count),
                                          labels.subspan(at * label_bytes, rows * label_bytes));
                   });
}

std::vector<SampleFailure> ChosenSource::read_masks(std::size_t split, std::int64_t first_row, std::int64_t count,
                                                    std::span<std::uint8_t> masks) {
  const auto width = static_cast<std::size_t>(splits_[split].shape.values_per_channel());
  return read_runs(
      split, first_row, count, [&](std::int64_t start, std::int64_t run, std::size_t at, std::size_t rows) {
        return source_->read_masks(chosen_[split].source_split, start, run, masks.subspan(at * width, rows * width));
      });
}

/// Sizes that a source took from its own provenance describe all its images, so they are kept only if all are chosen.
void ChosenSource::drop_other_sizes(SourceNotes& notes) const {
  if (!notes.image_sizes) return;
  std::map<std::string, std::int64_t> left_of;
  for (const SourceSplit& split : source_->splits()) left_of[split.name] = split.sample_count;
  for (const ChosenSplit& part : chosen_) left_of[source_->splits()[part.source_split].name] -= std::ssize(part.rows);
  std::erase_if(*notes.image_sizes,
                [&](const ImageSizeNotes& sizes) { return sizes.of_whole_split && left_of[sizes.split] != 0; });
}

/// The losses of each chosen split are those of the split that it was taken from: a source does not know the choice.
void ChosenSource::assign_losses(SourceNotes& notes) const {
  std::vector<QuantizationNotes> of_chosen;
  for (const ChosenSplit& part : chosen_) {
    const SourceSplit& whole = source_->splits()[part.source_split];
    const std::string& from = whole.name;
    const bool is_divided = std::ranges::count(chosen_, part.source_split, &ChosenSplit::source_split) > 1;
    const bool is_part = std::ssize(part.rows) < whole.sample_count;
    for (const QuantizationNotes& quantized : notes.quantized) {
      if (quantized.split != from) continue;
      of_chosen.push_back(quantized);
      of_chosen.back().split = part.name;
      // Of a source that is read now, only chosen samples are counted.
      if (is_divided || (quantized.is_recorded && is_part)) of_chosen.back().source_split = from;
      if (is_divided || is_part) of_chosen.back().worst.clear();
    }
  }
  notes.quantized = std::move(of_chosen);
}

SourceNotes ChosenSource::notes() const {
  SourceNotes notes = source_->notes();
  drop_other_sizes(notes);
  assign_losses(notes);
  notes.select = options_.select;
  notes.limit = options_.limit;
  notes.holdout = options_.holdout;
  notes.holdout_seed = options_.seed;
  notes.group_by = options_.group_by;
  notes.remarks.insert(notes.remarks.end(), remarks_.begin(), remarks_.end());
  return notes;
}

}  // namespace octavo::sources
