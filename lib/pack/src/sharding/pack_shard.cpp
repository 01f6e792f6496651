#include <algorithm>
#include <cstdio>
#include <utility>

#include <octavo/dataset.hpp>
#include <octavo/errors.hpp>
#include <octavo/shards.hpp>
#include <octavo/text.hpp>

#include "format/shards/manifest.hpp"
#include "packing/packer.hpp"
#include "sharding/shard_record.hpp"
#include "sharding/shard_source.hpp"
#include "sharding/waiting.hpp"
#include "support/file.hpp"
#include "support/lock_file.hpp"

namespace octavo {
namespace {

void check_count(std::int64_t count, const Source& source) {
  if (count < 1 || count > kMostShards) {
    throw InvalidArgument("pack in shards: there are " + std::to_string(count) + " shards; expected 1 to " +
                          std::to_string(kMostShards));
  }
  std::int64_t most = 0;
  for (const SourceSplit& split : source.splits()) most = std::max(most, split.sample_count);
  if (most >= count) return;
  throw InvalidArgument("pack in shards: some of " + counted(count, "shard") + " would be empty, because splits have " +
                        "at most " + counted(most, "sample") + "; use at most " + counted(most, "shard"));
}

/// A shard that is also in the source would be lost.
void check_folder_is_no_source(const std::filesystem::path& folder, const Source& source) {
  for (const std::string& file : source.files()) {
    std::error_code ignored;
    const std::filesystem::path manifest = dataset_file::find_manifest(file);
    const std::filesystem::path used = manifest.empty() ? std::filesystem::path(file) : manifest.parent_path();
    if (!std::filesystem::equivalent(used, folder, ignored)) continue;
    throw InvalidArgument("pack in shards into " + quoted(folder) + ": it is a source; choose another folder");
  }
}

/// Whether `path` is the same shard, by its header. False if there is no such file; throws InvalidArgument if it is
/// something else.
bool is_packed(const std::filesystem::path& path, const sharding::ShardRecord& record) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return false;
  const std::string advice = "; remove it, or replace it with `force`";
  std::string provenance;
  try {
    provenance = Dataset::open(path.string()).provenance();
  } catch (const FormatError& error) {
    throw InvalidArgument(std::string(error.what()) + advice);
  }
  try {
    if (sharding::record_in(parse_strict_json(provenance)) == record) return true;
  } catch (const FormatError&) {
    throw InvalidArgument("pack " + quoted(path) + ": the file that is there is not a shard" + advice);
  }
  throw InvalidArgument("pack " + quoted(path) +
                        ": it is a shard of another source, or was packed with other options or another version" +
                        advice);
}

void create_folder(const std::filesystem::path& folder) {
  check_is_no_url(folder);
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw_io_error("create the folder", folder, error.value());
}

void check_number(const Shard& shard) {
  if (shard.number >= 0 && shard.number < shard.count) return;
  throw InvalidArgument("pack a shard: its number is " + std::to_string(shard.number) + "; expected 0 to " +
                        std::to_string(shard.count - 1));
}

/// Packs the samples of a shard, unless the file is there.
ShardSummary pack_or_find(Source& samples, const std::filesystem::path& path, const sharding::ShardRecord& record,
                          const PackOptions& options) {
  ShardSummary summary{path, false, {}};
  packing::PackAdditions additions{.shard = sharding::to_json(record)};
  for (const ShardRange& range : record.ranges) {
    if (range.count > 0) additions.dataset_rows.push_back(range.first);
  }
  while (true) {
    if (!options.replace_existing && is_packed(path, record)) {
      summary.was_there = true;
      return summary;
    }
    try {
      summary.packed = packing::pack_with(samples, path, options, additions);
      return summary;
    } catch (const LockTaken&) {
      // Another worker packs the same shard. If it fails, this one takes over.
      sharding::wait_for_lock(options.on_progress, "waiting for another worker");
    } catch (const InvalidArgument&) {
      // The other one was faster.
      if (options.replace_existing || !is_packed(path, record)) throw;
    }
  }
}

}  // namespace

ShardRange shard_range(const Shard& shard, const std::string& split, std::int64_t total) {
  const std::int64_t first = total * shard.number / shard.count;
  return {split, first, total * (shard.number + 1) / shard.count - first, total};
}

std::string shard_file_name(const Shard& shard) {
  char name[64];
  std::snprintf(name, sizeof name, "shard-%05lld-of-%05lld.h5", static_cast<long long>(shard.number),
                static_cast<long long>(shard.count));
  return name;
}

ShardPacker::ShardPacker(OpenSource open, const std::string& arguments, std::filesystem::path folder,
                         std::int64_t shard_count, const PackOptions& options)
    : open_(std::move(open)),
      folder_(std::move(folder)),
      shard_count_(shard_count),
      options_(options),
      source_(open_()),
      unread_notes_(to_json(source_->notes())) {
  check_count(shard_count, *source_);
  create_folder(folder_);
  check_folder_is_no_source(folder_, *source_);
  options_.reproducible = true;
  source_digest_ = sharding::digest_of(*source_, arguments, options_);
}

ShardSummary ShardPacker::pack(std::int64_t number) {
  const Shard shard{number, shard_count_};
  check_number(shard);
  if (to_json(source_->notes()) != unread_notes_) source_ = open_();
  const sharding::ShardRecord record = sharding::make_record(*source_, source_digest_, shard, options_);
  sharding::ShardSource samples(*source_, record);
  return pack_or_find(samples, folder_ / shard_file_name(shard), record, options_);
}

std::string ShardPacker::record(std::int64_t number) const {
  const Shard shard{number, shard_count_};
  check_number(shard);
  return sharding::to_json(sharding::make_record(*source_, source_digest_, shard, options_)).dump();
}

std::string shard_record(const CollectedShard& shard, const PackOptions& options) {
  check_number(shard.shard);
  return sharding::to_json(sharding::make_record(shard, options)).dump();
}

bool has_shard(const std::filesystem::path& folder, const CollectedShard& shard, const PackOptions& options) {
  check_number(shard.shard);
  return !options.replace_existing &&
         is_packed(folder / shard_file_name(shard.shard), sharding::make_record(shard, options));
}

ShardSummary pack_shard(Source& samples, const std::filesystem::path& folder, const CollectedShard& shard,
                        PackOptions options) {
  check_number(shard.shard);
  create_folder(folder);
  options.reproducible = true;
  return pack_or_find(samples, folder / shard_file_name(shard.shard), sharding::make_record(shard, options), options);
}

}  // namespace octavo
