// Adding splits to a dataset file: a new file with all splits replaces the old one. Shards get one more shard.
#include <algorithm>
#include <string>
#include <vector>

#include <octavo/dataset.hpp>
#include <octavo/errors.hpp>
#include <octavo/pack.hpp>
#include <octavo/shards.hpp>

#include "format/shards/manifest.hpp"
#include "packing/packer.hpp"
#include "sources/combine/consistency.hpp"
#include "sources/combine/merged_source.hpp"
#include "sources/readers/octavo_source.hpp"
#include "support/file.hpp"

namespace octavo {
namespace {

/// Distinguishes dataset files, even if both have the fixed uuid of reproducible files.
struct Identity {
  std::string uuid;
  std::int64_t file_bytes = 0;
  std::string provenance;
  bool operator==(const Identity&) const = default;
};

Identity identity_of(const std::filesystem::path& path) {
  const Dataset dataset = Dataset::open(path);
  return {dataset.uuid(), dataset.file_bytes(), dataset.provenance()};
}

void check_splits_are_new(const Source& there, const Source& added, const std::filesystem::path& path) {
  for (const SourceSplit& split : added.splits()) {
    for (const SourceSplit& other : there.splits()) {
      if (split.name != other.name) continue;
      throw DataError("append to " + quoted(path) + ": it has a split \"" + split.name +
                      "\" already; give the new one another name (NAME=SOURCE), or pack both into a new file");
    }
  }
}

const SourceSplit& training_split_of(const Source& source) {
  const auto train = std::ranges::find(source.splits(), "train", &SourceSplit::name);
  return train == source.splits().end() ? source.splits()[0] : *train;
}

/// Whether the values of two splits stand for the same numbers. No quantization is scale 1, zero point 0.
bool have_one_range(const SourceSplit& a, const SourceSplit& b) {
  const auto at = [](const SourceSplit& split, std::size_t channel) {
    return split.quantization.empty() ? ChannelQuantization() : split.quantization[channel];
  };
  for (std::size_t c = 0; c < static_cast<std::size_t>(a.shape.channels); ++c) {
    if (at(a, c) != at(b, c)) return false;
  }
  return true;
}

/// "test has another range than train: ...", for splits whose levels stand for other numbers than those in the file.
std::vector<std::string> range_notes(const Source& there, const Source& added) {
  const SourceSplit& train = training_split_of(there);
  std::vector<std::string> notes;
  for (const SourceSplit& split : added.splits()) {
    if (split.shape.channels != train.shape.channels || have_one_range(split, train)) continue;
    notes.push_back(split.name + " has another range than " + train.name +
                    "; batches are in source units; for one range, pack both together or give `range`");
  }
  return notes;
}

}  // namespace

PackSummary append(Source& source, const std::filesystem::path& path, const PackOptions& options) {
  if (!dataset_file::find_manifest(path).empty()) return append_shard(source, path, options).packed;
  const Dataset dataset = Dataset::open(path);
  const Identity before = identity_of(path);
  const auto there = std::make_shared<sources::OctavoSource>(path);
  check_splits_are_new(*there, source, path);
  if (!options.allow_mismatch) sources::check_fits(*there, source, path);
  // Owned by the caller; not deleted here.
  const std::shared_ptr<Source> added(std::shared_ptr<void>(), &source);
  sources::MergedSource all({there, added});

  PackOptions chosen = options;
  chosen.replace_existing = true;
  chosen.compression = dataset.split(dataset.split_names()[0]).compression();
  const std::vector<std::string> notes = range_notes(*there, source);
  // Another writer may have replaced the file since it was opened.
  const auto check_unchanged = [&] {
    if (identity_of(path) == before) return;
    throw IoError("append to " + quoted(path) + ": another program replaced the file; append again");
  };
  PackSummary summary =
      packing::pack_with(all, path, chosen, {.kept_splits = there->splits().size(), .once_locked = check_unchanged});
  summary.notes.insert(summary.notes.end(), notes.begin(), notes.end());
  return summary;
}

}  // namespace octavo
