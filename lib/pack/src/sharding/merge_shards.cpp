#include <algorithm>
#include <chrono>
#include <map>
#include <regex>

#include <octavo/dataset.hpp>
#include <octavo/errors.hpp>
#include <octavo/output_file.hpp>
#include <octavo/shards.hpp>
#include <octavo/text.hpp>

#include "format/hashed_read.hpp"
#include "format/reader.hpp"
#include "format/shards/manifest.hpp"
#include "packing/progress_meter.hpp"
#include "sharding/exact_totals.hpp"
#include "sharding/merged_manifest.hpp"
#include "sharding/merged_provenance.hpp"
#include "sharding/shard_record.hpp"
#include "sharding/virtual_dataset.hpp"
#include "support/file.hpp"

namespace octavo {
namespace {

using dataset_file::Manifest;
using dataset_file::Reader;
using sharding::ShardRecord;

/// Named missing shards, at most.
constexpr std::size_t kMostNamed = 5;

/// A shard by the name of its file.
struct FoundShard {
  std::string file;
  std::int64_t number, count;
  std::int64_t appended = 0;  ///< as in ShardRecord
};

/// Those that were packed together, and those that were appended, each in the order of their numbers.
struct FoundShards {
  std::vector<FoundShard> first, appended;
};

FoundShards find_shards(const std::vector<std::string>& files) {
  static const std::regex kFirst("shard-([0-9]{5})-of-([0-9]{5})\\.h5"), kAppended("appended-([0-9]{5})\\.h5");
  FoundShards found;
  for (const std::string& file : files) {
    std::smatch parts;
    if (std::regex_match(file, parts, kFirst)) {
      found.first.push_back({file, std::stoll(parts[1].str()), std::stoll(parts[2].str())});
    } else if (std::regex_match(file, parts, kAppended)) {
      found.appended.push_back({file, 0, 1, std::stoll(parts[1].str())});
    }
  }
  std::ranges::sort(found.first, {}, &FoundShard::file);
  std::ranges::sort(found.appended, {}, &FoundShard::file);
  return found;
}

/// Throws InvalidArgument unless the files are shards 0 to count - 1 of one count.
void check_complete(const std::string& folder, const std::vector<FoundShard>& found) {
  const std::string what = "merge " + quoted(folder) + ": ";
  if (found.empty()) {
    throw InvalidArgument(what + "there are no shards, such as " + shard_file_name({0, 64}) +
                          "; pack them with `shards`");
  }
  const std::int64_t count = found.front().count;
  const auto other = std::ranges::find_if(found, [&](const FoundShard& shard) { return shard.count != count; });
  if (other != found.end()) {
    throw InvalidArgument(what + "there are shards of two datasets, " + quoted(found.front().file) + " and " +
                          quoted(other->file) + "; remove those of one");
  }
  std::vector<std::string> missing;
  std::size_t missing_count = 0;
  auto next = found.begin();
  for (std::int64_t number = 0; number < count; ++number) {
    if (next != found.end() && next->number == number) {
      ++next;
      continue;
    }
    ++missing_count;
    if (missing.size() < kMostNamed) missing.push_back(std::to_string(number));
  }
  if (next != found.end()) {
    throw InvalidArgument(what + quoted(next->file) + " has no such number; remove it");
  }
  if (missing.empty()) return;
  std::string numbers = missing.front();
  for (std::size_t i = 1; i < missing.size(); ++i) numbers += ", " + missing[i];
  throw InvalidArgument(what + std::to_string(missing_count) + " of " + counted(count, "shard") +
                        " are missing: " + numbers + (missing_count > missing.size() ? ", ..." : "") +
                        "; pack them with `shards` and `shard`, then merge again");
}

/// Throws InvalidArgument unless the files are the first ones that were appended.
void check_appended(const std::string& folder, const std::vector<FoundShard>& found) {
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto place = static_cast<std::int64_t>(i) + 1;
    if (found[i].appended == place) continue;
    throw InvalidArgument("merge " + quoted(folder) + ": " + appended_file_name(place) + " is missing, but " +
                          quoted(found[i].file) + " is there; restore it, or remove those " + "after it");
  }
}

/// A split of the merged dataset, of the shards so far.
struct SplitTotals {
  SourceSplit layout;
  statistics::SampleTotals totals;
  StreamingHash checksums;
};

class Merge {
 public:
  explicit Merge(const ShardFolder& folder) : folder_(folder) {}

  void add(const FoundShard& found) {
    const std::shared_ptr<const ByteSource> source = folder_.open(found.file);
    const auto reader = Reader::open(source);
    const Dataset shard = Dataset::open(source);
    const Json provenance = parse_strict_json(reader->provenance());
    const ShardRecord record = record_of(found, provenance);
    if (manifest_.shards.empty()) {
      begin(shard, record);
    } else if (found.appended > 0) {
      begin_appended(found, shard, record);
    } else {
      check_same_source(found, shard, record);
    }
    for (const ShardRange& range : record.ranges) add_split(found, *reader, shard, range, skipped_in(provenance) > 0);
    provenance_.add(provenance);
    manifest_.shards.push_back({found.file, shard.file_bytes(), shard.digest()});
    file_bytes_ += shard.file_bytes();
    reader->ensure_unchanged();
  }

