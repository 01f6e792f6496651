// Checking every byte of a dataset of shards.
#pragma once

#include <octavo/verify.hpp>

namespace octavo::sharding {

/// Checks all shards of the manifest at `path`, and then the manifest. Goes on after a damaged or missing shard.
VerifyResult verify_shards(const std::filesystem::path& path, const VerifyOptions& options);
/// The same for a manifest that is somewhere else. Its statistics are compared only with their totals.
VerifyResult verify_shards(const std::shared_ptr<const ByteSource>& source, const ShardOpener& open_shard,
                           const VerifyOptions& options);

}  // namespace octavo::sharding
