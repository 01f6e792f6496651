// Quantizes numbers to bytes, and measures what that costs.
#pragma once

#include <bitset>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <octavo/source_notes.hpp>
#include <octavo/statistics.hpp>

#include "arrays/channel_levels.hpp"
#include "arrays/element.hpp"

namespace octavo::arrays {

/// The loss of the samples of one split. add() may be called from several threads; the result does not depend on their
/// order. Either all samples have the quantizer's quantization, or each has its own.
class Quantizer {
 public:
  /// `quantization` is [C]: value v stands for scale * v + zero_point. A split has `sample_count` samples.
  Quantizer(std::vector<ChannelQuantization> quantization, Element element, std::int64_t sample_count);

  /// The work on one sample.
  class Sample {
   public:
    explicit Sample(const Quantizer& quantizer);
    /// With a quantization of its own, for all channels. Different values are not counted.
    Sample(const Quantizer& quantizer, const ChannelQuantization& map);

    /// Whether all channels have the same quantization.
    bool is_uniform() const { return is_uniform_; }
    /// The byte for a finite number of a channel. If the quantization is uniform, there may be more channels.
    std::uint8_t quantize(std::size_t channel, double number);

   private:
    friend class Quantizer;
    struct Channel {
      ChannelQuantization map;
      double largest_error = 0.0;     ///< in source units
      std::int64_t rounding_sum = 0;  ///< of all rounding errors, in a fixed fraction of a step
      double squared_steps = 0.0;     ///< of all errors, in steps
      std::int64_t clipped = 0;
      std::int64_t count = 0;
      double smallest = std::numeric_limits<double>::infinity();
      double largest = -std::numeric_limits<double>::infinity();
    };

    std::vector<Channel> channels_;
    ChannelLevels level_use_;
    bool is_uniform_ = true;
    bool has_own_map_ = false;  ///< then only steps have one meaning for all samples
    std::int64_t first_level_ = 0;
    std::unique_ptr<std::bitset<65536>> levels_;  ///< the integers that occurred, from first_level_ on
  };

  /// Counts a sample that was quantized completely. `row` is its index in the split.
  void add(std::int64_t row, const Sample& sample);

  /// The loss of the samples so far. If they have quantizations of their own, there are no levels, and the range of a
  /// channel is that of all of them.
  QuantizationNotes notes(const std::string& split) const;

 private:
  /// The loss of one channel in all samples.
  struct Total {
    double low = std::numeric_limits<double>::infinity();
    double high = -std::numeric_limits<double>::infinity();
    double largest_error = 0.0;
    std::map<double, std::int64_t> rounding_sums;  ///< by scale: added up in one order at the end
    std::int64_t clipped = 0;
    std::int64_t count = 0;
    double smallest = std::numeric_limits<double>::infinity();
    double largest = -std::numeric_limits<double>::infinity();

    void include_range(const ChannelQuantization& map);
    double mean_rounding() const;
  };

  std::vector<ChannelQuantization> quantization_;
  Element element_;
  mutable std::mutex mutex_;
  std::vector<Total> totals_;  ///< [C]
  ChannelLevels level_use_;
  std::unique_ptr<std::bitset<65536>> levels_;
  std::vector<double> squared_steps_;  ///< of each row: summed in order at the end
  std::int64_t samples_ = 0;
};

}  // namespace octavo::arrays
