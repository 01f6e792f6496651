// Finding duplicate samples in a dataset file.
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

/// Two or more samples with the same pixels, in file order.
struct DuplicateGroup {
  std::vector<SamplePlace> samples;
  bool labels_differ = false;  ///< true if two labeled samples have different labels
};

/// What find_duplicates() found.
struct DuplicateReport {
  std::int64_t sample_count = 0;
  std::int64_t duplicate_count = 0;       ///< samples that are equal to an earlier one
  std::int64_t group_count = 0;           ///< groups of equal samples
  std::int64_t between_splits_count = 0;  ///< groups with samples from more than one split
  std::int64_t labels_differ_count = 0;   ///< groups with labels_differ
  std::int64_t plain_count = 0;           ///< groups in one split with equal labels
  std::vector<DuplicateGroup> groups;     ///< the first 1,000 groups; groups across splits come first
};

/// Finds samples whose pixels are equal. Compares 128-bit hashes of the pixels and ignores labels; samples of different
/// shapes are never equal. Reads all samples, on all threads, and uses 24 bytes of memory per sample.
/// Throws FormatError if a sample is damaged; IoError if the file cannot be read.
DuplicateReport find_duplicates(const Dataset& dataset, int thread_count = 0, const ProgressFunction& on_progress = {});

}  // namespace octavo
