// The manifest of the shards in a folder.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <octavo/dataset.hpp>
#include <octavo/shards.hpp>

#include "format/shards/manifest.hpp"

namespace octavo::sharding {

struct ManifestOfShards {
  dataset_file::Manifest manifest;
  MergeSummary summary;  ///< without the time
};

/// Checks the shards as merge_shards() does, and writes nothing.
ManifestOfShards merged_manifest(const ShardFolder& folder, const ProgressFunction& on_progress);
/// A folder of this machine. Throws IoError if it cannot be read.
ShardFolder local_shards(const std::filesystem::path& folder);

}  // namespace octavo::sharding
