// Where samples that are not resident come from.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

namespace octavo::store {

/// Where samples go: number i of a list to codes + i * stride_bytes, its label to labels + i * label bytes.
struct RowTarget {
  std::byte* codes;
  std::int64_t stride_bytes;
  std::byte* labels;  ///< of no use if the split has none
};

/// Safe to use from several threads.
class RowSource {
 public:
  virtual ~RowSource() = default;

  /// Brings the samples of these row numbers, which must exist; repetitions are free. Returns early, with the target
  /// incomplete, once `cancelled` is set. Throws what reading them throws.
  virtual void read(std::span<const std::int64_t> rows, const RowTarget& target,
                    const std::atomic<bool>& cancelled) const = 0;
};

}  // namespace octavo::store
