// The source of samples that are not resident.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

namespace octavo::dataset_file {

/// Destination of samples: consecutive rows, masks and labels.
struct RowTarget {
  std::byte* rows;    ///< the codes of each sample, in their Codec::row_coding
  std::byte* masks;   ///< not used if masks are not read
  std::byte* labels;  ///< not used if the split has none
  /// Where each row begins in `rows`, then the end of the last one; null if all rows have one size.
  const std::uint64_t* row_offsets = nullptr;
  const std::uint64_t* mask_offsets = nullptr;  ///< the same for `masks`

  /// The row or the mask at `place`; `bytes` is its size.
  std::byte* row(std::int64_t place, std::int64_t bytes) const { return rows + offset(row_offsets, place, bytes); }
  std::byte* mask(std::int64_t place, std::int64_t bytes) const { return masks + offset(mask_offsets, place, bytes); }

 private:
  static std::int64_t offset(const std::uint64_t* offsets, std::int64_t place, std::int64_t bytes) {
    return offsets == nullptr ? place * bytes : static_cast<std::int64_t>(offsets[place]);
  }
};

/// Thread-safe.
class RowSource {
 public:
  virtual ~RowSource() = default;

  /// Reads these rows, which must exist; a repeated row may be read once and copied. Returns early, with the target
  /// incomplete, once `cancelled` is set. Throws the errors of reading.
  virtual void read(std::span<const std::int64_t> rows, const RowTarget& target,
                    const std::atomic<bool>& cancelled) const = 0;
  /// Starts to fetch these rows over a network, so that reading them later is faster. Only a hint. Returns the number
  /// of ranges to fetch.
  virtual std::int64_t start(std::span<const std::int64_t> /*rows*/) const noexcept { return 0; }
  /// Whether start() does anything.
  virtual bool is_remote() const noexcept { return false; }
};

}  // namespace octavo::dataset_file
