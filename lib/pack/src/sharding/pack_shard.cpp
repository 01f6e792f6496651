#include <cerrno>
#include <chrono>
#include <cstdio>
#include <thread>

#include <octavo/dataset.hpp>
#include <octavo/errors.hpp>
#include <octavo/shards.hpp>
#include <octavo/text.hpp>

#include "packing/packer.hpp"
#include "sharding/shard_record.hpp"
#include "sharding/shard_source.hpp"
#include "support/file.hpp"

namespace octavo {
namespace {

constexpr std::chrono::milliseconds kLockPollInterval{200};

void check_shard(const Shard& shard, const Source& source) {
  if (shard.count < 1 || shard.count > kMostShards) {
    throw InvalidArgument("pack a shard: there are " + std::to_string(shard.count) + " shards; expected 1 to " +
                          std::to_string(kMostShards));
  }
  if (shard.number < 0 || shard.number >= shard.count) {
    throw InvalidArgument("pack a shard: its number is " + std::to_string(shard.number) + "; expected 0 to " +
                          std::to_string(shard.count - 1));
  }
  std::int64_t most = 0;
  for (const SourceSplit& split : source.splits()) most = std::max(most, split.sample_count);
  if (most >= shard.count) return;
  throw InvalidArgument("pack a shard: " + counted(shard.count, "shard") + " of splits of at most " +
                        counted(most, "sample") + " would be empty; use at most " + counted(most, "shard"));
}

/// Whether `path` is the intact header of the same shard. False if there is no such file; throws InvalidArgument if it
/// is something else.
bool is_packed(const std::filesystem::path& path, const sharding::ShardRecord& record) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return false;
  const std::string advice = "; remove it, or replace it with `force`";
  try {
    const auto provenance = parse_strict_json(Dataset::open(path.string()).provenance());
    if (sharding::record_in(provenance) == record) return true;
  } catch (const FormatError& error) {
    throw InvalidArgument(std::string(error.what()) + advice);
  }
  throw InvalidArgument("pack " + quoted(path) +
                        ": it is a shard of another source, or was packed with other options or another version" +
                        advice);
}

}  // namespace

std::string shard_file_name(const Shard& shard) {
  char name[64];
  std::snprintf(name, sizeof name, "shard-%05lld-of-%05lld.h5", static_cast<long long>(shard.number),
                static_cast<long long>(shard.count));
  return name;
}

ShardSummary pack_shard(Source& source, const std::filesystem::path& folder, const Shard& shard,
                        const PackOptions& options) {
  check_shard(shard, source);
  std::error_code problem;
  std::filesystem::create_directories(folder, problem);
  if (problem) throw_io_error("create the folder", folder, problem.value());
  ShardSummary summary{folder / shard_file_name(shard), false, {}};
  PackOptions reproducible = options;
  reproducible.reproducible = true;
  const sharding::ShardRecord record = sharding::make_record(source, shard, reproducible);
  sharding::ShardSource samples(source, record);
  while (true) {
    if (!options.replace_existing && is_packed(summary.path, record)) {
      summary.was_there = true;
      return summary;
    }
    try {
      summary.packed = packing::pack_with(samples, summary.path, reproducible, {.shard = sharding::to_json(record)});
      return summary;
    } catch (const IoError& error) {
      // Another worker packs the same shard. If it fails, this one takes over.
      if (error.error_number() != EWOULDBLOCK) throw;
      std::this_thread::sleep_for(kLockPollInterval);
    } catch (const InvalidArgument&) {
      // The other one was faster.
      if (options.replace_existing || !is_packed(summary.path, record)) throw;
    }
  }
}

}  // namespace octavo
