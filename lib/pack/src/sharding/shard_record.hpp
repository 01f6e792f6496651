// What a shard records of its source: merging compares it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <octavo/pack.hpp>
#include <octavo/shards.hpp>
#include <octavo/source.hpp>

#include "support/strict_json.hpp"

namespace octavo::sharding {

struct ShardRecord {
  std::int64_t number = 0, count = 0;
  /// The place among the shards that were appended to a dataset, from 1 on, each with all samples of its own source; 0:
  /// it is one of the shards that were there first.
  std::int64_t appended = 0;
  std::string source_digest;  ///< equal for shards of one source, whatever their encodings
  std::string encoding;       ///< how the shard is compressed
  std::vector<ShardRange> ranges;

  bool operator==(const ShardRecord&) const = default;
};

/// Of the names, classes, columns and layout of a source, of the arguments that opened it, and of the options that
/// change samples. Takes time for each sample.
std::string digest_of(const Source& source, const std::string& arguments, const PackOptions& options);
ShardRecord make_record(const Source& source, const std::string& source_digest, const Shard& shard,
                        const PackOptions& options);
ShardRecord make_record(const CollectedShard& shard, const PackOptions& options);

Json to_json(const ShardRecord& record);
/// The record in the provenance of a dataset file. Throws FormatError if there is none.
ShardRecord record_in(const Json& provenance);

}  // namespace octavo::sharding
