// From the numbers of an array to values of a byte, and finding the range of numbers that these are to cover.
#pragma once

#include <optional>
#include <vector>

#include <octavo/pack.hpp>
#include <octavo/statistics.hpp>

#include "arrays/array_set.hpp"

namespace octavo::arrays {

/// Whether the numbers of `images` are bytes as they are: uint8 and bool.
bool holds_bytes(const Array& images);

/// What value v stands for, scale * v + zero_point, for each channel of the images of `sets`, which have the same
/// number of channels: one quantization for all of them, so that a number has the same value in every split. Reads all
/// of them where the range is to be measured. NaN and infinities are passed over: a sample that has any is refused when
/// it is packed. Throws FormatError if there are no numbers, or their range is too large; else what reading throws.
std::vector<ChannelQuantization> find_quantization(const std::vector<const ArraySet*>& sets, const ValueRange& range,
                                                   int thread_count);

}  // namespace octavo::arrays
