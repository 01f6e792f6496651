// The labels and checksums of the samples of a split.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <octavo/dataset.hpp>

#include "dataset_file/reader.hpp"
#include "support/hash.hpp"

namespace octavo::store {

/// Keeps short labels and all checksums in host memory, so that a sample needs only one read. Thread-safe.
class SampleCompanions {
 public:
  /// Reads labels, and checksums if they are verified. Throws IoError. `split` must outlive this object.
  SampleCompanions(const Split& split, bool verify_checksums);

  std::size_t label_bytes() const { return label_bytes_; }
  /// Writes the label of `row` to `label`, if there are labels. Compares the label and `codes`, which have been read,
  /// with the checksum. `hash` belongs to the calling thread. Throws IoError, or FormatError with the sample if it is
  /// damaged.
  void complete(std::int64_t row, const std::byte* codes, std::byte* label, StreamingHash& hash) const;

 private:
  const dataset_file::Reader& reader_;
  const dataset_file::SplitEntry& entry_;
  std::size_t label_bytes_;
  std::vector<std::byte> labels_;         ///< labels of all samples, if they are short
  std::vector<std::uint64_t> checksums_;  ///< checksums of all samples, if they are verified
};

}  // namespace octavo::store
