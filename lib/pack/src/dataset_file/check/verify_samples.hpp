// Checking every sample of a split, and its statistics against its samples.
#pragma once

#include <octavo/progress.hpp>

#include "dataset_file/check/defect_list.hpp"
#include "format/reader.hpp"

namespace octavo::dataset_file {

/// Reads all of `split` on `thread_count` threads. Checks the checksums and labels, and recomputes the counts behind
/// the statistics. Compares the histogram and mean image unless `statistics` is null, which means that they are
/// damaged.
DefectList verify_samples(const Reader& reader, const SplitEntry& split, const Statistics* statistics, int thread_count,
                          const ProgressFunction& on_progress);

}  // namespace octavo::dataset_file
