// Quantizing numbers to bytes: finding the range to cover.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <octavo/pack.hpp>
#include <octavo/statistics.hpp>

#include "arrays/array_set.hpp"
#include "arrays/element.hpp"

namespace octavo::arrays {

/// Some of the numbers of a source, in whole rows. The channel of the number at index i is i % channels if channel_step
/// is 1, else i % row_values / channel_step.
struct NumberBlock {
  std::span<const double> numbers;
  std::int64_t row_values = 0;
  std::int64_t channel_step = 1;
};

/// All numbers that share a quantization.
struct NumberSource {
  std::string name;  ///< quoted, for messages
  Element element = Element::float32;
  std::int64_t channels = 1;
  /// One range for all channels when it is measured automatically; else one for each channel.
  bool keeps_colors = false;
  /// Reads everything, and calls the visitor with each block, on several threads at a time.
  std::function<void(const std::function<void(const NumberBlock&)>& visit)> read_all;
};

/// Whether `images` needs no quantization: uint8 and bool.
bool holds_bytes(const Array& images);

/// All numbers of the images of `sets`, which have the same number of channels. `sets` must outlive it.
NumberSource numbers_of(const std::vector<const ArraySet*>& sets, int thread_count);

/// Returns the quantization per channel: value v stands for scale * v + zero_point. Reads all numbers if the range must
/// be measured. Ignores NaN and infinities: samples with them are refused when they are packed. Throws FormatError if a
/// channel has no finite number or the range is too large; also what reading throws.
std::vector<ChannelQuantization> find_quantization(const NumberSource& numbers, const ValueRange& range);

}  // namespace octavo::arrays
