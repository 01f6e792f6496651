// Checking that the names of a split's samples are where their offsets say.
#pragma once

#include "dataset_file/reader.hpp"

namespace octavo::dataset_file {

/// Throws FormatError with the reason unless the offsets cut the names of `split`, which has names, into one piece a
/// sample, each of at most 256 bytes and ended by the only zero byte in it.
void check_sample_names(const File& file, const SplitEntry& split);

}  // namespace octavo::dataset_file
