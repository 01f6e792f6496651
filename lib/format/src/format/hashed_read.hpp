// Hashes parts of a file, in blocks.
#pragma once

#include <octavo/byte_source.hpp>
#include "format/index/index.hpp"
#include "support/hash.hpp"

namespace octavo::dataset_file {

/// Adds the bytes of `extent` to `hash`, reading at most 1 MiB at a time. Throws IoError.
void add_to_hash(StreamingHash& hash, const ByteSource& file, const Extent& extent);

/// Whether the bytes of `extent` match its hash, which must be present. Throws IoError.
bool matches_hash(const ByteSource& file, const Extent& extent);

}  // namespace octavo::dataset_file