  sharding::ManifestOfShards finish() {
    MergeSummary summary;
    for (const std::string& name : order_) {
      if (!splits_.contains(name)) {
        throw FormatError("merge " + folder_name() + ": no shard has samples of split " + name +
                          "; remove the shards, and pack them without it");
      }
      const SplitTotals& split = *splits_.at(name);
      manifest_.splits.push_back(
          {name, split.totals.sample_count, split.checksums.value(), split.totals.histogram, split.totals.value_sums});
      summary.splits.push_back(split.layout);
      summary.splits.back().sample_count = split.totals.sample_count;
    }
    manifest_.provenance = provenance_.merged();
    manifest_.uuid = uuid();
    summary.shard_count = std::ssize(manifest_.shards);
    summary.skipped = provenance_.skipped_count();
    summary.file_bytes = file_bytes_;
    return {std::move(manifest_), std::move(summary)};
  }

 private:
  std::string folder_name() const { return quoted(folder_.name); }

  [[noreturn]] void refuse(const FoundShard& found, const std::string& problem) const {
    throw FormatError("merge " + folder_name() + ": " + quoted(found.file) + " " + problem);
  }

  ShardRecord record_of(const FoundShard& found, const Json& provenance) const {
    ShardRecord record;
    try {
      record = sharding::record_in(provenance);
    } catch (const FormatError& error) {
      refuse(found, "is not a shard: " + std::string(error.what()) + "; remove it, and pack it with `shards`");
    }
    if (record.number == found.number && record.count == found.count && record.appended == found.appended) {
      return record;
    }
    if (record.appended > 0) refuse(found, "is appended; give it its name, " + appended_file_name(record.appended));
    refuse(found, "is shard " + std::to_string(record.number) + " of " + std::to_string(record.count) +
                      "; give it its name, " + shard_file_name({record.number, record.count}));
  }

  static std::int64_t skipped_in(const Json& provenance) {
    const Json skipped = provenance.value("skipped", Json::array());
    return skipped.is_array() ? std::ssize(skipped) : 0;
  }

  void begin(const Dataset& shard, const ShardRecord& record) {
    first_record_ = record;
    manifest_.class_names = shard.class_names();
    manifest_.created = shard.created();
    manifest_.writer = shard.writer();
    for (const ShardRange& range : record.ranges) order_.push_back(range.split);
  }

  /// Its samples follow all of those before.
  void begin_appended(const FoundShard& found, const Dataset& shard, const ShardRecord& record) {
    if (shard.class_names() != manifest_.class_names) {
      refuse(found, "has other classes than the shards before it; it was appended to another dataset");
    }
    for (const ShardRange& range : record.ranges) {
      if (std::ranges::find(order_, range.split) == order_.end()) order_.push_back(range.split);
    }
    ends_.clear();
  }

  void check_same_source(const FoundShard& found, const Dataset& shard, const ShardRecord& record) const {
    const auto same_split = [](const ShardRange& a, const ShardRange& b) {
      return a.split == b.split && a.total == b.total;
    };
    if (record.source_digest != first_record_.source_digest || shard.class_names() != manifest_.class_names ||
        !std::ranges::equal(record.ranges, first_record_.ranges, same_split)) {
      refuse(found, "is a shard of another source than " + quoted(manifest_.shards[0].file) +
                        ", or was packed with other options or another version; remove one of them, and pack it again");
    }
  }

  /// Adds the samples of one range, which follow those of the shard before.
  void add_split(const FoundShard& found, const Reader& reader, const Dataset& shard, const ShardRange& range,
                 bool may_lack_samples) {
    std::int64_t& end = ends_[range.split];
    const bool is_last = found.number == found.count - 1;
    if (range.first != end || (is_last && range.first + range.count != range.total)) {
      refuse(found, "does not continue split " + range.split + " at sample " + format_count(end) +
                        "; remove it, and pack it again");
    }
    end += range.count;
    const bool is_there = shard.has_split(range.split);
    const std::int64_t there = is_there ? shard.split(range.split).sample_count() : 0;
    if (there > range.count || (there < range.count && !may_lack_samples)) {
      refuse(found, "has " + format_count(there) + " of the " + counted(range.count, "sample") + " of split " +
                        range.split + "; remove it, and pack it again");
    }
    if (!is_there) return;
    const Split split = shard.split(range.split);
    auto& totals = splits_[range.split];
    if (!totals) {
      totals = std::make_unique<SplitTotals>(SplitTotals{{.name = split.name(),
                                                          .shape = split.shape(),
                                                          .labels = split.labels(),
                                                          .color = split.color(),
                                                          .source_dtype = split.source_dtype(),
                                                          .has_masks = split.has_masks()},
                                                         statistics::SampleTotals(split.shape()),
                                                         {}});
    }
    if (split.shape() != totals->layout.shape) refuse(found, "has samples of another shape; pack it again");
    const statistics::SampleTotals more = sharding::exact_totals(split);
    totals->totals.sample_count += more.sample_count;
    add(more.histogram, totals->totals.histogram);
    add(more.value_sums, totals->totals.value_sums);
    const dataset_file::SplitEntry& entry = *reader.find_split(range.split);
    const dataset_file::Extent& checksums = entry.decoded_checksums ? *entry.decoded_checksums : entry.checksums;
    if (!dataset_file::matches_hash(reader.source(), checksums)) {
      refuse(found, "is damaged: the checksums of split " + range.split + "; remove it, and pack it again");
    }
    dataset_file::add_to_hash(totals->checksums, reader.source(), checksums);
  }

