// The manifest of the shards in a folder.
#pragma once

#include <filesystem>

#include <octavo/shards.hpp>

#include "format/shards/manifest.hpp"

namespace octavo::sharding {

struct MergedShards {
  dataset_file::Manifest manifest;
  MergeSummary summary;  ///< without the time
};

/// Checks the shards as merge_shards() does, and writes nothing.
MergedShards merged_manifest(const std::filesystem::path& folder, const ProgressFunction& on_progress);

}  // namespace octavo::sharding
