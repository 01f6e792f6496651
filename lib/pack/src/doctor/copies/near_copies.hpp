// Finds near-identical images: copies that were resized, recompressed, brightened or turned.
#pragma once

#include <cstdint>
#include <vector>

#include <octavo/progress.hpp>

#include "doctor/copies/descriptor.hpp"
#include "doctor/sample_pass.hpp"

namespace octavo::doctor {

struct NearPair {
  std::int64_t first = 0, second = 0;  ///< numbers, ascending
  Turn turn = Turn::none;              ///< of the first, which makes it like the second
  double difference = 0.0;             ///< the residual as a share of the reach; below the threshold

  bool operator==(const NearPair&) const = default;
};

struct NearCopies {
  std::vector<NearPair> pairs;      ///< by first, then second; of many copies of one image, the nearest
  std::int64_t sample_count = 0;    ///< that were searched: with contrast, without equal ones
  std::int64_t compared_count = 0;  ///< comparisons of descriptors
  std::int64_t verified_count = 0;  ///< comparisons of pixels
  std::int64_t cut_count = 0;       ///< samples whose search was cut
};

/// Searches the samples `numbers`, ascending. Each sample is compared with at most DescriptorTree::kMostCompared others
/// for each of the four turns, and the pixels of at most 6 are read, so that the time grows like N log N.
/// Throws FormatError if a sample is damaged; IoError if the file cannot be read.
NearCopies find_near_copies(const SampleSet& samples, const Descriptors& descriptors,
                            const std::vector<std::int64_t>& numbers, int thread_count,
                            const ProgressFunction& on_progress);

}  // namespace octavo::doctor
