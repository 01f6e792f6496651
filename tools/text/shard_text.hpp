// What packing in shards and merging them print.
#pragma once

#include <octavo/shards.hpp>
#include <string>
#include <vector>

#include "text/json_output.hpp"

namespace octavo::tools {

void print_shard(const ShardSummary& shard);
Json as_json(const ShardSummary& shard);

void print_merge(const MergeSummary& merged);
Json as_json(const MergeSummary& merged);

}  // namespace octavo::tools
