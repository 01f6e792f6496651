#include <algorithm>
#include <cstdio>
#include <memory>
#include <utility>

#include <octavo/dataset.hpp>
#include <octavo/errors.hpp>
#include <octavo/shards.hpp>

#include "format/reader.hpp"
#include "format/shards/manifest.hpp"
#include "packing/packer.hpp"
#include "sharding/shard_record.hpp"
#include "sharding/shard_source.hpp"
#include "sharding/virtual_dataset.hpp"
#include "sharding/waiting.hpp"
#include "sources/combine/consistency.hpp"
#include "sources/combine/merged_source.hpp"
#include "sources/readers/octavo_source.hpp"
#include "support/lock_file.hpp"

namespace octavo {
namespace {

using sharding::ShardRecord;

/// Excludes others that append to the folder.
std::unique_ptr<LockFile> lock_manifest(const std::filesystem::path& manifest, const ProgressFunction& on_progress) {
  std::filesystem::path path = manifest;
  path += ".lock";
  while (true) {
    try {
      return std::make_unique<LockFile>(path, "");
    } catch (const LockTaken&) {
      sharding::wait_for_lock(on_progress, "waiting for another program that appends");
    }
  }
}

/// By the checksums of the samples.
bool have_same_samples(const dataset_file::Reader& a, const dataset_file::Reader& b) {
  const auto same = [](const dataset_file::SplitEntry& one, const dataset_file::SplitEntry& other) {
    const auto hash_of = [](const dataset_file::SplitEntry& entry) {
      return (entry.decoded_checksums ? *entry.decoded_checksums : entry.checksums).hash;
    };
    return one.name == other.name && hash_of(one) == hash_of(other);
  };
  return std::ranges::equal(a.index().splits, b.index().splits, same);
}

/// Shards of one dataset have the same classes.
void check_adds_no_class(const Source& all, const Dataset& dataset, const std::filesystem::path& folder) {
  const std::vector<std::string>& known = dataset.class_names();
  if (all.class_names() == known) return;
  throw DataError("append to " + quoted(folder) + ": it has no class " + quoted(all.class_names()[known.size()]) +
                  ", and all shards have the same classes; pack all sources together in shards");
}

/// The rows of the added samples in a source that has them after those of the dataset, and their places in the added
/// source.
struct Added {
  std::vector<ShardRange> rows, record;
};

Added added_ranges(const Source& all, const Source& there, const Source& added) {
  Added ranges;
  for (const SourceSplit& split : all.splits()) {
    const auto count_in = [&](const Source& source) {
      const auto found = std::ranges::find(source.splits(), split.name, &SourceSplit::name);
      return found == source.splits().end() ? 0 : found->sample_count;
    };
    const std::int64_t before = count_in(there), count = count_in(added);
    ranges.rows.push_back({split.name, before, count, before + count});
    if (count > 0) ranges.record.push_back({split.name, 0, count, count});
  }
  return ranges;
}

class Appending {
 public:
  Appending(Source& source, const std::filesystem::path& manifest, const PackOptions& options)
      : source_(source),
        folder_(manifest.parent_path()),
        manifest_(dataset_file::read_manifest(manifest)),
        dataset_(Dataset::open(manifest.string())),
        there_(std::make_shared<sources::OctavoSource>(dataset_)),
        options_(options) {
    options_.reproducible = true;
    options_.replace_existing = true;  // a file that the manifest does not list is of an interrupted call
    options_.compression = dataset_.split(there_->splits()[0].name).compression();
    if (!options_.max_error && stays_compressed(options_.compression)) {
      options_.max_error = there_->splits()[0].max_error;
    }
    if (!options_.allow_mismatch) sources::check_fits(*there_, source_, folder_);
  }

  ShardSummary run() {
    // Owned by the caller; not deleted here.
    const std::shared_ptr<Source> added(std::shared_ptr<void>(), &source_);
    sources::MergedSource all({there_, added});
    check_adds_no_class(all, dataset_, folder_);
    const Added ranges = added_ranges(all, *there_, source_);
    ShardRecord record = sharding::make_record(source_, sharding::digest_of(source_, "", options_), {}, options_);
    record.ranges = ranges.record;
    record.appended = next_place();
    sharding::ShardSource samples(all, ranges.rows, source_, true);

    ShardSummary summary{folder_ / appended_file_name(record.appended), false, {}};
    // It must not look like a shard before it is known to be a new one.
    std::filesystem::path candidate = summary.path;
    candidate += ".new";
    summary.packed = packing::pack_with(samples, candidate, options_,
                                        {.shard = sharding::to_json(record), .dataset_rows = samples.first_rows()});
    const std::string same = shard_with_samples_of(*dataset_file::Reader::open(candidate.string()), record);
    if (!same.empty()) {
      std::filesystem::remove(candidate);
      summary.path = folder_ / same;
      summary.was_there = true;
      summary.packed.notes.push_back("nothing was added: " + same + " has these samples already");
    } else {
      std::filesystem::rename(candidate, summary.path);
      sync_folder_of(summary.path);
    }
    return summary;
  }

 private:
  std::int64_t next_place() const {
    std::int64_t place = 1;
    while (std::ranges::find(manifest_.shards, appended_file_name(place), &dataset_file::ManifestShard::file) !=
           manifest_.shards.end()) {
      ++place;
    }
    return place;
  }

  /// The file of an appended shard with the samples of this one; empty if there is none.
  std::string shard_with_samples_of(const dataset_file::Reader& candidate, const ShardRecord& record) const {
    for (std::int64_t place = 1; place < record.appended; ++place) {
      std::string name = appended_file_name(place);
      const auto shard = dataset_file::Reader::open((folder_ / name).string());
      const ShardRecord other = sharding::record_in(parse_strict_json(shard->provenance()));
      if (other.source_digest == record.source_digest && have_same_samples(*shard, candidate)) return name;
    }
    return "";
  }

  Source& source_;
  std::filesystem::path folder_;
  dataset_file::Manifest manifest_;
  Dataset dataset_;
  std::shared_ptr<sources::OctavoSource> there_;
  PackOptions options_;
};

}  // namespace

std::string appended_file_name(std::int64_t place) {
  char name[64];
  std::snprintf(name, sizeof name, "appended-%05lld.h5", static_cast<long long>(place));
  return name;
}

ShardSummary append_shard(Source& source, const std::filesystem::path& folder, const PackOptions& options) {
  const std::filesystem::path manifest = dataset_file::find_manifest(folder);
  if (manifest.empty()) {
    throw InvalidArgument("append to " + quoted(folder) + ": it is no dataset of shards; pack and merge shards first");
  }
  const std::unique_ptr<LockFile> lock = lock_manifest(manifest, options.on_progress);
  ShardSummary summary = Appending(source, manifest, options).run();
  // Also if nothing was added: an interrupted call may not have merged.
  merge_shards(manifest.parent_path(), {.on_progress = options.on_progress});
  if (!summary.was_there && std::filesystem::exists(manifest.parent_path() / sharding::kVirtualDatasetName)) {
    summary.packed.notes.push_back(std::string(sharding::kVirtualDatasetName) +
                                   " lacks these samples; write it again with octavo merge --vds --force");
  }
  return summary;
}

}  // namespace octavo
