// The labels, masks and checksums of the samples of a split.
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
  SampleCompanions(const Split& split, bool verify_checksums, bool with_masks);

  std::size_t label_bytes() const { return label_bytes_; }
  /// Bytes of the codes of a sample, and of its mask if wanted.
  std::size_t row_bytes() const { return code_bytes_ + (with_masks_ ? mask_bytes_ : 0); }
  /// Writes the label of `row` to `label`, if there are labels, and its mask after `codes`, if wanted. Compares them
  /// and `codes`, which have been read, with the checksum. `hash` belongs to the calling thread. Throws IoError, or
  /// FormatError with the sample if it is damaged.
  void complete(std::int64_t row, std::byte* codes, std::byte* label, StreamingHash& hash) const;

 private:
  const dataset_file::Reader& reader_;
  const dataset_file::SplitEntry& entry_;
  void read_label(std::int64_t row, std::span<std::byte> label) const;

  std::size_t code_bytes_;
  std::size_t mask_bytes_;  ///< 0 if the split has no masks
  bool with_masks_;         ///< whether masks are wanted
  std::size_t label_bytes_;
  std::vector<std::byte> labels_;         ///< labels of all samples, if they are short
  std::vector<std::uint64_t> checksums_;  ///< checksums of all samples, if they are verified
};

}  // namespace octavo::store
