// Estimates how small samples would be in other encodings that stay compressed on a device.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include <octavo/dataset.hpp>
#include <octavo/plan.hpp>

namespace octavo::planning {

/// Images of a class, before and after encoding.
struct ClassSizes {
  std::int64_t count = 0, plain_bytes = 0, encoded_bytes = 0;

  double share() const { return static_cast<double>(encoded_bytes) / static_cast<double>(plain_bytes); }
};

/// What encoding some samples of a split showed.
struct EncodedSamples {
  Compression compression = Compression::none;
  std::int64_t count = 0;
  std::int64_t row_bytes = 0;   ///< per sample on the device, on average: codes, mask and offsets, no labels
  double standard_error = 0.0;  ///< of row_bytes, as an estimate for all samples; 0 if all were encoded
  double least_share = 0.0;     ///< of the bytes of a sample's codes that remain, for the sample that shrinks most
  double most_share = 0.0;      ///< the same for the sample that shrinks least
  std::int64_t largest_index = 0;
  double seconds = 0.0;                             ///< of one thread that reads and encodes as many samples in order
  std::map<std::int64_t, ClassSizes> classes = {};  ///< by number; empty if labels are not classes
};

/// Encodes up to `most_samples` samples, evenly spaced, in each encoding that stays compressed on a device, except that
/// of the split. Reads at most 64 MiB; returns nothing if two samples have more. Throws the errors of Split::read().
std::vector<EncodedSamples> encode_samples(const Split& split, std::int64_t most_samples);

}  // namespace octavo::planning
