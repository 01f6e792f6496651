// The provenance of a dataset of shards.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "support/strict_json.hpp"

namespace octavo::sharding {

/// Unites the provenances of shards, which differ in what they skipped and in what quantizing lost.
class MergedProvenance {
 public:
  /// Call in the order of the shards.
  void add(const Json& provenance);
  std::int64_t skipped_count() const { return skipped_count_; }
  /// As JSON. Figures that cannot be united (levels, effective bits) are left out. Lists at most 1,000 skipped samples.
  std::string merged() const;

 private:
  void add_digests(const Json& provenance);

  Json merged_;
  std::map<std::string, std::uint64_t> digests_;  ///< of the samples of each split so far
  bool has_digests_ = true;
  std::int64_t skipped_count_ = 0, shard_count_ = 0;
};

}  // namespace octavo::sharding
