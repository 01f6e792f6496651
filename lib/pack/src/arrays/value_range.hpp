// Quantizing the numbers of arrays to bytes: finding the range to cover.
#pragma once

#include <optional>
#include <vector>

#include <octavo/pack.hpp>
#include <octavo/statistics.hpp>

#include "arrays/array_set.hpp"

namespace octavo::arrays {

/// Whether `images` needs no quantization: uint8 and bool.
bool holds_bytes(const Array& images);

/// Returns the quantization per channel: value v stands for scale * v + zero_point. All `sets`, which have the same
/// number of channels, share it, so that a number has the same value in every split. Reads all images if the range must
/// be measured. Ignores NaN and infinities: samples with them are refused when they are packed. Throws FormatError if
/// the arrays are empty or their range is too large; also what reading throws.
std::vector<ChannelQuantization> find_quantization(const std::vector<const ArraySet*>& sets, const ValueRange& range,
                                                   int thread_count);

}  // namespace octavo::arrays
