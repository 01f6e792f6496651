// Checking the chunks of a dataset from another program before the HDF5 library inflates them: the library inflates a
// whole chunk, whatever its size becomes, and reads past the end of one that becomes too small.
#pragma once

#include <hdf5.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dataset_file/check/filter_check.hpp"

namespace octavo::dataset_file {

class ChunkCheck {
 public:
  /// Checks `dataset`, created with `properties`; its filters have no filter_problem(). `dataset` must outlive this.
  /// Throws FormatError, with the reason only, if its chunks are too large, or if a filter other than fletcher32
  /// follows one that changes the size of the data.
  ChunkCheck(hid_t dataset, hid_t properties, std::vector<std::int64_t> axes, std::size_t element_bytes);

  /// Checks the chunks that hold rows [first, first + count), except those that were checked before. Throws
  /// FormatError, with the reason only, if a chunk does not inflate to exactly its size.
  void check_rows(std::int64_t first, std::int64_t count);

 private:
  void check_unfiltered();
  void check_chunk(const std::vector<hsize_t>& place) const;
  bool is_raw_edge(const std::vector<hsize_t>& place) const;
  bool unfolds(std::span<const std::byte> stored, unsigned left_out) const;
  bool next_in_row(std::vector<hsize_t>& place) const;

  hid_t dataset_;
  std::vector<Filter> filters_;  ///< in the order in which they were applied
  std::vector<std::int64_t> axes_;
  std::vector<std::int64_t> chunk_axes_;
  bool has_raw_edges_ = false;                           ///< partial edge chunks are stored without filters
  bool are_all_checked_ = false;                         ///< used if there are no filters
  std::int64_t chunk_bytes_ = 0;                         ///< after inflating
  std::int64_t first_checked_ = 0, end_of_checked_ = 0;  ///< rows
};

}  // namespace octavo::dataset_file
