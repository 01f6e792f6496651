// The chunks of a dataset that another program wrote, looked at before the HDF5 library unfolds them: it inflates a
// chunk whole, whatever that becomes, and reads beyond one that becomes less than it should.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace octavo::archive {

class ChunkCheck {
 public:
  /// Of `dataset`, made with `properties`, whose filters are among deflate, shuffle and fletcher32. `dataset` must live
  /// as long as this. Throws FormatError, with the reason only, if its chunks are too large or deflated twice.
  ChunkCheck(hid_t dataset, hid_t properties, std::vector<std::int64_t> axes, std::size_t element_bytes);

  /// Checks the chunks that hold rows [first, first + count), of which those before may have been checked already.
  /// Throws FormatError, with the reason only, if one does not unfold to exactly its bytes.
  void check_rows(std::int64_t first, std::int64_t count);

 private:
  void check_chunk(const std::vector<hsize_t>& place) const;
  void check_inflated(const std::vector<hsize_t>& place, std::size_t stored_bytes, std::size_t sum_bytes_behind,
                      std::size_t sum_bytes_inside) const;
  bool next_in_row(std::vector<hsize_t>& place) const;

  hid_t dataset_;
  std::vector<H5Z_filter_t> filters_;  ///< in the order in which they were applied
  std::vector<std::int64_t> axes_;
  std::vector<std::int64_t> chunk_axes_;
  std::int64_t chunk_bytes_ = 0;                         ///< unfolded
  std::int64_t first_checked_ = 0, end_of_checked_ = 0;  ///< rows
};

/// Bytes of an array of such elements, or nothing if they are too many for a number.
std::optional<std::int64_t> bytes_of_array(std::span<const std::int64_t> axes, std::size_t element_bytes);

}  // namespace octavo::archive
