// The labels, masks and checksums of the samples of a split.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dataset_file/rows/row_plan.hpp"
#include "dataset_file/rows/row_source.hpp"
#include "dataset_file/split_data.hpp"
#include "format/reader.hpp"
#include "support/hash.hpp"

namespace octavo::dataset_file {

/// Larger labels are read with their sample instead of kept in host memory.
inline constexpr std::int64_t kMostKeptLabelBytes = 64;

/// Keeps short labels and all checksums in host memory, so that a sample needs only one read. Thread-safe.
class SampleCompanions {
 public:
  /// Reads labels, and checksums if they are verified. Throws IoError. `reader` and `entry` must outlive this object.
  SampleCompanions(const Reader& reader, const SplitEntry& entry, const RowReading& reading);

  /// Completes rows of ascending numbers whose codes have been read: writes their labels, if there are any, and their
  /// masks, if wanted; compares all with the checksums; copies repeated rows. `hash` belongs to the calling thread.
  /// Throws IoError, or FormatError with the sample if one is damaged.
  void complete(std::span<const WantedRow> rows, const RowTarget& target, StreamingHash& hash) const;
  /// Starts to read what complete() reads from the file. `rows` are in ascending order.
  void start(std::span<const WantedRow> rows) const noexcept;

 private:
  /// The parts of one sample in a target; those that it does not have are empty.
  struct Parts {
    std::span<std::byte> codes, mask, label;
  };
  Parts parts_at(const RowTarget& target, const WantedRow& row) const;
  void complete_row(std::int64_t row, const Parts& to, StreamingHash& hash) const;
  void read_label(std::int64_t row, std::span<std::byte> label) const;

  const Reader& reader_;
  const SplitEntry& entry_;
  bool with_masks_;  ///< whether masks are wanted
  std::size_t label_bytes_;
  std::vector<std::byte> labels_;         ///< labels of all samples, if they are short
  std::vector<std::uint64_t> checksums_;  ///< checksums of all samples, if they are verified
};

}  // namespace octavo::dataset_file
