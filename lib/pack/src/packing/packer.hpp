// Packing, and what appending and shards add to it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <vector>

#include <octavo/pack.hpp>

#include "support/strict_json.hpp"

namespace octavo::packing {

struct PackAdditions {
  /// The first splits keep their names and their largest errors, whatever the options.
  std::size_t kept_splits = 0;
  /// Called after locking the file against other writers and before packing anything; if it throws, nothing is packed.
  std::function<void()> once_locked = [] {};
  /// For the provenance of a shard; otherwise null. Encodings are not trained for a shard.
  Json shard = {};
  /// Of a shard: where each split begins in the dataset.
  std::vector<std::int64_t> dataset_rows = {};
};

/// Packs as octavo::pack() does.
PackSummary pack_with(Source& source, const std::filesystem::path& path, const PackOptions& options,
                      const PackAdditions& additions);

}  // namespace octavo::packing
