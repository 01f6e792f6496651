// The percentile that packing proposes for splits with one range.
#pragma once

#include <vector>

#include <octavo/source_notes.hpp>

namespace octavo::sources {

/// Proposals are measured in one split, but a percentile is one of all splits that were quantized together. So they
/// stay only if all splits of a range have one: the smallest, which leaves out the most. Recorded losses stay as they
/// are.
void keep_common_percentile(std::vector<QuantizationNotes>& quantized);

}  // namespace octavo::sources
