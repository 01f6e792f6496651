// Samples that a dataset file has more than once.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <octavo/dataset.hpp>
#include <octavo/progress.hpp>

namespace octavo {

/// A sample by split and row.
struct SamplePlace {
  std::string split;
  std::int64_t row = 0;
  std::string name = {};  ///< empty if the file has no names
  bool operator==(const SamplePlace&) const = default;
};

/// Samples of the same pixels, in the order of the file; at least two.
struct DuplicateGroup {
  std::vector<SamplePlace> samples;
  bool labels_differ = false;  ///< not all that have a label have the same
};

/// What find_duplicates() found.
struct DuplicateReport {
  std::int64_t sample_count = 0;
  std::int64_t duplicate_count = 0;       ///< samples that another one before them equals
  std::int64_t group_count = 0;           ///< groups of equal samples
  std::int64_t between_splits_count = 0;  ///< of these, groups with samples of more than one split
  std::int64_t labels_differ_count = 0;   ///< of these, groups whose labels are not all the same
  std::vector<DuplicateGroup> groups;     ///< the first 1,000 of them, those between splits before the others
};

/// Finds samples whose pixels are equal, by 128-bit hashes of them; labels do not count, and
/// samples of different shapes are never equal. Reads all samples, on all threads; takes 24 bytes of memory a sample.
/// Throws FormatError if a sample is damaged, IoError.
DuplicateReport find_duplicates(const Dataset& dataset, int thread_count = 0, const ProgressFunction& on_progress = {});

}  // namespace octavo
