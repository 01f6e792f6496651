// What belongs to the samples of a split beside their codes: labels and checksums.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <octavo/dataset.hpp>

#include "dataset_file/reader.hpp"
#include "support/hash.hpp"

namespace octavo::store {

/// Short labels and the checksums of all samples are kept in host memory, so that a sample costs one read. Safe to use
/// from several threads.
class SampleCompanions {
 public:
  /// Reads labels, and checksums if they are to be compared. Throws IoError. `split` must outlive this.
  SampleCompanions(const Split& split, bool verify_checksums);

  std::size_t label_bytes() const { return label_bytes_; }
  /// Brings the label of `row` to `label`, if there are labels, and compares it and the codes, which were read, with
  /// the checksum. `hash` is the calling thread's. Throws IoError, or FormatError naming the sample if it is damaged.
  void complete(std::int64_t row, const std::byte* codes, std::byte* label, StreamingHash& hash) const;

 private:
  const dataset_file::Reader& reader_;
  const dataset_file::SplitEntry& entry_;
  std::size_t label_bytes_;
  std::vector<std::byte> labels_;         ///< of all samples, if they are short
  std::vector<std::uint64_t> checksums_;  ///< of all samples, if they are to be compared
};

}  // namespace octavo::store
