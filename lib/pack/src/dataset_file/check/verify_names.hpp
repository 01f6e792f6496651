// Checking the sample names of a split against their offsets.
#pragma once

#include <octavo/byte_source.hpp>

#include "format/index/index.hpp"

namespace octavo::dataset_file {

/// `split` must have names. Throws FormatError with the reason unless the offsets divide the names into one piece per
/// sample, each at most 256 bytes long with its only zero byte at the end.
void check_sample_names(const ByteSource& file, const SplitEntry& split);

}  // namespace octavo::dataset_file
