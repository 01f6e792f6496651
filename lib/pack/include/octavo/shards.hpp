// Packing a source in shards, by workers that share nothing but a folder, and merging them into one dataset.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <octavo/dataset.hpp>
#include <octavo/pack.hpp>
#include <octavo/progress.hpp>
#include <octavo/source.hpp>

namespace octavo {

/// The most shards of a dataset.
inline constexpr std::int64_t kMostShards = 99999;

/// One of the equal parts of a source.
struct Shard {
  std::int64_t number = 0;  ///< from 0 on
  std::int64_t count = 1;   ///< of all shards
};

/// Samples [first, first + count) of the `total` of a split.
struct ShardRange {
  std::string split;
  std::int64_t first = 0, count = 0, total = 0;

  bool operator==(const ShardRange&) const = default;
};

/// Those of a shard: from N*number/count on. `total` is less than 2^46.
ShardRange shard_range(const Shard& shard, const std::string& split, std::int64_t total);

/// "shard-00007-of-00064.h5".
std::string shard_file_name(const Shard& shard);

/// "appended-00001.h5": the first shard that was appended to a dataset of shards.
std::string appended_file_name(std::int64_t place);

/// What ShardPacker::pack() and append_shard() did.
struct ShardSummary {
  std::filesystem::path path;
  bool was_there = false;  ///< the file was packed before, from an equal source with equal options
  PackSummary packed;      ///< of ShardPacker: empty if it was there
};

/// Opens the source of shards.
using OpenSource = std::function<std::unique_ptr<Source>()>;

/// Packs shards of a source. Every worker has its own packer, whose source has the same samples. Not thread-safe.
class ShardPacker {
 public:
  /// Packs into `folder`, which is created. `arguments` tell sources apart that are opened with other options, such as
  /// another column of labels; shards record a digest of it. Calls `open` here, and before a shard if the notes of the
  /// source count what was read for the shards before. A source without random access must allow gaps, as those of this
  /// library do. Throws InvalidArgument if shards would be empty, or if the folder is a source; IoError; and what
  /// `open` throws.
  ShardPacker(OpenSource open, const std::string& arguments, std::filesystem::path folder, std::int64_t shard_count,
              const PackOptions& options = {});

  /// Packs shard `number` into its file: of each split of N samples those from N*number/count on. The file depends only
  /// on the source, the shard and the options, and has a fixed uuid and time, as with PackOptions::reproducible; with
  /// lc8, all shards have the tables of the format, so that they can be decoded together. If another worker packs the
  /// same shard, waits for it, and reports progress meanwhile.
  ///
  /// If the file exists, compares the source and the options that it records: arguments, version, names, classes and
  /// columns of samples, and names and sizes of files, but not the bytes of images, and no targets. If they differ,
  /// throws InvalidArgument unless options.replace_existing is set; if they are equal, nothing is packed. Throws
  /// InvalidArgument if there is no such shard, and what pack() throws. If the shard can read no sample of a split,
  /// that is an error even with options.skip_bad_samples.
  ShardSummary pack(std::int64_t number);
  /// What the shard records of its source, as JSON: that in the provenance of the file, as `shard`. Throws
  /// InvalidArgument if there is no such shard.
  std::string record(std::int64_t number) const;

 private:
  OpenSource open_;
  std::filesystem::path folder_;
  std::int64_t shard_count_;
  PackOptions options_;
  std::unique_ptr<Source> source_;
  std::string unread_notes_;  ///< of the source before any sample is read
  std::string source_digest_;
};

/// A shard whose samples a program collects itself.
struct CollectedShard {
  Shard shard;
  /// Equal for the shards of one source that are packed with equal options.
  std::string source_digest;
  /// The splits of the source, in order, and how many samples they have.
  std::vector<std::pair<std::string, std::int64_t>> splits;
};

/// Whether `folder` has the shard, so that its samples need not be collected. Throws InvalidArgument if its file is
/// something else, and options.replace_existing is not set.
bool has_shard(const std::filesystem::path& folder, const CollectedShard& shard, const PackOptions& options);
/// What it records, as ShardPacker::record().
std::string shard_record(const CollectedShard& shard, const PackOptions& options);
/// Packs `samples`, those of shard_range() of each split, as ShardPacker::pack() does. Creates `folder`.
ShardSummary pack_shard(Source& samples, const std::filesystem::path& folder, const CollectedShard& shard,
                        PackOptions options);

struct MergeOptions {
  /// Also write `dataset.h5`, with virtual datasets that read the samples from the shards, for h5py and other programs.
  bool with_virtual_dataset = false;
  bool replace_existing = false;  ///< replace an existing `dataset.h5`
  ProgressFunction on_progress = {};
};

/// What merge_shards() found.
struct MergeSummary {
  std::filesystem::path path;             ///< of the manifest
  std::filesystem::path virtual_dataset;  ///< empty unless it was written
  std::int64_t shard_count = 0;
  std::vector<SourceSplit> splits;
  std::int64_t skipped = 0;  ///< samples that could not be read
  std::int64_t file_bytes = 0;
  double elapsed_seconds = 0.0;
};

/// Checks that the shards in `folder` have every sample of their source exactly once, and writes the manifest that
/// makes them one dataset, `dataset.json`: atomically, and replacing a manifest, but no other file. Reads the headers,
/// statistics and checksums of the shards, not their samples, unless a shard is so large that its sums must be counted
/// again. The manifest depends only on the shards. Throws InvalidArgument, FormatError or IoError with the first shard
/// that is missing, damaged, or of another source; InvalidArgument if images are compressed with lp8 or lc8, which HDF5
/// cannot read, and options.with_virtual_dataset is set.
MergeSummary merge_shards(const std::filesystem::path& folder, const MergeOptions& options = {});

/// A folder of shards, which may be somewhere else.
struct ShardFolder {
  std::string name;                ///< for messages
  std::vector<std::string> files;  ///< the names of all files in it; those that are no shards are ignored
  ShardOpener open;                ///< opens one of them
};

struct MergedShards {
  std::string manifest;  ///< the contents of `dataset.json`
  MergeSummary summary;  ///< without paths
};

/// The same for shards that are somewhere else. Writes nothing. Throws what `folder.open` throws, too.
MergedShards merge_shards(const ShardFolder& folder, const ProgressFunction& on_progress = {});

/// Adds the samples of `source` to the dataset of shards in `folder`: packs them into one more shard, with the
/// compression of the first one, and replaces the manifest. They follow the samples of the split of the same name, or
/// make another split, and get the class numbers of the dataset. Readers that have the dataset open keep what they
/// opened. Waits for another program that appends to the folder. If appending was interrupted, do it again: samples
/// that the last appended shard of an equal source has already are not added twice, and `was_there` is set.
///
/// Throws what pack() throws; InvalidArgument if the samples do not suit those of the dataset: all shards have the same
/// classes, and those with samples of a split the same shape, labels, masks, columns and value range. Then, the dataset
/// is unchanged.
ShardSummary append_shard(Source& source, const std::filesystem::path& folder, const PackOptions& options = {});

}  // namespace octavo
