// The chunks of a dataset that another program wrote, looked at before the HDF5 library unfolds them: it inflates a
// chunk whole, whatever that becomes, and reads beyond one that becomes less than it should.
#pragma once

#include <hdf5.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace octavo::dataset_file {

class ChunkCheck {
 public:
  /// Of `dataset`, made with `properties`, whose filters are among deflate, shuffle and fletcher32. `dataset` must live
  /// as long as this. Throws FormatError, with the reason only, if its chunks are too large, or filtered again once
  /// they are deflated.
  ChunkCheck(hid_t dataset, hid_t properties, std::vector<std::int64_t> axes, std::size_t element_bytes);

  /// Checks the chunks that hold rows [first, first + count), of which those before may have been checked already.
  /// Throws FormatError, with the reason only, if one does not unfold to exactly its bytes.
  void check_rows(std::int64_t first, std::int64_t count);

 private:
  void check_unfiltered();
  void check_chunk(const std::vector<hsize_t>& place) const;
  bool is_raw_edge(const std::vector<hsize_t>& place) const;
  bool unfolds(std::span<const std::byte> stored, unsigned left_out) const;
  bool next_in_row(std::vector<hsize_t>& place) const;

  hid_t dataset_;
  std::vector<H5Z_filter_t> filters_;  ///< in the order in which they were applied
  std::vector<std::int64_t> axes_;
  std::vector<std::int64_t> chunk_axes_;
  bool has_raw_edges_ = false;                           ///< chunks that reach over the edge are stored without filters
  bool are_all_checked_ = false;                         ///< where there are no filters
  std::int64_t chunk_bytes_ = 0;                         ///< unfolded
  std::int64_t first_checked_ = 0, end_of_checked_ = 0;  ///< rows
};

}  // namespace octavo::dataset_file