  static void add(const std::vector<std::int64_t>& from, std::vector<std::int64_t>& to) {
    std::ranges::transform(to, from, to.begin(), std::plus());
  }

  /// Of the shards, so that merging again gives the same manifest.
  std::string uuid() const {
    std::string digests;
    for (const auto& shard : manifest_.shards) digests += shard.digest;
    const std::string high = to_hex(hash_bytes(std::as_bytes(std::span(digests))));
    const std::string low = to_hex(hash_bytes(std::as_bytes(std::span(digests += high))));
    // Version 8 and variant 10: a value of our own.
    return high.substr(0, 8) + "-" + high.substr(8, 4) + "-8" + high.substr(13, 3) + "-8" + low.substr(1, 3) + "-" +
           low.substr(4, 12);
  }

  const ShardFolder& folder_;
  ShardRecord first_record_;
  Manifest manifest_;
  std::vector<std::string> order_;  ///< of the splits
  std::map<std::string, std::unique_ptr<SplitTotals>> splits_;
  std::map<std::string, std::int64_t> ends_;  ///< of the ranges so far of one source
  sharding::MergedProvenance provenance_;
  std::int64_t file_bytes_ = 0;
};

std::string checked_text(const Manifest& manifest) {
  std::string text = encode_manifest(manifest);
  static_cast<void>(dataset_file::decode_manifest(text));  // it may have too many values
  return text;
}

/// Other files of these names must not be lost.
void check_targets(const std::filesystem::path& folder, const MergeOptions& options) {
  const std::filesystem::path manifest = folder / dataset_file::kManifestName;
  check_output_file(manifest, !dataset_file::find_manifest(manifest).empty());
  if (options.with_virtual_dataset) check_output_file(folder / sharding::kVirtualDatasetName, options.replace_existing);
}

}  // namespace

ShardFolder sharding::local_shards(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::directory_iterator files(folder, error);
  if (error) throw_io_error("read the folder", folder, error.value());
  ShardFolder found{folder.string(), {}, [folder](const std::string& name) {
                      return std::make_shared<const File>(File::open_for_reading(folder / name));
                    }};
  for (const auto& file : files) found.files.push_back(file.path().filename().string());
  return found;
}

sharding::ManifestOfShards sharding::merged_manifest(const ShardFolder& folder, const ProgressFunction& on_progress) {
  FoundShards found = find_shards(folder.files);
  check_complete(folder.name, found.first);
  check_appended(folder.name, found.appended);
  std::ranges::move(found.appended, std::back_inserter(found.first));
  Merge merge(folder);
  packing::ProgressMeter meter(on_progress, "merging shards", std::ssize(found.first), 1);
  for (const FoundShard& shard : found.first) {
    merge.add(shard);
    meter.add(1);
  }
  return merge.finish();
}

MergeSummary merge_shards(const std::filesystem::path& folder, const MergeOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  check_is_no_url(folder);
  check_targets(folder, options);
  auto [manifest, summary] = sharding::merged_manifest(sharding::local_shards(folder), options.on_progress);
  summary.path = folder / dataset_file::kManifestName;
  if (options.with_virtual_dataset) {
    std::vector<std::filesystem::path> shards;
    for (const auto& shard : manifest.shards) shards.push_back(folder / shard.file);
    summary.virtual_dataset = folder / sharding::kVirtualDatasetName;
    sharding::write_virtual_dataset(summary.virtual_dataset, shards);
  }
  const std::string text = checked_text(manifest);
  write_output_file(summary.path, std::as_bytes(std::span(text)), true);
  summary.elapsed_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return summary;
}

MergedShards merge_shards(const ShardFolder& folder, const ProgressFunction& on_progress) {
  const auto start = std::chrono::steady_clock::now();
  auto [manifest, summary] = sharding::merged_manifest(folder, on_progress);
  summary.elapsed_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return {checked_text(manifest), std::move(summary)};
}

}  // namespace octavo
