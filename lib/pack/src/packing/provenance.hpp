// The provenance of a dataset file: how it was made, as JSON.
#pragma once

#include <string>

#include <octavo/pack.hpp>

#include "support/strict_json.hpp"

namespace octavo::packing {

/// A JSON object: command_line, source (format, files, notes), skipped, sample_count, shard (unless it is null),
/// libraries. With options.reproducible, it has no command line and names files without their folders.
std::string describe_provenance(const Source& source, const PackOptions& options, const PackSummary& summary,
                                const Json& shard);

}  // namespace octavo::packing
