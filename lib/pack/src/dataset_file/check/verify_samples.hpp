// Checking every sample of a split, and that its statistics follow from its samples.
#pragma once

#include <octavo/progress.hpp>

#include "dataset_file/check/defect_list.hpp"
#include "dataset_file/reader.hpp"

namespace octavo::dataset_file {

/// Reads all of `split` on `thread_count` threads: checksums, labels, and the counts that the statistics follow from.
/// The histogram and mean image are compared unless `statistics` is null, that is if they are known to be damaged.
DefectList verify_samples(const Reader& reader, const SplitEntry& split, const Statistics* statistics, int thread_count,
                          const ProgressFunction& on_progress);

}  // namespace octavo::dataset_file
